"""Journeys and rules in a home of the systems, and jobs that are written as the engine
writes them.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sortkey import Put, Store, Update, attr
from sortkey_systems.jobengine.buckets import BACKUPS, LOGS, REPORTS, Buckets
from sortkey_systems.jobengine.inputs import RuleDraft
from sortkey_systems.jobengine.journeys.aggregates import job_created, job_ended, with_journey
from sortkey_systems.jobengine.journeys.journeys import Journeys
from sortkey_systems.jobengine.model import Job, Journey, StageJob, model
from sortkey_systems.jobengine.parts import LogCounts, Source
from sortkey_systems.jobengine.rules.rules import Rules
from tests.systems.homes import Home

START = datetime(2025, 11, 1, 20, 30, tzinfo=UTC)
SOURCE = Source(
    type="schema-based",
    schema_id="schema-PRODUCTCATALOG-001",
    schema_name="Legacy",
    schema_version="1.0.0",
)
STAGES = [
    "raw_analysis",
    "stripped_schema",
    "tmf_mapping",
    "migration_planning",
    "data_migration",
    "verification_validation",
]
LOGGED = LogCounts(total_logs=145, error_count=2, warning_count=8, info_count=120, debug_count=15)


@pytest.fixture
def buckets(home: Home) -> Buckets:
    return Buckets(home.objects[LOGS], home.objects[REPORTS], home.objects[BACKUPS])


@pytest.fixture
def at_home(home: Home) -> Store:
    """The store of a home, with the table."""
    home.store.ensure(model)
    return home.store


@pytest.fixture
def journeys(at_home: Store, buckets: Buckets) -> Journeys:
    return Journeys(at_home, buckets)


@pytest.fixture
def rules(at_home: Store) -> Rules:
    return Rules(at_home)


def created(journeys: Journeys, **values: Any) -> Journey:
    """A new journey."""
    given = {
        "name": "Catalog",
        "created_by": "data_team",
        "oda_component_type": "PRODUCTCATALOG",
        "source": SOURCE,
    }
    return journeys.create(**(given | values))


def draft(stage_id: str = "raw_analysis", **values: Any) -> RuleDraft:
    given = {
        "stage_id": stage_id,
        "title": "Map it",
        "type": "field_mapping",
        "content": "Map 'sku' to 'id'",
    }
    return RuleDraft(**(given | values))


def begin(store: Store, journey_id: str, stage_id: str = "raw_analysis", number: int = 1) -> Job:
    """Start a job: with its line and what the journey counts, in one transaction."""
    job_id, made = f"JOB-{journey_id[-4:]}-{stage_id}-{number}", list[Job]()

    def starting(journey: Journey, stages: list[Any]) -> list[Any]:
        order = next(stage.order for stage in stages if stage.stage_id == stage_id)
        about = {"job_id": job_id, "journey_id": journey_id, "order": order, "stage_id": stage_id}
        at = START + timedelta(hours=order, minutes=number)
        made[:] = [
            Job(**about, status="running", execution_number=number, created_at=at, updated_at=at)
        ]
        puts = [Put(made[0], "create"), Put(StageJob.of(made[0]), "create")]
        return [*puts, *job_created(made[0], journey=journey, stages=stages)]

    with_journey(store, journey_id, starting)
    return made[0]


def end(
    store: Store,
    job: Job,
    status: str = "completed",
    seconds: float = 125.5,
    logged: LogCounts = LOGGED,
) -> Job:
    """End a job, in the same way."""
    done = job.changed(
        status=status,
        progress=100 if status == "completed" else 40,
        duration=seconds,
        metrics=logged,
    )

    def ending(journey: Journey, stages: list[Any]) -> list[Any]:
        changes = [
            attr(getattr(Job, each)).set(getattr(done, each))
            for each in ("progress", "duration", "metrics")
        ]
        line = StageJob.key(
            journey_id=job.journey_id,
            order=job.order,
            stage_id=job.stage_id,
            execution_number=job.execution_number,
        )
        return [
            Update(key_of(job), (attr(Job.status).set(done.status), *changes)),
            Update(
                line,
                (
                    attr(StageJob.status).set(done.status),
                    attr(StageJob.progress).set(done.progress),
                ),
            ),
            *job_ended(done, job, journey=journey, stages=stages),
        ]

    with_journey(store, job.journey_id, ending)
    return store.get(key_of(job), consistent=True)


def key_of(job: Job) -> Any:
    assert job.created_at is not None
    return Job.key(
        journey_id=job.journey_id,
        order=job.order,
        stage_id=job.stage_id,
        execution_number=job.execution_number,
        created_at=job.created_at,
    )
