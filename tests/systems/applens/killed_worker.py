"""Workers of AppLens that can be killed at any moment: for each line on its input it forks one, and
prints its id.
"""

from __future__ import annotations

import sys

import sortkey
from sortkey_systems.applens.service import AppLens
from tests.faults.forks import fork_workers

LEASE_SECONDS = 0.5


def opened(address: str, objects: str) -> AppLens:
    return AppLens(sortkey.open(address, objects=objects))


def work(address: str, objects: str) -> None:
    opened(address, objects).worker(
        lease_seconds=LEASE_SECONDS, poll_seconds=0.02, threads=1
    ).start()


if __name__ == "__main__":
    fork_workers(work, *sys.argv[1:3])
