"""AppLens over HTTP: routes over the service, each for the user whose token came with the
request.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response, status
from fastapi.responses import JSONResponse

from sortkey.web import Page, User, errors_for, signed_in
from sortkey_systems.applens.answers import (
    ArtifactsAnswer,
    ComparisonAnswer,
    GraphAnswer,
    InventoryRow,
    ProgressAnswer,
    ReportAnswer,
    RunAnswer,
    RunRequest,
    UploadAnswer,
    UploadRequest,
)
from sortkey_systems.applens.model import Environment
from sortkey_systems.applens.service import AppLens

NAME = "applens"

Me = Annotated[User, Depends(signed_in(NAME))]
RunId = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="The id of a run", examples=["c8a91e"])
]
Wanted = Annotated[Environment | None, Query(description="Only runs of this environment")]
Cursor = Annotated[
    str | None, Query(max_length=4096, description="The cursor of the previous page")
]
Limit = Annotated[int, Query(ge=1, le=100, description="Maximum number of results")]
RunQuery = Annotated[
    str, Query(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="A run", examples=["c8a91e"])
]

FOUND = errors_for(401, 404)
READY = errors_for(401, 404, 409)


class SarifResponse(JSONResponse):
    media_type = "application/sarif+json"


def make_router(service: AppLens) -> APIRouter:
    """The routes of AppLens."""
    router = APIRouter()
    _add_uploads(router, service)
    _add_lists(router, service)
    _add_run(router, service)
    _add_artifacts(router, service)
    _add_findings(router, service)
    return router


def _add_uploads(router: APIRouter, service: AppLens) -> None:
    @router.post(
        "/uploads",
        summary="Get a link to upload a file",
        status_code=status.HTTP_201_CREATED,
        responses=errors_for(401),
    )
    def presign(me: Me, body: UploadRequest) -> UploadAnswer:
        """Get a link to upload a file: a PUT with these headers, before it expires. Then create a
        run of it.

        Accepted are .tf, .tf.json, `terraform show -json`, .tfstate, .zip, .tar, .tgz and .tar.gz,
        of 10 MB at most.
        """
        link = service.presign(
            me.user_id, body.environment, body.filename, body.size, body.content_type
        )
        return UploadAnswer.of(link)

    @router.post(
        "/runs",
        summary="Create a run of an upload",
        status_code=status.HTTP_201_CREATED,
        responses=errors_for(401, 409),
    )
    def complete(me: Me, body: RunRequest, response: Response) -> RunAnswer:
        """Create a run of an uploaded file and analyse it. Uses the newest version of the file, or
        `versionId`.
        """
        run = service.complete(
            me.user_id,
            body.environment,
            body.filename,
            version_id=body.version_id,
            provenance=body.provenance(),
        )
        if body.analyze:
            service.analyze_later(run)
        response.headers["Location"] = f"/{NAME}/runs/{run.run_id}"
        return RunAnswer.of(run)

    _ = presign, complete


def _add_lists(router: APIRouter, service: AppLens) -> None:
    @router.get("/runs", summary="List your runs", responses=errors_for(401))
    def list_runs(
        me: Me, environment: Wanted = None, cursor: Cursor = None, limit: Limit = 50
    ) -> Page[RunAnswer]:
        """Your runs, newest first, page by page. Includes status and counts; graphs are not
        read.
        """
        return Page[RunAnswer].of(
            service.runs(me.user_id, environment, cursor=cursor, size=limit), RunAnswer.of
        )

    @router.get("/runs/latest", summary="Get your newest run", responses=FOUND)
    def latest_run(me: Me, environment: Wanted = None) -> RunAnswer:
        """Your newest run."""
        return RunAnswer.of(service.latest(me.user_id, environment))

    @router.get("/compare", summary="Compare two runs", responses=READY)
    def compare(me: Me, before: RunQuery, after: RunQuery) -> ComparisonAnswer:
        """What changed from one run to another: by the hash, then nodes, edges, findings and paths
        to data.
        """
        return ComparisonAnswer.of(service.compare(me.user_id, before, after))

    _ = list_runs, latest_run, compare


def _add_run(router: APIRouter, service: AppLens) -> None:
    @router.get("/runs/{run_id}", summary="Get a run", responses=FOUND)
    def get_run(me: Me, run_id: RunId) -> RunAnswer:
        """One run, by its id alone."""
        return RunAnswer.of(service.get(me.user_id, run_id))

    @router.post(
        "/runs/{run_id}/analysis",
        summary="Analyse a run",
        status_code=status.HTTP_202_ACCEPTED,
        responses=FOUND,
    )
    def analyze(me: Me, run_id: RunId) -> ProgressAnswer:
        """Analyse a run that was created without analysis. Calling it twice is fine. A run that has
        ended does not change.
        """
        service.analyze(me.user_id, run_id)
        return ProgressAnswer.of(service.progress(me.user_id, run_id))

    @router.get(
        "/runs/{run_id}/progress", summary="Get the progress of an analysis", responses=FOUND
    )
    def progress(me: Me, run_id: RunId) -> ProgressAnswer:
        """The progress of the analysis: building, parsed, analysing, storing."""
        return ProgressAnswer.of(service.progress(me.user_id, run_id))

    _ = get_run, analyze, progress


def _add_artifacts(router: APIRouter, service: AppLens) -> None:
    @router.get(
        "/runs/{run_id}/artifacts", summary="Get links to the files of a run", responses=FOUND
    )
    def artifacts(me: Me, run_id: RunId) -> ArtifactsAnswer:
        """Links to the upload, the graph and the report of a run. They expire after some
        minutes.
        """
        return ArtifactsAnswer.of(service.artifacts(me.user_id, run_id))

    @router.get(
        "/runs/{run_id}/graph",
        summary="Get the graph of a run",
        responses={**READY, 200: {"model": GraphAnswer}},
        response_class=Response,
    )
    def graph(me: Me, run_id: RunId) -> Response:
        """The canonical JSON of the graph, byte for byte: its SHA-256 is the run's `graphHash`."""
        return Response(service.graph(me.user_id, run_id), media_type="application/json")

    @router.get(
        "/runs/{run_id}/report",
        summary="Get the risk report of a run",
        responses={**READY, 200: {"model": ReportAnswer}},
        response_class=Response,
    )
    def report(me: Me, run_id: RunId) -> Response:
        """The risk report: score with its reasons, findings, paths from the internet to data, and
        what was left out.
        """
        return Response(service.report(me.user_id, run_id), media_type="application/json")

    _ = artifacts, graph, report


