"""What the tests of executions share: a home with a shop in it, journeys on that shop, and stages
that follow a script.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sortkey import Backoff, JobQueue, Put
from sortkey_systems.jobengine.buckets import BACKUPS, LOGS, REPORTS, Buckets
from sortkey_systems.jobengine.jobs import Executions
from sortkey_systems.jobengine.journeys.journeys import Journeys
from sortkey_systems.jobengine.logs.step_log import get_job_logs
from sortkey_systems.jobengine.model import Job, Journey, Stage, model
from sortkey_systems.jobengine.parts import JourneyConfiguration, Source, Step
from sortkey_systems.jobengine.sample_shop import make_shop
from sortkey_systems.jobengine.stages.registry import STEPS
from sortkey_systems.jobengine.stages.work import StepContext, Work
from tests.systems.homes import Home
from tests.systems.jobengine.stage_runs import ANY_LOSS

StepFunction = Callable[[Work, StepContext], Any]


class Engine:
    """Executions in a home. Retries come at once; each job runs when the test says so, in the
    test's own thread.
    """

    def __init__(self, home: Home, folder: Path, **settings: Any) -> None:
        self.home, self.store, self.folder = home, home.store, folder
        self.buckets = Buckets(home.objects[LOGS], home.objects[REPORTS], home.objects[BACKUPS])
        self.store.ensure(model)
        self.journeys = Journeys(self.store, self.buckets)
        given: dict[str, Any] = {"backoff": Backoff(first_seconds=0), "batch_rows": 40}
        self.executions = Executions(
            self.store, self.buckets, JobQueue(self.store, "jobengine"), **(given | settings)
        )
        self.executions.queue.ensure()
        self.worker = self.executions.worker(lease_seconds=30, poll_seconds=0.02)

    def journey(
        self, *, address: Path | None = None, priority: Any = "medium", **configuration: Any
    ) -> Journey:
        """On the shop, or on another file."""
        about = {
            "type": "database",
            "schema_id": "shop",
            "schema_name": "Shop",
            "schema_version": "1",
        }
        where = address or self.shop()
        given = {
            "retry_attempts": 0,
            "target": str(self.folder / "out.sqlite"),
            "allowed_losses": ANY_LOSS,
        }
        return self.journeys.create(
            name="Shop to TMF",
            created_by="tests",
            oda_component_type="PRODUCTCATALOG",
            source=Source(**about, address=str(where)),
            configuration=JourneyConfiguration(**(given | configuration)),
            priority=priority,
            skippable=["stripped_schema"],
        )

    def shop(self) -> Path:
        path = self.folder / "shop.sqlite"
        return path if path.exists() else make_shop(path, customers=40)

    def start(self, journey: Journey, stage_id: str = "raw_analysis") -> Job:
        return self.executions.start_job(journey.journey_id, stage_id)

    def run(self, journey: Journey, stage_id: str = "raw_analysis") -> Job:
        """Start a stage, and run what is due."""
        job = self.start(journey, stage_id)
        self.work()
        return self.executions.get(job.job_id)

    def work(self, most: int = 50) -> int:
        """Run all jobs that are due, here and now; says how many those were."""
        for count in range(most):
            if self.worker.run_once() is None:
                return count
        raise AssertionError(f"after {most} jobs there are still more")

    def in_background(self) -> threading.Thread:
        thread = threading.Thread(target=self.work)
        thread.start()
        return thread

    def again(self, journey: Journey) -> Journey:
        return self.journeys.get(journey.journey_id)

    def stages(self, journey: Journey) -> dict[str, str]:
        found = self.store.query(Stage.of_journey(journey_id=journey.journey_id).consistent())
        return {stage.stage_id: stage.status for stage in found}

    def jobs(self, journey: Journey, stage_id: str | None = None) -> list[Job]:
        return list(self.executions.list_jobs(journey.journey_id, stage_id).items)

    def messages(self, job: Job, step_id: str | None = None) -> list[str]:
        lines = get_job_logs(self.buckets.logs, job.journey_id, job.stage_id, job.job_id, step_id)
        return [line.message for line in lines]

    def change(self, journey: Journey, stage_id: str, **values: Any) -> None:
        """Give a stage other values."""
        found = self.store.query(Stage.of_journey(journey_id=journey.journey_id).consistent())
        stage = next(each for each in found if each.stage_id == stage_id)
        self.store.transact(Put(stage.changed(**values)))


@pytest.fixture
def engine(home: Home, tmp_path: Path) -> Engine:
    return Engine(home, tmp_path)


class Scripted:
    """A first stage whose steps are the test's own functions, on a real worker with everything else
    as it is.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
        self._patch, self._engine = monkeypatch, engine

    def journey(self, *functions: StepFunction, **configuration: Any) -> Journey:
        self._patch.setitem(STEPS, "raw_analysis", functions)
        journey = self._engine.journey(**configuration)
        steps = [Step(step_id=each.__name__, name=each.__name__) for each in functions]
        self._engine.change(journey, "raw_analysis", steps=steps)
        return journey


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> Scripted:
    return Scripted(monkeypatch, engine)
