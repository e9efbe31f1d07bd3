"""Workers that share one folder, and can be killed at any moment: whoever owns the folder lets the
others in.

A program of its own: for each line on its input it forks a worker and prints its process id.
"""

from __future__ import annotations

import sys
import time

from sortkey import JobWorker
from sortkey.commands import shared_store
from sortkey.errors import FolderInUse
from tests.faults.forks import fork_workers
from tests.faults.job_worker import LEASE_SECONDS, QUEUE, journey

_open: list[object] = []
"""What must not be closed as long as the process lives."""


def work(folder: str) -> None:
    while True:
        sharing = shared_store(folder)
        try:
            store = sharing.__enter__()
        except (
            FolderInUse
        ):  # by one that does not let others in yet, or was killed and is not quite gone
            time.sleep(0.002)
            continue
        worker = JobWorker(
            store, [journey], queue=QUEUE, lease_seconds=LEASE_SECONDS, poll_seconds=0.02, threads=2
        )
        _open.extend((sharing, worker.start()))
        return


if __name__ == "__main__":
    fork_workers(work, sys.argv[1])