def _add_findings(router: APIRouter, service: AppLens) -> None:
    @router.get(
        "/runs/{run_id}/sarif",
        summary="Get the findings as SARIF",
        responses=READY,
        response_class=SarifResponse,
    )
    def sarif(me: Me, run_id: RunId) -> dict[str, Any]:
        """The findings as SARIF 2.1.0, for code hosts and editors."""
        return service.sarif(me.user_id, run_id)

    @router.get(
        "/runs/{run_id}/inventory", summary="Search the resources of a run", responses=READY
    )
    def inventory(
        me: Me,
        run_id: RunId,
        search: Annotated[
            str, Query(max_length=200, examples=["type:s3 exposed:true orders"])
        ] = "",
        cursor: Cursor = None,
        limit: Limit = 100,
    ) -> Page[InventoryRow]:
        """The resources that match every word of a search, each with its number of findings.

        `type:`, `address:`, `label:`, `provider:`, `surface:`, `exposed:`, `datastore:` and `mode:`
        search one field.
        """
        rows = service.inventory(me.user_id, run_id, search)
        rest = [row for row in rows if cursor is None or row["id"] > cursor]
        page = [InventoryRow.model_validate(row) for row in rest[:limit]]
        return Page(items=page, cursor=page[-1].id if len(rest) > limit else None)

    _ = sarif, inventory
