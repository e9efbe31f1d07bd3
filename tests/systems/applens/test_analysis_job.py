"""The analysis as a job: its steps are seen, it is tried again, and no run stays PROCESSING for
ever.
"""

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
from sortkey import ItemKey, JobQueue
from sortkey.errors import JobInterrupted
from sortkey_systems.applens.analysis import analyze_upload
from sortkey_systems.applens.analysis_job import QUEUE, TRIES_MAX
from sortkey_systems.applens.model import Run, model
from sortkey_systems.applens.service import AppLens
from tests.faults.served import Served
from tests.systems.applens.killed_worker import opened
from tests.systems.applens.uploading import SHOP, USER, analyzed
from tests.systems.homes import Home

RESOURCES = 300
SECONDS_MAX = 60.0


class Clock:
    """Tests do not sleep: time goes on when they say so."""

    def __init__(self, service: AppLens) -> None:
        import time

        self._real, self._added, self._service = time.time, 0.0, service

    def __call__(self) -> float:
        return self._real() + self._added

    def try_again(self, times: int = 1) -> None:
        """The next tries, each after its wait."""
        for _ in range(times):
            self._added += 400
            self._service.worker(clock=self).run_once()


def test_the_steps_of_an_analysis_are_reported() -> None:
    # Somebody waits, and wants to see that something happens.
    progress: list[tuple[str, str]] = []
    analyze_upload("main.tf", SHOP, lambda step, text: progress.append((step, text)))
    assert progress == [
        ("building", "main.tf"),
        ("parsed", "3 resources"),
        ("analysing", "3 nodes, 2 edges"),
    ]


def test_steps_are_the_jobs_progress_and_no_statuses(service: AppLens) -> None:
    # The statuses are those of the document; what is finer stands on the job.
    run = analyzed(service)
    assert run.job_id is not None
    assert [line.message for line in service.queue.logs(run.job_id)] == [
        "building",
        "parsed",
        "analysing",
    ]
    assert service.queue.get(run.job_id).progress_text == "storing"


def test_progress_of_a_run_at_each_stage(service: AppLens, home: Home) -> None:
    # Before, while and after it is analysed.
    run = service.upload(USER, "prod", "main.tf", SHOP)
    assert service.progress(USER, run.run_id).percent == 0
    job = service.analyze(USER, run.run_id)
    home.store.move(ItemKey.of_entity(run), Run.status, "PROCESSING", set={"job_id": job.job_id})
    seen = service.progress(USER, run.run_id)
    assert (seen.status, seen.percent, seen.attempt) == ("PROCESSING", 0, 0)
    service.worker().run_once()
    seen = service.progress(USER, run.run_id)
    assert (seen.status, seen.percent, seen.last_error) == ("COMPLETE", 100, None)


def test_a_run_is_analysed_once_however_often_it_is_asked_for(service: AppLens) -> None:
    # A client that got no answer asks again.
    run = service.upload(USER, "prod", "main.tf", SHOP)
    jobs = {service.analyze(USER, run.run_id).job_id for _ in range(3)}
    assert len(jobs) == 1
    worker = service.worker()
    done = worker.run_once()
    assert done is not None
    assert done.result == "COMPLETE"
    assert worker.run_once() is None


@pytest.mark.accepts("AL-11")
def test_AL_11_a_try_after_the_end_changes_nothing(service: AppLens, home: Home) -> None:
    # A worker that was killed after it wrote the end, and before it could say so.
    run = analyzed(service)
    service.queue.enqueue("applens.analyze", _arguments(service, run), idempotency_key="again")
    done = service.worker().run_once()
    assert done is not None
    assert done.result == "COMPLETE"
    assert service.get(USER, run.run_id) == run


