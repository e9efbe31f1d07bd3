"""`kill -9` of workers in the middle of an analysis: every run ends, once, and shows nothing that
is not whole.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from bench.applens import terraform
from sortkey_systems.applens.model import Run, model
from sortkey_systems.applens.service import AppLens
from tests.faults.applens_worker import opened
from tests.faults.served import Served

USER = "12345"
RESOURCES = 300
SECONDS_MAX = 60.0

pytestmark = pytest.mark.slow


class Workers:
    """Processes that analyse, forked from one program; at most one at a time."""

    def __init__(self, *arguments: str) -> None:
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.applens_worker", *arguments],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._pid: int | None = None

    def start(self) -> None:
        assert self._program.stdin
        assert self._program.stdout
        self._program.stdin.write(b"\n")
        self._program.stdin.flush()
        self._pid = int(self._program.stdout.readline())

    def kill(self) -> None:
        if self._pid is not None:
            os.kill(self._pid, signal.SIGKILL)
        self._pid = None

    def end(self) -> None:
        self.kill()
        self._program.communicate()


@contextmanager
def at_work(folder: Path) -> Iterator[tuple[AppLens, Workers]]:
    objects = str(folder / "buckets" / "{bucket}")
    with Served(folder / "data", "--own-tables") as server:
        address = f"http://127.0.0.1:{server.port}"
        service, workers = opened(address, objects), Workers(address, objects)
        try:
            service.ensure()
            yield service, workers
        finally:
            workers.end()
            service.store.close()


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS_MAX
    while not holds():
        assert time.monotonic() < end, "nothing happens any more"
        time.sleep(0.005)


def begun(service: AppLens) -> int:
    """How many tries have been begun."""
    runs = service.runs(USER).items
    return sum(service.queue.get(run.job_id).attempt for run in runs if run.job_id is not None)


def has_ended(service: AppLens) -> bool:
    """On a quick machine all are done before the last kill."""
    return all(run.status in ("COMPLETE", "FAILED") for run in service.runs(USER).items)


def check(service: AppLens, run: Run) -> None:
    """A run that is complete shows one whole graph; one that failed says that its workers died."""
    if run.status == "FAILED":
        assert run.last_error is not None
        assert run.last_error == "its worker died twice while running it"
        return
    assert run.status == "COMPLETE"
    graph = service.graph(USER, run.run_id)
    assert run.graph_hash == f"sha256:{sha256(graph).hexdigest()}"
    assert len(json.loads(graph)["nodes"]) == run.node_count == RESOURCES
    assert json.loads(service.report(USER, run.run_id))["graphHash"] == run.graph_hash


def test_every_run_ends_whenever_its_worker_is_killed(tmp_path: Path) -> None:
    # A user waits for each of them; and what is shown must be whole, however the worker that made
    # it died.
    chance = random.Random(5)
    with at_work(tmp_path) as (service, workers):
        runs = [service.upload(USER, "prod", f"{n}.tf", terraform(RESOURCES)) for n in range(6)]
        for run in runs:
            service.analyze(USER, run.run_id)
        for _ in range(8):
            before = begun(service)
            workers.start()
            wait_until(lambda before=before: begun(service) > before or has_ended(service))
            time.sleep(chance.random() * 0.3)  # anywhere in an analysis
            workers.kill()
        workers.start()
        ids = [run.run_id for run in runs]
        wait_until(
            lambda: all(service.get(USER, each).status in ("COMPLETE", "FAILED") for each in ids)
        )
        ended = [service.get(USER, each) for each in ids]
        for run in ended:
            check(service, run)
        assert any(run.status == "COMPLETE" for run in ended)
        assert service.store.verify(model) == []


def test_a_file_that_killed_two_workers_has_failed_and_is_given_to_no_third(tmp_path: Path) -> None:
    # As one would that needs more memory than there is.
    with at_work(tmp_path) as (service, workers):
        run = service.upload(USER, "prod", "main.tf", terraform(3000))
        job = service.analyze(USER, run.run_id)
        for number in (1, 2):
            workers.start()
            wait_until(lambda number=number: service.queue.get(job.job_id).attempt == number)
            wait_until(lambda: service.get(USER, run.run_id).status == "PROCESSING")
            workers.kill()
        workers.start()
        wait_until(lambda: service.get(USER, run.run_id).status == "FAILED")
        check(service, service.get(USER, run.run_id))
        assert service.queue.get(job.job_id).is_dead_letter
