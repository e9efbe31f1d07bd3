"""AppLens: uploads, runs and their results. Every method takes the user first and sees only that
user's data.

Analyses are jobs, see `analysis_job.py`. Workers run them.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from sortkey import Job, JobQueue, JobWorker, Page, Payload, Store
from sortkey.errors import AlreadyExists, NotFound, ObjectNotFound
from sortkey.systems import Resources
from sortkey_systems.applens import comparison, inventory, sarif, uploads
from sortkey_systems.applens.analysis_job import QUEUE, analyze_run, arguments_of, fail
from sortkey_systems.applens.model import BUCKET, Environment, Run, Text, latest_run, model
from sortkey_systems.applens.refusals import NotComplete, NotUploaded
from sortkey_systems.applens.report import Report


def make_service(resources: Resources) -> AppLens:
    """AppLens on the resources of a host."""
    service = AppLens(resources.store)
    service.ensure()
    return service


def make_workers(service: AppLens) -> list[JobWorker]:
    """The workers that analyse uploads in the background."""
    return [service.worker(threads=2)]


ID_BYTES = (3, 3, 3, 4, 6, 8)
"""Bytes of a run's id, attempt by attempt: six hexadecimal digits as in the document, longer if
these are taken.
"""
LINK_SECONDS = 900


class Provenance(BaseModel):
    """Where an upload came from. Unknown values are left out."""

    iac_commit_sha: Text | None = None
    terraform_workspace: Text | None = None
    account_id: Text | None = None
    region: Text | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run: its status, the step of the analysis, and the percentage done."""

    run_id: str
    status: str
    percent: int
    step: str | None = None
    attempt: int = 0
    last_error: str | None = None


@dataclass(frozen=True, slots=True)
class Artifacts:
    """Links to the files of a run, valid for some minutes. None for missing ones."""

    iac: str | None
    graph: str | None
    report: str | None
    expires_seconds: int = LINK_SECONDS


