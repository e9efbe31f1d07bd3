"""Workflows that begin by themselves when a file with one of their extensions arrives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sortkey import Backoff, JobContext, JobQueue, job
from sortkey.errors import ObjectNotFound
from sortkey_systems.vams.assets.places import RESERVED
from sortkey_systems.vams.changes import FilesArrived
from sortkey_systems.vams.failures import Failure
from sortkey_systems.vams.files.paths import PREVIEW
from sortkey_systems.vams.model import Workflow
from sortkey_systems.vams.workflows.executions import Busy
from sortkey_systems.vams.workflows.outputs import workflows_of
from sortkey_systems.vams.workflows.run_records import AlreadyStarted, new_execution_id
from sortkey_systems.vams.workflows.values import (
    ALL_EXTENSIONS,
    GLOBAL,
    StartValues,
    extensions_of,
)

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

CHAIN_MAX = 5
"""Workflows that begin by the outputs of others, one after the other."""
BUSY_RETRIES = 200


class AutoTrigger:
    """Begins workflows for files that have arrived, as SYSTEM_USER."""

    def __init__(self, service: Vams, queue: JobQueue) -> None:
        self._service, self._queue = service, queue
        # While the workflow still runs on an older content of the file, it has to wait.
        patience = Backoff(first_seconds=2, factor=1.5, max_seconds=300)
        declare = job(
            "vams.workflow-auto-start", timeout=300, retries=BUSY_RETRIES, backoff=patience
        )
        self.start_job = declare(self._start)

    def files_arrived(self, arrival: FilesArrived) -> None:
        """Begin what these files start: one job for each file and workflow."""
        asset = self._service.assets.find(arrival.database_id, arrival.asset_id)
        chain = workflows_of(arrival.origin)
        if asset is None or len(chain) >= CHAIN_MAX:
            return
        place = self._service.assets.place_of(asset)
        workflows = [
            each
            for each in self._automatic(arrival.database_id)
            if f"{each.database_id}/{each.workflow_id}" not in chain
        ]
        for path in arrival.relative_paths:
            if not can_start(path, place.key(path)):
                continue
            for workflow in workflows:
                if is_started_by(workflow, path):
                    self._enqueue(arrival, path, workflow, chain)

    def _automatic(self, database_id: str) -> Iterator[Workflow]:
        for owner in (database_id, GLOBAL):
            for workflow in self._service.workflows.of_database(owner):
                if workflow.auto_trigger_on_file_extensions_upload:
                    yield workflow

    def _enqueue(
        self, arrival: FilesArrived, path: str, workflow: Workflow, chain: tuple[str, ...]
    ) -> None:
        arguments = {
            "database_id": arrival.database_id,
            "asset_id": arrival.asset_id,
            "path": path,
            "workflow_database_id": workflow.database_id,
            "workflow_id": workflow.workflow_id,
            "after_workflows": list(chain),
        }
        parts = (arrival.change_id, path, workflow.database_id, workflow.workflow_id)
        same = "\0".join(parts) if arrival.change_id else None
        self._queue.enqueue(self.start_job, arguments, idempotency_key=same)

    def _start(
        self,
        context: JobContext,
        database_id: str,
        asset_id: str,
        path: str,
        workflow_database_id: str,
        workflow_id: str,
        after_workflows: list[str],
    ) -> None:
        """The job: begin one run. The same content of a file begins a workflow once."""
        service = self._service
        asset = service.assets.find(database_id, asset_id)
        if asset is None:
            return
        place = service.assets.place_of(asset)
        key = place.key(path)
        try:
            info = place.objects.head(key)
        except ObjectNotFound:
            return
        seed = f"{workflow_database_id}/{workflow_id}/{key}/{info.version_id}"
        wanted = StartValues(workflowDatabaseId=workflow_database_id, fileKey=key)
        try:
            service.executions.start(
                service.access.system_caller(),
                database_id,
                asset_id,
                workflow_id,
                wanted,
                execution_id=new_execution_id(info.modified_at, seed),
                after_workflows=tuple(after_workflows),
            )
        except (AlreadyStarted, Failure) as error:
            if isinstance(error, Busy):
                raise  # tried again later, for the newest content
            context.log("WARNING", f"{workflow_id} did not start on {path}: {error}")


def can_start(path: str, key: str) -> bool:
    """Whether a file may start workflows: not previews, nor what is in a reserved folder."""
    name, first = path.rpartition("/")[2], key.partition("/")[0]
    return PREVIEW not in name and first not in RESERVED


def is_started_by(workflow: Workflow, path: str) -> bool:
    """Whether a workflow begins for files with this name."""
    wanted = extensions_of(workflow.auto_trigger_on_file_extensions_upload)
    extension = path.rpartition("/")[2].rpartition(".")[2].lower()
    return ALL_EXTENSIONS in wanted or extension in wanted
