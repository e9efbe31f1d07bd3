"""`kill -9` of workers in the middle of journeys: no line of a log and no row is lost, and none is
there twice.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import sortkey
from sortkey import Store
from sortkey_systems.jobengine.jobs import Executions
from sortkey_systems.jobengine.journeys.aggregates import aggregates_of
from sortkey_systems.jobengine.journeys.journeys import Journeys
from sortkey_systems.jobengine.logs.step_log import get_job_logs
from sortkey_systems.jobengine.model import Job, Report, Rule, StageJob, model
from sortkey_systems.jobengine.parts import JourneyConfiguration, Source
from sortkey_systems.jobengine.sample_shop import make_shop
from sortkey_systems.jobengine.sources import open_source
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.registry import STEPS, run_step, step_ids
from sortkey_systems.jobengine.stages.work import MemoryContext, Work
from tests.faults.served import Served
from tests.systems.jobengine.jobs.killed_worker import BATCH_ROWS, executions
from tests.systems.jobengine.stage_runs import ANY_LOSS

CUSTOMERS = 60
AGAIN = "taken up again behind"
"""What a transfer says besides when it goes on after a crash."""

Words = dict[str, Counter[str]]
"""What each step says, by its name."""


class Workers:
    """Processes that work on an address, forked from one program."""

    def __init__(self, address: str, folder: Path) -> None:
        self._program = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.systems.jobengine.jobs.killed_worker",
                address,
                str(folder),
            ],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.pids: list[int] = []

    def start(self) -> None:
        assert self._program.stdin
        assert self._program.stdout
        self._program.stdin.write(b"\n")
        self._program.stdin.flush()
        self.pids.append(int(self._program.stdout.readline()))

    def kill(self) -> None:
        while self.pids:
            os.kill(self.pids.pop(), signal.SIGKILL)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill()
        assert self._program.stdin
        assert self._program.stdout
        self._program.stdin.close()
        self._program.stdout.close()
        self._program.wait()


def undisturbed(folder: Path) -> tuple[Words, Any]:
    """What the steps say, and what is in the target, when nobody is killed."""
    target = str(folder / "whole.sqlite")
    work = Work(
        open_source(folder / "shop.sqlite"), target, batch_rows=BATCH_ROWS, allowed=ANY_LOSS
    )
    said: Words = {}
    for stage_id in STEPS:
        for step_id in step_ids(stage_id):
            ctx = MemoryContext()
            run_step(stage_id, step_id, work, ctx)
            said[step_id] = Counter(_steady(entry.message) for entry in ctx.entries)
    work.source.close()
    return said, documents(work.target)


def _steady(message: str) -> str:
    """Without what a clock has measured."""
    return re.sub(r"in \d+\.\d+ s, \d+ a second", "in … s", message)


def documents(target: str) -> dict[str, Any]:
    with Target(target) as opened:
        found: dict[str, Any] = {name: list(opened.documents(name)) for name in opened.resources()}
        return {**found, "findings": list(opened.findings())}


def begin(jobs: Executions, folder: Path, number: int, retry_attempts: int = 0) -> str:
    """One more journey on the same shop, into a target of its own."""
    about = {"type": "database", "schema_id": "shop", "schema_name": "Shop", "schema_version": "1"}
    target = str(folder / f"target-{number}.sqlite")
    journey = Journeys(jobs.store, jobs.buckets).create(
        name=f"Journey {number}",
        created_by="tests",
        oda_component_type="PRODUCTCATALOG",
        source=Source(**about, address=str(folder / "shop.sqlite")),
        configuration=JourneyConfiguration(
            target=target, retry_attempts=retry_attempts, allowed_losses=ANY_LOSS
        ),
    )
    jobs.run_journey(journey.journey_id)
    return journey.journey_id


def check_journey(
    jobs: Executions, folder: Path, number: int, journey_id: str, said: Words, whole: Any
) -> int:
    """Everything that a journey has left behind, against one that nobody disturbed. How often it
    was taken up again.
    """
    store = jobs.store
    journey = jobs.wait_for_journey(journey_id, timeout=240)
    found = store.query(Job.of_journey(journey_id=journey_id).consistent())
    assert journey.status == "completed", [job.error_message for job in found]
    assert [(job.stage_id, job.execution_number, job.status) for job in found] == [
        (stage_id, 1, "completed") for stage_id in STEPS
    ]
    for job in found:
        check_job(jobs, job, said)
    rules = store.query(Rule.of_journey(journey_id=journey_id))
    counted = aggregates_of(found, rules)
    assert journey.aggregates.model_dump(exclude={"total_execution_seconds"}) == counted.model_dump(
        exclude={"total_execution_seconds"}
    )
    assert documents(str(folder / f"target-{number}.sqlite")) == whole, (
        "a row was lost, changed or written twice"
    )
    return sum((job.attempt or 1) - 1 for job in found)


def check_job(jobs: Executions, job: Job, said: Words) -> None:
    """Its logs, reports and figures."""
    lines = 0
    for step in job.steps:
        log = get_job_logs(
            jobs.buckets.logs, job.journey_id, job.stage_id, job.job_id, step.step_id
        )
        messages = [line.message for line in log]
        words = Counter(_steady(each) for each in messages if not each.startswith(AGAIN))
        assert words - said[step.step_id] == Counter(), f"{step.step_id}: a line is there twice"
        assert said[step.step_id] - words == Counter(), f"{step.step_id}: a line was lost"
        lines += len(messages)
    assert job.metrics.total_logs == lines
    assert round(sum(step.duration or 0 for step in job.steps), 6) == job.duration
    catalog = jobs.store.query(Report.of_job(job_id=job.job_id))
    assert sorted(entry.s3_location for entry in catalog) == sorted(
        {entry.s3_location for entry in catalog}
    )
    assert len(catalog) == len(job.steps)
    line = jobs.store.query(StageJob.of_stage(journey_id=job.journey_id, stage_id=job.stage_id))
    assert [(each.job_id, each.status, each.progress) for each in line] == [
        (job.job_id, "completed", 100)
    ]


def kill_workers(folder: Path, rounds: int, seed: int) -> int:
    """Two journeys run at any time; their only worker is killed again and again. How often work was
    taken up again.
    """
    make_shop(folder / "shop.sqlite", customers=CUSTOMERS)
    said, whole = undisturbed(folder)
    chance = random.Random(seed)
    with Served(folder / "data", "--own-tables") as server:
        address = f"http://127.0.0.1:{server.port}"
        with sortkey.open(address) as store, Workers(address, folder) as workers:
            jobs = opened(store, folder)
            journeys = [begin(jobs, folder, number) for number in range(2)]
            for _ in range(rounds):
                workers.start()
                # Long enough for the lease of the one before to end, and for some work.
                time.sleep(chance.uniform(0.5, 1.6))
                workers.kill()
                if sum(jobs_left(jobs, each) for each in journeys) < 2:
                    journeys.append(begin(jobs, folder, len(journeys)))
            workers.start()
            return sum(
                check_journey(jobs, folder, number, journey_id, said, whole)
                for number, journey_id in enumerate(journeys)
            )


def opened(store: Store, folder: Path) -> Executions:
    store.ensure(model)
    jobs = executions(store, folder)
    jobs.queue.ensure()
    return jobs


def jobs_left(jobs: Executions, journey_id: str) -> bool:
    return Journeys(jobs.store, jobs.buckets).get(journey_id).status == "running"


@pytest.mark.slow
@pytest.mark.accepts("JE-49", "JE-51")
def test_journeys_whose_workers_are_killed_lose_no_line_and_no_row(tmp_path: Path) -> None:
    # The promise of the engine: whoever is killed, and whenever, another takes up the job where it
    # was left.
    assert kill_workers(tmp_path, rounds=25, seed=1) >= 10


@pytest.mark.slow
def test_a_job_that_killed_two_workers_fails_and_is_not_retried_by_itself(tmp_path: Path) -> None:
    # A job that always kills its worker must not do so for ever, and somebody has to hear of it.
    make_shop(tmp_path / "shop.sqlite", customers=CUSTOMERS)
    with Served(tmp_path / "data", "--own-tables") as server:
        address = f"http://127.0.0.1:{server.port}"
        with sortkey.open(address) as store, Workers(address, tmp_path) as workers:
            opened(store, tmp_path)
            jobs = executions(store, tmp_path, worker_deaths_max=2)
            journey_id = begin(jobs, tmp_path, 0, retry_attempts=3)
            (job,) = jobs.list_jobs(journey_id).items
            for attempt in (1, 2):
                workers.start()
                wait_for_attempt(jobs, job.job_id, attempt)
                workers.kill()
            workers.start()  # finds the lease over
            ended = jobs.wait(job.job_id, timeout=60)
            assert ended.status == "failed"
            assert ended.error_message == "its worker died twice while running it"
            assert [each.job_id for each in jobs.list_jobs(journey_id).items] == [job.job_id]
            assert Journeys(store, jobs.buckets).get(journey_id).status == "failed"
            lines = list(get_job_logs(jobs.buckets.logs, journey_id, "raw_analysis", job.job_id))
            assert ended.metrics.total_logs == len(lines)


def wait_for_attempt(jobs: Executions, job_id: str, attempt: int) -> None:
    """Until a worker has begun with it."""
    end = time.monotonic() + 60
    while (jobs.get(job_id).attempt or 0) < attempt:
        assert time.monotonic() < end, "no worker has taken the job"
        time.sleep(0.001)