class AppLens:
    """The service. `entropy` makes the ids of runs: a number of random bytes as hexadecimal
    digits.
    """

    def __init__(
        self,
        store: Store,
        queue: JobQueue | None = None,
        *,
        entropy: Callable[[int], str] = secrets.token_hex,
    ) -> None:
        self.store, self.queue = store, queue or JobQueue(store, QUEUE)
        self._entropy = entropy

    def ensure(self) -> list[str]:
        """Create missing tables. Returns the differences to the model."""
        return [*self.store.ensure(model), *self.queue.ensure()]

    def worker(self, **settings: Any) -> JobWorker:
        """A worker that runs the analyses: `with service.worker(): …`. Settings are those of
        JobWorker.
        """
        return JobWorker(self.store, [analyze_run], queue=self.queue.name, **settings)

    # -- from a file to a run

    def presign(
        self,
        user_id: str,
        environment: Environment,
        filename: str,
        size: int,
        content_type: str | None = None,
    ) -> uploads.UploadLink:
        """A link to upload one file of this size and type. Raises UploadRefused."""
        bucket, now = self.store.payloads.bucket(BUCKET), datetime.now(UTC)
        return uploads.link(bucket, user_id, environment, filename, size, content_type, now)

    def complete(
        self,
        user_id: str,
        environment: Environment,
        filename: str,
        *,
        version_id: str | None = None,
        provenance: Provenance | None = None,
        created_at: datetime | None = None,
    ) -> Run:
        """Create the run of an uploaded file: UPLOADED. Raises NotUploaded. Uses the newest version
        by default.

        `created_at` is for runs older than their item, such as samples and imports.
        """
        key = uploads.key_of(user_id, environment, filename)
        try:
            uploaded = self.store.payloads.bucket(BUCKET).head(key, version_id)
        except ObjectNotFound:
            raise NotUploaded(
                f"{filename} was not sent yet: ask for a link, and PUT the file there first"
            ) from None
        uploads.check_size(filename, uploaded.size)
        attributes = {} if provenance is None else provenance.model_dump()
        return self._created(
            user_id=user_id,
            environment=environment,
            iac=Payload.at(uploaded),
            created_at=created_at,
            **attributes,
        )

    def upload(
        self,
        user_id: str,
        environment: Environment,
        filename: str,
        data: bytes,
        provenance: Provenance | None = None,
        *,
        created_at: datetime | None = None,
    ) -> Run:
        """Upload and create a run in one step, for programs that have the file."""
        key = uploads.key_of(user_id, environment, filename)
        uploads.check_size(filename, len(data))
        stored = self.store.payloads.bucket(BUCKET).put(
            key, data, content_type=uploads.type_of(filename, None)
        )
        return self.complete(
            user_id,
            environment,
            filename,
            version_id=stored.version_id,
            provenance=provenance,
            created_at=created_at,
        )

    def analyze(self, user_id: str, run_id: str) -> Job:
        """Analyse a run. Calling it twice is fine: a run has one job."""
        return self.analyze_later(self.get(user_id, run_id))

    def analyze_later(self, run: Run) -> Job:
        """Analyse a run that was already read."""
        return self.queue.enqueue(analyze_run, arguments_of(run), idempotency_key=run.run_id)

    def _created(self, **values: Any) -> Run:
        for run_id in self._ids():
            if self.store.first(Run.by_id(run_id=run_id)) is not None:
                continue  # written by a program that does not write guard items
            try:
                return self.store.create(Run(run_id=run_id, **values))
            except AlreadyExists:
                continue
        raise AlreadyExists(f"no id for a run was free in {len(ID_BYTES)} tries: try again")

    def _ids(self) -> Iterator[str]:
        yield from (self._entropy(size) for size in ID_BYTES)

    # -- runs

    def runs(
        self,
        user_id: str,
        environment: Environment | None = None,
        *,
        cursor: str | None = None,
        size: int = 50,
    ) -> Page[Run]:
        """The runs of a user, newest first, optionally of one environment. Reads items only."""
        query = (
            Run.of_user(user_id=user_id)
            if environment is None
            else Run.of_environment(user_id=user_id, environment=environment)
        )
        page = self.store.page(query.descending(), cursor=cursor, size=size)
        return Page([self._settled(run) for run in page.items], page.cursor)

    def latest(self, user_id: str, environment: Environment | None = None) -> Run:
        """The newest run: reads one item. Raises NotFound."""
        query = latest_run(user_id)
        if environment is not None:
            query = (
                Run.of_environment(user_id=user_id, environment=environment).descending().limit(1)
            )
        run = self.store.first(query)
        if run is None:
            raise NotFound("there is no run yet: upload a file first")
        return self._settled(run)

    def get(self, user_id: str, run_id: str) -> Run:
        """One run of the user. Raises NotFound, also for another user's run."""
        run = self.store.first(Run.by_id(run_id=run_id, user_id=user_id))
        if run is None:
            raise NotFound(f"there is no run {run_id}")
        return self._settled(run)

    def progress(self, user_id: str, run_id: str) -> Progress:
        """The progress of a run."""
        run = self.get(user_id, run_id)
        if run.status in ("COMPLETE", "FAILED") or run.job_id is None:
            percent = 100 if run.status in ("COMPLETE", "FAILED") else 0
            return Progress(run_id, run.status, percent, last_error=run.last_error)
        job = self.queue.get(run.job_id)
        return Progress(run_id, run.status, job.progress, job.progress_text, job.attempt, job.error)

    def _settled(self, run: Run) -> Run:
        """Mark a run as FAILED whose job ended without it, because it was cancelled between two
        attempts.
        """
        if run.status != "PROCESSING" or run.job_id is None:
            return run
        job = self.queue.store.find(Job.key(job_id=run.job_id), consistent=True)
        if job is not None and not job.is_ended:
            return run
        return fail(self.store, run, (job and job.error) or "the job of the analysis was removed")

    # -- what became of them

    def artifacts(self, user_id: str, run_id: str) -> Artifacts:
        """Links to upload, graph and report of a run, each to the version that the run recorded."""
        run = self.get(user_id, run_id)
        return Artifacts(self._link(run.iac), self._link(run.graph), self._link(run.report))

    def _link(self, payload: Payload[bytes] | None) -> str | None:
        if payload is None or payload.key is None:
            return None
        bucket = self.store.payloads.bucket(BUCKET)
        return bucket.presign_get(payload.key, version_id=payload.version_id, seconds=LINK_SECONDS)

    def graph(self, user_id: str, run_id: str) -> bytes:
        """The canonical JSON of a run's graph as stored. Raises NotComplete."""
        return self._artifact(self.get(user_id, run_id), "graph")

    def report(self, user_id: str, run_id: str) -> bytes:
        """The JSON of a run's risk report. Raises NotComplete."""
        return self._artifact(self.get(user_id, run_id), "report")

    def sarif(self, user_id: str, run_id: str) -> dict[str, Any]:
        """The findings of a run for code hosts and editors."""
        from sortkey import __version__

        return sarif.to_sarif(
            Report.from_json(json.loads(self.report(user_id, run_id))), __version__
        )

    def inventory(self, user_id: str, run_id: str, search: str = "") -> list[dict[str, Any]]:
        """The resources of a run that match a search, each with its number of findings."""
        run = self.get(user_id, run_id)
        graph, report = (json.loads(self._artifact(run, name)) for name in ("graph", "report"))
        return inventory.inventory(graph, report, search)

    def compare(self, user_id: str, before: str, after: str) -> comparison.Comparison:
        """What changed from one run to another. If the hashes are equal, the graphs are not
        read.
        """
        runs = [self.get(user_id, run_id) for run_id in (before, after)]
        reports = [json.loads(self._artifact(run, "report")) for run in runs]
        graphs = [comparison.NOTHING, comparison.NOTHING]
        if runs[0].graph_hash != runs[1].graph_hash:
            graphs = [json.loads(self._artifact(run, "graph")) for run in runs]
        return comparison.compare(graphs[0], reports[0], graphs[1], reports[1])

    def _artifact(self, run: Run, name: str) -> bytes:
        payload: Payload[bytes] | None = getattr(run, name)
        if payload is None:
            why = f": {run.last_error}" if run.last_error else ""
            raise NotComplete(
                f"run {run.run_id} has no {name}, it is {run.status}{why}", status=run.status
            )
        return self.store.load(payload)
