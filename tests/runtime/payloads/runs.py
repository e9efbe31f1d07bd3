"""Entities with payloads, in the forms that the systems' documents have them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel

from sortkey import (
    Created,
    Entity,
    EpochSeconds,
    InstantSeconds,
    KeyOnly,
    Model,
    Named,
    Payload,
    States,
    StoredIn,
    Table,
    Version,
    camel,
    key,
)

model = Model("runs")
runs = model.add(
    Table("graph-runs", key=("PK", "SK"), ttl="expiresAt", stream="NEW_AND_OLD_IMAGES", pitr=False)
)
reports = model.add(Table("reports", key=("PK", "SK"), pitr=False))
assets = model.add(Table("assets", key=("databaseId", "assetId"), pitr=False))

Graph = dict[str, Any]
STATES = States({"UPLOADED": ["COMPLETE", "FAILED"]}, start=["UPLOADED"])


class Run(Entity, table=runs, names=camel, unique=["run_id"]):
    """A run whose artifacts lie under the literal keys of its document. The key holds the instant
    of creation.
    """

    user_id: KeyOnly[str]
    run_id: str
    status: Annotated[Literal["UPLOADED", "COMPLETE", "FAILED"], STATES] = "UPLOADED"
    environment: Literal["dev", "prod"] = "prod"
    created_at: Annotated[InstantSeconds | None, Created] = None
    expires_at: EpochSeconds | None = None
    node_count: int | None = None
    graph: Annotated[
        Payload[Graph] | None,
        StoredIn("artifacts", "graphs/{environment}/{userId}/{runId}/graph.json", once=True),
        Named("graphS3Key"),
    ] = None
    iac: Annotated[
        Payload[bytes] | None,
        StoredIn(
            "artifacts", "uploads/{environment}/{userId}/{filename}", parameters=("filename",)
        ),
        Named("iacS3Key"),
    ] = None

    @key("USER#{userId}", "RUN#{createdAt}#{runId}")
    def key(*, user_id: str, created_at: InstantSeconds, run_id: str):
        """One run."""


class Summary(BaseModel):
    """A payload of a type of its own."""

    title: str
    rows: list[int] = []


class Report(Entity, table=reports, kind="JobReport", envelope="Data", names=camel):
    """A report whose pointer is a URI, in an envelope, and which stays in the item while it is
    small.
    """

    job_id: str
    report_id: str
    version: Annotated[int, Version] = 0
    content: Annotated[
        Payload[Summary] | None,
        StoredIn("job-reports", "jobs/{jobId}/reports/{reportId}.json", uri=True, inline_below=200),
        Named("s3Location"),
    ] = None

    @key("JOB#{jobId}", "REPORT#{reportId}")
    def key(*, job_id: str, report_id: str):
        """One report."""


class Asset(Entity, table=assets, names=camel, archive="#deleted"):
    """An asset that can be archived, with a preview that can be replaced."""

    database_id: str
    asset_id: str
    description: str | None = None
    note: Annotated[
        Payload[str] | None,
        StoredIn("artifacts", "{databaseId}/{assetId}/note.txt"),
        Named("note_key"),
    ] = None

    @key("{databaseId}", "{assetId}")
    def key(*, database_id: str, asset_id: str):
        """One asset."""


def run(run_id: str = "c8a91e", **values: Any) -> Run:
    return Run(user_id="12345", run_id=run_id, **values)
