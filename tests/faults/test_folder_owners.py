"""Workers on one folder, whose owner ends again and again: the others take over, and no job is
lost.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sortkey
from sortkey import JobQueue
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.inputs import RuleDraft
from sortkey_systems.jobengine.parts import JourneyConfiguration, Source
from sortkey_systems.jobengine.sample import LOSSES, RULES
from sortkey_systems.jobengine.sample_shop import make_shop
from sortkey_systems.jobengine.service import JobEngine
from tests.faults.job_worker import QUEUE, journey
from tests.faults.test_jobs import Workers, check, notes, wait_for_more, wait_until_ended

pytestmark = pytest.mark.slow

ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}


def owner_pid(folder: Path) -> int:
    """Who owns the folder, as it says itself; 0 while nobody does."""
    text = (folder / "sortkey.lock").read_text()
    return int(json.loads(text)["pid"]) if text.endswith("}") else 0


def kill_owners(folder: Path, side: Path, rounds: int, seed: int) -> int:
    """Three workers run at any time; the one that owns the folder is killed. How often work was
    taken up again.
    """
    chance = random.Random(seed)
    with sortkey.open(folder) as store:
        queue = JobQueue(store, QUEUE, worker_deaths_max=1000)
        queue.ensure()
        ids = [queue.enqueue(journey, {"side": str(side)}).job_id for _ in range(10 + rounds)]
    with Workers(str(folder), "tests.faults.folder_worker") as workers:
        for _ in range(3):
            workers.start()
        for _ in range(rounds):
            wait_for_more(side, chance.randrange(1, 60))
            while (pid := owner_pid(folder)) not in workers.pids:
                pass  # somebody is about to take over
            workers.kill(pid)
            workers.start()
        with sortkey.open(folder) as store:
            queue = JobQueue(store, QUEUE)
            wait_until_ended(queue, ids)
            check(store, ids, notes(side))
            return sum(queue.get(job_id).attempt - 1 for job_id in ids)


def test_five_owners_are_killed_and_no_job_step_or_line_is_lost(tmp_path: Path) -> None:
    # The others worked through the owner: none of them may be dead with it.
    assert kill_owners(tmp_path / "data", tmp_path / "side", rounds=5, seed=1) > 0


class Worker:
    """`sortkey jobengine work`, as somebody starts it."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sortkey", "jobengine", "work", "--data", str(folder)],
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        assert "working on" in self.process.stdout.readline(), self.process.communicate()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exc: object) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda each: each.name
)
def test_the_second_of_two_workers_goes_on_when_the_first_has_ended(
    tmp_path: Path, how: signal.Signals
) -> None:
    # Two terminals, `sortkey jobengine work` in both; one of them is closed.
    folder = tmp_path / "data"
    shop = make_shop(tmp_path / "shop.sqlite", customers=40)
    with Worker(folder) as first, Worker(folder) as second:
        assert owner_pid(folder) == first.process.pid
        first.process.send_signal(how)
        first.process.wait()
        with sortkey.open(folder) as store:
            engine = JobEngine(store, Buckets.open(str(folder / "buckets" / "{bucket}")))
            journey = engine.journeys.create(
                name="Shop",
                created_by="tests",
                oda_component_type="PRODUCTCATALOG",
                source=Source(
                    type="database",
                    schema_id="shop",
                    schema_name="Shop",
                    schema_version="1",
                    address=str(shop),
                ),
                configuration=JourneyConfiguration(
                    target=str(tmp_path / "out.sqlite"), allowed_losses=LOSSES
                ),
                rules=[RuleDraft(**each) for each in RULES],
            )
            engine.run_journey(journey.journey_id)
            assert engine.executions.wait_for_journey(journey.journey_id, 120).status == "completed"
            assert {job.status for job in engine.executions.all_jobs(journey.journey_id)} == {
                "completed"
            }
        assert second.process.poll() is None
