"""Work that outlives its request: backups, restores, exports, imports. It is done in slices and
continues after a crash.

A job is a record of its kind and state. A slice changes the state in the same transaction as the
data.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine
    from sortkey.engine.tables import Table

KIND = "job"
IDLE_SECONDS = 1.0
SLICES_AT_ONCE = 4
"""How many slices the request itself does: a small table is done before the client polls."""

State = dict[str, Any]
Step = Callable[["Engine", State], bool]
"""Does a slice and changes the state. Returns whether the job is done."""

_MODULES = {
    "backup": "sortkey.engine.backups",
    "restore": "sortkey.engine.restores",
    "export": "sortkey.engine.exports",
    "import": "sortkey.engine.imports",
}


def start(engine: Engine, kind: str, state: State) -> None:
    """Start a job. A small one is done right here."""
    engine.database.begin()
    id = f"{engine.records.next_number(KIND):012d}"
    for _ in range(SLICES_AT_ONCE):
        if _step(kind)(engine, state):
            return
    engine.records.put(KIND, id, {"kind": kind, "state": state})
    engine.background.wake(work)


def holding(source: int, cut: int) -> State:
    """The part of a state that keeps this table, and its journal after `cut`, until the job is
    done.
    """
    return {"source": source, "cut": cut}


def running(engine: Engine, kind: str | None = None) -> list[State]:
    """The states of the running jobs."""
    return [
        job["state"] for _, job in engine.records.all(KIND) if kind is None or job["kind"] == kind
    ]


def work(engine: Engine) -> float:
    """Do a slice of every job."""
    jobs = engine.records.all(KIND)
    for id, job in jobs:
        engine.database.begin()
        if _step(job["kind"])(engine, job["state"]):
            engine.records.delete(KIND, id)
        else:
            engine.records.put(KIND, id, job)
    return 0.0 if jobs else IDLE_SECONDS


def finish(engine: Engine, table: Table) -> None:
    """Finish the jobs that need a table, because it is about to be deleted."""
    for id, job in engine.records.all(KIND):
        if job["state"].get("source") == table.number:
            engine.database.begin()
            while not _step(job["kind"])(engine, job["state"]):
                pass
            engine.records.delete(KIND, id)


def _step(kind: str) -> Step:
    return import_module(_MODULES[kind]).step
