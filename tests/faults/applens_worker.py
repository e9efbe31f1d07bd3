"""Workers of AppLens that can be killed at any moment: for each line on its input it forks one, and prints its id."""

from __future__ import annotations

import os
import signal
import sys

import sortkey
from sortkey_systems.applens.service import AppLens

LEASE_SECONDS = 0.5


def opened(address: str, objects: str) -> AppLens:
    return AppLens(sortkey.open(address, objects=objects))


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead are not waited for
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            service = opened(*sys.argv[1:3])
            service.worker(lease_seconds=LEASE_SECONDS, poll_seconds=0.02, threads=1).start()
            signal.pause()
        print(pid, flush=True)


if __name__ == "__main__":
    main()
