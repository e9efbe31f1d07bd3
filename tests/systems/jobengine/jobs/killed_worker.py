"""Workers of the job engine that can be killed at any moment.

A program of its own: for each line on its input it forks a worker and prints its process id, so
that each is spared the second of imports.
"""

from __future__ import annotations

import sys
from pathlib import Path

import sortkey
from sortkey import JobQueue, Store
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.jobs import QUEUE, Executions
from tests.faults.forks import fork_workers

LEASE_SECONDS = 0.4
BATCH_ROWS = 10


def executions(store: Store, folder: Path, worker_deaths_max: int = 1000) -> Executions:
    """On a store, with buckets in a folder. Its jobs survive as many kills as the tests like."""
    queue = JobQueue(store, QUEUE, worker_deaths_max=worker_deaths_max)
    buckets = Buckets.open(str(folder / "buckets" / "{bucket}"))
    return Executions(store, buckets, queue, batch_rows=BATCH_ROWS)


def work(address: str, folder: Path) -> None:
    worker = executions(sortkey.open(address), folder).worker(
        threads=2, lease_seconds=LEASE_SECONDS, poll_seconds=0.02
    )
    worker.start()


if __name__ == "__main__":
    fork_workers(work, sys.argv[1], Path(sys.argv[2]))
