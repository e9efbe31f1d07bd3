"""Workers of the job engine that can be killed at any moment.

A program of its own: for each line on its input it forks a worker and prints its process id, so that each is spared
the second of imports.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import sortkey
from sortkey import Store
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.execution import Executions

LEASE_SECONDS = 0.4
BATCH_ROWS = 10


def executions(store: Store, folder: Path, crashes_max: int = 1000) -> Executions:
    """On a store, with buckets in a folder."""
    buckets = Buckets.open(str(folder / "buckets" / "{bucket}"))
    return Executions(store, buckets, batch_rows=BATCH_ROWS, crashes_max=crashes_max)


def work(address: str, folder: Path) -> None:
    """Until the end, which is a kill."""
    worker = executions(sortkey.open(address), folder).worker(threads=2, lease_seconds=LEASE_SECONDS, poll_seconds=0.02)
    worker.start()
    signal.pause()


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead are not waited for
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            work(sys.argv[1], Path(sys.argv[2]))
        print(pid, flush=True)


if __name__ == "__main__":
    main()
