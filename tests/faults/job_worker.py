"""Workers that can be killed at any moment, and record each acknowledgement before they go on.

A program of its own: for each line on its input it forks a worker and prints its process id.
Forking spares each of them the half second of imports, so that many can be killed in little time.
"""

from __future__ import annotations

import json
import os
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import sortkey
from sortkey import Backoff, JobContext, JobWorker, Store, job
from sortkey.errors import FolderInUse
from tests.faults.forks import fork_workers

STEPS = 3
LINES = 10
LOOPS = 6
LEASE_SECONDS = 0.4
QUEUE = "killed"


def noted(side: Path, **what: Any) -> None:
    """One line in a file, in one write: it is there when the process is killed right after."""
    file = os.open(side, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
    try:
        os.write(file, json.dumps(what).encode() + b"\n")
    finally:
        os.close(file)


@job("journey", retries=1000, backoff=Backoff(first_seconds=0.001), timeout=600)
def journey(ctx: JobContext, side: str) -> dict[str, Any]:
    """Steps with a log, then a loop with checkpoints. Everything that was acknowledged is noted."""
    file, me = Path(side), {"job": ctx.job.job_id, "attempt": ctx.attempt}
    noted(file, kind="began", **me)

    def step(name: str) -> str:
        for n in range(LINES):
            message = f"{name} line {n}"
            ctx.log("INFO", message, n=n)
            noted(file, kind="line", **me, step=name, message=message)
        return uuid.uuid4().hex

    results: dict[str, str] = {}
    for number in range(STEPS):
        name = f"step-{number}"
        results[name] = ctx.step(name, step, name)
        noted(file, kind="step", **me, step=name, result=results[name])
        ctx.progress(10 * number)
    first = ctx.state or 0
    noted(file, kind="resumed", **me, state=first)
    for number in range(first, LOOPS):
        ctx.checkpoint(number + 1)
        noted(file, kind="checkpoint", **me, state=number + 1)
    return results


def opened(address: str) -> Store:
    """The store; a folder is free only when the process that was killed is really gone."""
    while True:
        try:
            return sortkey.open(address)
        except FolderInUse:
            time.sleep(0.002)


def work(address: str) -> None:
    store = opened(address)
    worker = JobWorker(
        store, [journey], queue=QUEUE, lease_seconds=LEASE_SECONDS, poll_seconds=0.02, threads=2
    )
    worker.start()


if __name__ == "__main__":
    fork_workers(work, sys.argv[1])
