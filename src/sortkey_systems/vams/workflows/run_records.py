"""The records of runs. A run, the job that carries it on and the lock of its file change together.

The lock keeps a workflow from running twice at a time on one file. It is a row among the auth
entities, under a hash, because keys of files may be too long for a key of a table.
"""

from __future__ import annotations

import hashlib
import secrets
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from sortkey import Condition, Delete, ItemKey, Job, JobQueue, Put, Store, attr
from sortkey.errors import TransactionFailed
from sortkey_systems.vams.model import AuthEntity, WorkflowExecution
from sortkey_systems.vams.workflows.run_changes import is_underway

LOCK = "workflowLock"
TRIES = 10
"""Of a change that meets others."""

Decide = Callable[[WorkflowExecution], WorkflowExecution | None]
NextJob = Callable[[WorkflowExecution], Put[Job]]


class AlreadyRunning(Exception):
    """The workflow runs on this file now."""

    def __init__(self, execution_id: str) -> None:
        super().__init__(execution_id)
        self.execution_id = execution_id


class AlreadyStarted(Exception):
    """There is a run with this id."""


def lock_key(run: WorkflowExecution) -> ItemKey[AuthEntity]:
    """The key of the lock that a run holds."""
    parts = (
        run.database_id,
        run.asset_id,
        run.workflow_database_id,
        run.workflow_id,
        run.input_asset_file_key or "",
    )
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return AuthEntity.key(entity_type=LOCK, sk=digest)


def new_execution_id(at: datetime, seed: str | None = None) -> str:
    """A UUID that begins with the instant, so that runs are in the order of time. The same instant
    and seed give the same id.
    """
    rest = hashlib.sha256(seed.encode()).digest() if seed is not None else secrets.token_bytes(10)
    head = int(at.timestamp() * 1000).to_bytes(6, "big")
    return str(uuid.UUID(bytes=head + rest[:10]))


class RunRecords:
    """Reads and changes runs."""

    def __init__(self, store: Store, queue: JobQueue) -> None:
        self._store, self._queue = store, queue

    def find(self, database_id: str, asset_id: str, execution_id: str) -> WorkflowExecution | None:
        """A run, as it is stored now."""
        return self._store.find(_key(database_id, asset_id, execution_id), consistent=True)

    def of_asset(self, database_id: str, asset_id: str) -> Iterator[WorkflowExecution]:
        """Every run on an asset."""
        query = WorkflowExecution.of_asset(database_id=database_id, asset_id=asset_id)
        return self._store.iterate(query.consistent())

    def create(self, run: WorkflowExecution, job: Put[Job]) -> WorkflowExecution:
        """Store a new run with its first job. Raises AlreadyRunning, and AlreadyStarted."""
        run = run.changed(job_id=job.entity.job_id, mark=secrets.token_hex(8))
        key = lock_key(run)
        lock = AuthEntity(
            entity_type=LOCK, sk=_sk(key), definition={"executionId": run.execution_id}
        )
        try:
            self._store.transact(Put(lock, "create"), Put(run, "create"), job)
        except TransactionFailed:
            if self.find(run.database_id, run.asset_id, run.execution_id) is not None:
                raise AlreadyStarted from None
            raise AlreadyRunning(self._holder(key)) from None
        self._queue.notify(job.entity)
        return run

    def change(
        self,
        place: tuple[str, str, str],
        decide: Decide,
        next_job: NextJob | None = None,
    ) -> WorkflowExecution | None:
        """Change a run as `decide` says. None if it is gone, or if `decide` leaves it as it is."""
        for _ in range(TRIES):
            run = self.find(*place)
            changed = decide(run) if run is not None else None
            if run is None or changed is None:
                return None
            job = next_job(changed) if next_job is not None and is_underway(changed) else None
            if job is not None:
                changed = changed.changed(job_id=job.entity.job_id)
            changed = changed.changed(mark=secrets.token_hex(8))
            writes: list[Put[Any] | Delete[Any]] = [Put(changed, when=_is_unchanged(run))]
            if job is not None:
                writes.append(job)
            if not is_underway(changed):
                writes.append(Delete(lock_key(run)))
            try:
                self._store.transact(*writes)
            except TransactionFailed:
                continue
            if job is not None:
                self._queue.notify(job.entity)
            return changed
        raise TransactionFailed(f"the run {place[2]} changes too fast: try again", [])

    def release(self, run: WorkflowExecution) -> None:
        """Delete the lock that a run left behind."""
        self._store.delete(lock_key(run))

    def delete(self, run: WorkflowExecution) -> None:
        """Delete a run, with the lock it may hold."""
        key = _key(run.database_id, run.asset_id, run.execution_id)
        writes: list[Put[Any] | Delete[Any]] = [Delete(key)]
        if is_underway(run):
            writes.append(Delete(lock_key(run)))
        self._store.transact(*writes)

    def _holder(self, key: ItemKey[AuthEntity]) -> str:
        lock = self._store.find(key, consistent=True)
        return str((lock.definition or {}).get("executionId", "")) if lock else ""


def place_of_run(run: WorkflowExecution) -> tuple[str, str, str]:
    """What names a run."""
    return run.database_id, run.asset_id, run.execution_id


def _key(database_id: str, asset_id: str, execution_id: str) -> ItemKey[WorkflowExecution]:
    return WorkflowExecution.key(
        database_id=database_id, asset_id=asset_id, execution_id=execution_id
    )


def _sk(key: ItemKey[AuthEntity]) -> str:
    return key.item["sk"]["S"]


def _is_unchanged(run: WorkflowExecution) -> Condition:
    mark = attr(WorkflowExecution.mark)
    return mark.missing() if run.mark is None else mark == run.mark
