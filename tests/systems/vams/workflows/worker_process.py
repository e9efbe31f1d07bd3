"""A program that opens a data folder and runs one job of the workflows: to be killed."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.systems.vams.host import hosted

LEASE_SECONDS = 2.0


def main(folder: str) -> None:
    with hosted(Path(folder)) as requests:
        requests.service.workflow_worker(lease_seconds=LEASE_SECONDS).run_once()


if __name__ == "__main__":
    main(sys.argv[1])