def test_what_an_earlier_try_left_is_no_obstacle(service: AppLens, home: Home) -> None:
    # Killed after graph.json was stored and before the item showed it: the graph is written once
    # all the same.
    run = service.upload(USER, "prod", "main.tf", SHOP)
    job = service.analyze(USER, run.run_id)
    home.store.move(ItemKey.of_entity(run), Run.status, "PROCESSING", set={"job_id": job.job_id})
    item = run.to_item()
    owner = json.dumps(
        ["applens-graph-metadata", {name: item[name] for name in ("PK", "SK")}],
        separators=(",", ":"),
    )
    key = f"graphs/prod/{USER}/{run.run_id}/graph.json"
    home.objects["applens"].put(key, b"half", metadata={"sortkey-item": owner}, if_absent=True)
    service.worker().run_once()
    ended = service.get(USER, run.run_id)
    assert ended.status == "COMPLETE"
    assert len(json.loads(service.graph(USER, run.run_id))["nodes"]) == 3


def test_an_analysis_that_cannot_be_done_is_tried_some_times_and_fails(
    service: AppLens, home: Home
) -> None:
    # Here the upload is gone. The user sees an error, and the run does not stay PROCESSING.
    run = service.upload(USER, "prod", "main.tf", SHOP)
    service.analyze(USER, run.run_id)
    assert run.iac is not None
    assert run.iac.key is not None
    home.objects["applens"].delete(run.iac.key, run.iac.version_id)
    clock = Clock(service)
    clock.try_again(TRIES_MAX)
    assert service.get(USER, run.run_id).status == "PROCESSING"
    clock.try_again()
    failed = service.get(USER, run.run_id)
    assert failed.status == "FAILED"
    assert failed.last_error is not None
    assert failed.last_error.startswith("the analysis failed 3 times; last error: ObjectNotFound")


def test_a_job_that_was_cancelled_between_two_tries_ends_its_run(
    service: AppLens, home: Home
) -> None:
    # Nobody will ever go on with it: whoever looks at the run next sees that it has failed.
    run = service.upload(USER, "prod", "main.tf", SHOP)
    job = service.analyze(USER, run.run_id)
    assert run.iac is not None
    assert run.iac.key is not None
    home.objects["applens"].delete(run.iac.key, run.iac.version_id)
    Clock(service).try_again()
    service.queue.cancel(job.job_id)
    assert [each.status for each in service.runs(USER).items] == ["FAILED"]
    assert service.latest(USER) == service.get(USER, run.run_id)


def test_a_running_job_that_is_cancelled_ends_its_run(service: AppLens) -> None:
    # At the next step of the analysis.
    run = service.upload(USER, "prod", "main.tf", SHOP)
    job = service.analyze(USER, run.run_id)
    worker = service.worker()
    lease = worker._picker.next()  # pyright: ignore[reportPrivateUsage]  # taken, and not yet run
    assert lease is not None
    service.queue.cancel(job.job_id)
    ended = worker._run_here(lease)  # pyright: ignore[reportPrivateUsage]
    assert ended is not None
    failed = service.get(USER, run.run_id)
    assert (failed.status, failed.last_error) == ("FAILED", "the analysis was cancelled")


def test_workers_that_are_stopped_use_up_no_tries(service: AppLens) -> None:
    # A new version of the program is rolled out five times while somebody waits: that is nobody's
    # failure.
    run = service.upload(USER, "prod", "main.tf", SHOP)
    job = service.analyze(USER, run.run_id)
    for _ in range(TRIES_MAX + 2):
        worker = service.worker()
        lease = worker._picker.next()  # pyright: ignore[reportPrivateUsage]
        assert lease is not None
        running = worker._begun(lease)  # pyright: ignore[reportPrivateUsage]
        running.stop(JobInterrupted("the worker is being stopped"))
        worker._run(running)  # pyright: ignore[reportPrivateUsage]
    assert {each.outcome for each in JobQueue(service.store, QUEUE).attempts(job.job_id)} == {
        "released"
    }
    service.worker().run_once()
    assert service.get(USER, run.run_id).status == "COMPLETE"


def _arguments(service: AppLens, run: Run) -> dict[str, str]:
    assert run.job_id is not None
    return {name: str(value) for name, value in service.queue.get(run.job_id).arguments.items()}


# -- workers that are killed


class Workers:
    """Processes that analyse, forked from one program; at most one at a time."""

    def __init__(self, *arguments: str) -> None:
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.systems.applens.killed_worker", *arguments],
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


@pytest.mark.slow
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


@pytest.mark.slow
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
