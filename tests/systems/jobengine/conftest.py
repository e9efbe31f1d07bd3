"""A journey like the document's, on the embedded engine."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import sortkey
from sortkey import Put, Store
from sortkey_systems.jobengine.model import Job, Journey, Log, Report, Rule, StageJob, model
from sortkey_systems.jobengine.stages.default_stages import default_stages
from tests.systems.jobengine.examples import JOB, JOURNEY, LOG, REPORT, RULE, stored

ID = "JRN-ABC123456789"
AT = datetime(2025, 11, 1, 20, 30, tzinfo=UTC)


@pytest.fixture
def store() -> Iterator[Store]:
    with sortkey.open(":memory:") as opened:
        opened.ensure(model)
        yield opened


@pytest.fixture
def journey(store: Store) -> Journey:
    """With six stages and one rule, in one transaction."""
    made = Journey.from_item(stored(JOURNEY))
    first_rule = Rule.from_item(stored(RULE))
    store.transact(
        Put(made), *(Put(stage, "create") for stage in default_stages(ID)), Put(first_rule)
    )
    return made


@pytest.fixture
def job(store: Store, journey: Journey) -> Job:
    """The document's job, with its line in the dashboard, a log and a report."""
    made = Job.from_item(stored(JOB))
    store.transact(
        Put(made),
        Put(StageJob.of(made)),
        Put(Log.from_item(stored(LOG))),
        Put(Report.from_item(stored(REPORT))),
    )
    return made


def rule(number: int, **values: object) -> Rule:
    """Another rule of the example's stage."""
    stage_id = values.get("stage_id", "raw_analysis")
    made = Rule.from_item(stored(RULE))
    return made.changed(
        rule_index=number, rule_id=f"rule-{stage_id}-field_mapping-{number:08x}", **values
    )
