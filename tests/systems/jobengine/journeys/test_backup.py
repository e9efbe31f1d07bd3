"""Export and import of a whole journey, and point-in-time recovery: what was lost comes
back equal.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import sortkey
from sortkey import Store
from sortkey.errors import AlreadyExists, NotFound
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.journeys.backup import (
    NotABackup,
    export,
    get_journey_complete,
    import_journey_complete,
    restore,
)
from sortkey_systems.jobengine.journeys.journeys import Journeys, WrongState
from sortkey_systems.jobengine.model import Job, Journey, Log, Report, Rule, Stage, StageJob, model
from sortkey_systems.jobengine.plain_items import from_plain, to_plain
from tests.systems.jobengine.examples import JOB, JOURNEY, LOG, REPORT, RULE, parsed, stored
from tests.systems.jobengine.recording import Recording
from tests.systems.jobengine.service_fixtures import (
    at_home,
    begin,
    buckets,
    created,
    draft,
    end,
    journeys,
)

__all__ = ["at_home", "buckets", "journeys"]

ID = "JRN-ABC123456789"
START_SECONDS = 1_762_000_000


class Clock:
    """A clock that is set."""

    now: float = START_SECONDS

    def __call__(self) -> float:
        return self.now


def _wait_for(table: str, store: Store) -> None:
    for _ in range(1000):
        if (
            store.backend.call("DescribeTable", {"TableName": table})["Table"]["TableStatus"]
            == "ACTIVE"
        ):
            return
    raise AssertionError(f"{table} is not there")


def run(journeys: Journeys, store: Store) -> str:
    """A journey with rules, three jobs, their lines in the dashboard, logs and a report."""
    made = created(
        journeys,
        journey_id=ID,
        rules=[draft(), draft("tmf_mapping", content={"jsonRule": {"remove": []}})],
    )
    end(store, begin(store, ID), "failed", seconds=0.1)
    end(store, begin(store, ID, number=2), seconds=45.25)
    end(store, begin(store, ID, "stripped_schema"), "cancelled")
    store.batch_write([Log.from_item(stored(LOG)), Report.from_item(stored(REPORT))])
    return made.journey_id


def everything(store: Store) -> list[dict[str, Any]]:
    """Every item of the journey but its logs."""
    kinds = (Stage.of_journey, Rule.of_journey, Job.of_journey, StageJob.of_journey, Report.of_type)
    found = [each for kind in kinds for each in store.query(kind(journey_id=ID))]
    return [each.to_item() for each in (store.get(Journey.key(journey_id=ID)), *found)]


@pytest.mark.accepts("JE-76", "JE-61")
def test_JE_76_a_journey_comes_back_equal_from_its_export(
    journeys: Journeys, at_home: Store, buckets: Buckets
) -> None:
    # Whole: keys, instants, jobs with their lines; and its logs were never away.
    run(journeys, at_home)
    before = everything(at_home)
    location = export(at_home, buckets, ID)
    assert location == f"s3://{buckets.backups.name}/journeys/{ID}/backup.json"
    journeys.delete(ID)
    assert restore(at_home, buckets, ID) == journeys.get(ID)
    assert everything(at_home) == before
    assert len(at_home.query(Log.of_journey(journey_id=ID))) == 1


@pytest.mark.accepts("JE-76")
def test_JE_76_import_of_what_get_journey_complete_gave(journeys: Journeys, at_home: Store) -> None:
    # The document's own two lines: json.dumps of the one is what the other takes.
    run(journeys, at_home)
    data = get_journey_complete(at_home, ID)
    before = everything(at_home)
    journeys.delete(ID)
    import_journey_complete(at_home, json.dumps(data))
    assert everything(at_home) == before
    assert get_journey_complete(at_home, ID) == data


@pytest.mark.accepts("JE-61", "JE-71")
def test_JE_61_a_complete_journey_takes_two_queries_and_no_log(tmp_path: Path) -> None:
    # Counted where they are sent.
    with sortkey.open(":memory:") as store:
        store.ensure(model)
        journeys = Journeys(store)
        run(journeys, store)
        counting = Recording(store.backend)
        data = get_journey_complete(Store(counting), ID)
    assert counting.calls == ["Query", "Query"]
    assert [len(data[name]) for name in ("stages", "rules", "jobs", "reports")] == [6, 2, 3, 1]
    assert "LogEntry" not in json.dumps(data)


def test_the_items_in_an_export_look_as_the_document_shows_them() -> None:
    # Whoever reads a backup needs no DynamoDB to understand it.
    for example, kind in ((JOURNEY, Journey), (RULE, Rule), (JOB, Job), (REPORT, Report)):
        plain = to_plain(kind.from_item(stored(example)).to_item())
        assert plain == parsed(example)
        assert from_plain(plain) == stored(example)


def test_what_json_cannot_hold_comes_back_all_the_same() -> None:
    # Attributes that a newer program has added may be anything.
    item = {
        "set": {"NS": ["1", "2"]},
        "bytes": {"B": "AAEC"},
        "long": {"N": "12345678901234567890.123456789"},
        "small": {"N": "0.1"},
        "whole": {"N": "12345678901234567890123456789"},
        "tricky": {"M": {"$dynamodb": {"S": "mine"}}},
        "nothing": {"NULL": True},
        "mixed": {"L": [{"BOOL": False}, {"N": "-3"}, {"M": {}}]},
    }
    assert from_plain(json.loads(json.dumps(to_plain(item)))) == item


def test_unknown_attributes_of_a_journey_survive_export_and_import(
    journeys: Journeys, at_home: Store
) -> None:
    # A backup made by an older program must not lose what a newer one wrote.
    made = created(journeys, journey_id=ID)
    item = made.to_item() | {"Colour": {"SS": ["blue", "red"]}}
    at_home.backend.call("PutItem", {"TableName": "TransformationSystem", "Item": item})
    data = get_journey_complete(at_home, ID)
    journeys.delete(ID)
    import_journey_complete(at_home, data)
    assert everything(at_home)[0] == item


def test_a_journey_that_is_there_is_only_replaced_when_asked(
    journeys: Journeys, at_home: Store, buckets: Buckets
) -> None:
    # An import by mistake must not undo a week of work.
    run(journeys, at_home)
    export(at_home, buckets, ID)
    before = everything(at_home)
    end(at_home, begin(at_home, ID, "stripped_schema", number=2))
    now = everything(at_home)
    with pytest.raises(AlreadyExists):
        restore(at_home, buckets, ID)
    assert everything(at_home) == now
    with pytest.raises(WrongState):  # it waits between two stages, and counts as running
        restore(at_home, buckets, ID, replace=True)
    journeys.pause(ID)
    restore(at_home, buckets, ID, replace=True)
    assert everything(at_home) == before


def test_an_export_keeps_the_older_ones_as_versions(
    journeys: Journeys, at_home: Store, buckets: Buckets
) -> None:
    # The second backup may be the one of the damage.
    created(journeys, journey_id=ID)
    export(at_home, buckets, ID)
    export(at_home, buckets, ID)
    assert len(list(buckets.backups.versions(f"journeys/{ID}/"))) == 2


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("no json", "a backup is JSON"),
        ("[]", "JSON object"),
        ({}, "format 1"),
        ({"format": 1}, "journey 0 is not a JSON object"),
        ({"format": 1, "journey": {"PK": "x"}}, "journey 0 is not a valid Journey"),
        ({"format": 1, "journey": parsed(JOURNEY)}, "list stages"),
        (
            {"format": 1, "journey": parsed(JOURNEY), "stages": [parsed(RULE)]},
            "stages 0 is not a valid Stage",
        ),
    ],
)
def test_what_is_no_backup_is_refused_and_nothing_written(
    journeys: Journeys, at_home: Store, data: Any, says: str
) -> None:
    # Also when only the last part of it is wrong.
    with pytest.raises(NotABackup, match=says):
        import_journey_complete(at_home, data)
    assert journeys.list() == []
    assert at_home.query(Stage.of_journey(journey_id=ID)) == []


def test_what_is_wrong_with_an_item_is_said_once(at_home: Store) -> None:
    # It is one line in an answer of REST, and whoever reads it has the file, not the table.
    stage = {"PK": f"JOURNEY#{ID}", "SK": "STAGE#01#raw_analysis", "name": "Raw Analysis"}
    data = {"format": 1, "journey": parsed(JOURNEY), "stages": [{**stage, "PK": "other"}]}
    for given in (data, {**data, "stages": [{"name": "Raw Analysis"}]}):
        with pytest.raises(NotABackup) as refused:
            import_journey_complete(at_home, given)
        message = str(refused.value)
        assert message.count("is not a valid Stage") == 1
        assert message.count("\n") == 0
    assert message.startswith("stages 0 is not a valid Stage: journeyId: Field required; ")


def test_items_of_another_journey_cannot_be_smuggled_in(journeys: Journeys, at_home: Store) -> None:
    # Who may import one journey may not write into another.
    run(journeys, at_home)
    data = get_journey_complete(at_home, ID)
    other = created(journeys)
    data["rules"] = get_journey_complete(at_home, created(journeys, rules=[draft()]).journey_id)[
        "rules"
    ]
    journeys.delete(ID)
    with pytest.raises(NotABackup, match="has items of JRN-"):
        import_journey_complete(at_home, data)
    assert journeys.get(other.journey_id) == other


def test_a_journey_that_is_not_there_has_no_backup(
    journeys: Journeys, at_home: Store, buckets: Buckets
) -> None:
    # Neither to be made nor to be read.
    with pytest.raises(NotFound):
        export(at_home, buckets, ID)
    with pytest.raises(NotFound):
        restore(at_home, buckets, ID)


@pytest.mark.accepts("JE-75")
def test_JE_75_a_journey_that_was_deleted_comes_back_from_a_second_before() -> None:
    # Retention 35 days, granularity one second: an accidental delete, noticed a month later.
    clock = Clock()
    with sortkey.open(":memory:", clock=clock) as store:
        store.ensure(model)
        journeys = Journeys(store)
        run(journeys, store)
        journeys.pause(ID)
        before = everything(store)
        clock.now += 60
        journeys.delete(ID)
        clock.now += 30 * 24 * 3600
        names = {"SourceTableName": "TransformationSystem", "TargetTableName": "Recovered"}
        when = {"RestoreDateTime": START_SECONDS + 59}
        store.backend.call("RestoreTableToPointInTime", {**names, **when})
        _wait_for("Recovered", store)
        items = store.backend.call("Scan", {"TableName": "Recovered"})["Items"]
        backups = store.backend.call(
            "DescribeContinuousBackups", {"TableName": "TransformationSystem"}
        )
    kept = [item for item in items if item["EntityType"]["S"] != "LogEntry"]
    assert sorted(kept, key=str) == sorted(before, key=str)
    recovery = backups["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert (recovery["PointInTimeRecoveryStatus"], recovery["RecoveryPeriodInDays"]) == (
        "ENABLED",
        35,
    )
