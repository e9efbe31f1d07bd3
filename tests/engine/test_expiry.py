"""Time to live: enabling it, the items that go, those that stay, and what the stream says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine, expiry
from sortkey.storage.journal import TTL, USER
from tests.engine.tables import NOW, Clock, failure, index, new_engine, put, scan, table

FIVE_YEARS = 5 * 365 * 86400


def set_ttl(engine: Engine, attribute: str = "t", enabled: bool = True) -> dict[str, Any]:
    wanted = {"Enabled": enabled, "AttributeName": attribute}
    return engine.call("UpdateTimeToLive", {"TableName": "tbl", "TimeToLiveSpecification": wanted})


def refused(engine: Engine, attribute: str, enabled: bool) -> str:
    wanted = {"Enabled": enabled, "AttributeName": attribute}
    return failure(
        engine, "UpdateTimeToLive", {"TableName": "tbl", "TimeToLiveSpecification": wanted}
    )


def item(name: str, at: float | str | None = None, **attributes: Any) -> dict[str, Any]:
    instant = {} if at is None else {"t": {"N": at if isinstance(at, str) else str(int(at))}}
    return {"a": {"S": name}, **instant, **attributes}


def names(engine: Engine, **members: Any) -> set[str]:
    return {each["a"]["S"] for each in scan(engine, **members)}


def run_work(engine: Engine) -> None:
    for _ in range(100):
        if engine.work() > 0:
            return
    raise AssertionError("the background is never done")


@pytest.fixture
def made(engine: Engine) -> Engine:
    engine.call(
        "CreateTable",
        table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"}),
    )
    return engine


def test_ttl_is_enabled_described_and_disabled(made: Engine) -> None:
    # The same specification comes back, and the description follows at once.
    describe = {"TableName": "tbl"}
    assert made.call("DescribeTimeToLive", describe) == {
        "TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}
    }
    assert set_ttl(made) == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "t"}}
    on = {"TimeToLiveStatus": "ENABLED", "AttributeName": "t"}
    assert made.call("DescribeTimeToLive", describe) == {"TimeToLiveDescription": on}
    assert set_ttl(made, enabled=False) == {
        "TimeToLiveSpecification": {"Enabled": False, "AttributeName": "t"}
    }
    assert made.call("DescribeTimeToLive", describe) == {
        "TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}
    }


def test_changes_that_change_nothing_are_refused(made: Engine) -> None:
    # AWS's three texts; a tool that repeats itself must see them.
    assert refused(made, "t", False) == "ValidationException: TimeToLive is already disabled"
    set_ttl(made)
    assert refused(made, "t", True) == "ValidationException: TimeToLive is already enabled"
    other = (
        "ValidationException: TimeToLive is active on a different AttributeName: current "
        "AttributeName is t"
    )
    assert refused(made, "u", True) == other
    assert refused(made, "u", False) == other


@pytest.mark.parametrize("operation", ["UpdateTimeToLive", "DescribeTimeToLive"])
def test_a_table_that_is_not_there_is_named(engine: Engine, operation: str) -> None:
    # Control operations say which table, unlike those on items.
    wanted = {"Enabled": True, "AttributeName": "t"}
    request = {
        "TableName": "none",
        **({"TimeToLiveSpecification": wanted} if operation[0] == "U" else {}),
    }
    message = "ResourceNotFoundException: Requested resource not found: Table: none not found"
    assert failure(engine, operation, request) == message


def test_items_go_when_their_second_has_passed(made: Engine, clock: Clock) -> None:
    # Not before it, and never for an implausible second.
    set_ttl(made)
    put(made, item("past", NOW - 10))
    put(made, item("soon", NOW + 10))
    put(made, item("half", "1799999999.9"))
    put(made, item("none"))
    put(made, item("text", t={"S": str(int(NOW - 10))}))
    put(made, item("ancient", NOW - FIVE_YEARS - 1))
    put(made, item("old", NOW - FIVE_YEARS))
    put(made, item("negative", "-5"))
    put(made, item("zero", "0"))
    put(made, item("huge", "9" * 30))
    run_work(made)
    stays = {"none", "text", "ancient", "negative", "zero", "huge"}
    assert names(made) == {"soon", *stays}
    clock.now += 10
    run_work(made)
    assert names(made) == stays


def test_an_expired_item_can_still_be_changed_and_saved(made: Engine) -> None:
    # Until it is deleted it is an item like any other; a later instant keeps it.
    set_ttl(made)
    put(made, item("x", NOW - 10))
    put(made, item("x", NOW + 1000))
    run_work(made)
    assert names(made) == {"x"}


def test_the_service_is_the_one_who_deleted(made: Engine) -> None:
    # Stream readers tell an expiry from a deletion by the actor.
    set_ttl(made)
    put(made, item("x", NOW - 10))
    run_work(made)
    entries = made.journal.read(made.catalog.table("tbl").number, 0)
    assert [(entry.actor, entry.new is None) for entry in entries] == [(USER, False), (TTL, True)]


def test_indexes_lose_the_item_too(engine: Engine) -> None:
    # Expiry goes through the one write path.
    request = table(key="a b", attributes="a b c", GlobalSecondaryIndexes=[index("gsi", "c")])
    engine.call("CreateTable", {**request, "LocalSecondaryIndexes": [index("lsi", "a c")]})
    set_ttl(engine)
    put(engine, item("x", NOW - 10, b={"S": "1"}, c={"S": "1"}))
    run_work(engine)
    assert (
        names(engine) == names(engine, IndexName="gsi") == names(engine, IndexName="lsi") == set()
    )


def test_items_of_before_expire_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Their instants are read in slices, and go on being read after the folder is opened again.
    monkeypatch.setattr(expiry, "SLICE_ROWS", 20)
    with new_engine(tmp_path / "data") as engine:
        engine.call("CreateTable", table())
        for number in range(50):
            put(engine, item(f"x{number}", NOW - 10 if number % 2 else NOW + 10))
        set_ttl(engine)
        engine.work()
        assert len(names(engine)) == 50
        assert engine.records.all(expiry.KIND)[0][1]["after"] == 20
    with new_engine(tmp_path / "data") as engine:
        run_work(engine)
        assert names(engine) == {f"x{number}" for number in range(0, 50, 2)}
        assert engine.records.all(expiry.KIND) == []


def test_another_attribute_takes_over(made: Engine) -> None:
    # What the old attribute said must not delete an item under the new one.
    set_ttl(made)
    put(made, item("x", NOW + 10, u={"N": str(int(NOW + 10_000))}))
    put(made, item("y", NOW + 10_000, u={"N": str(int(NOW - 10))}))
    set_ttl(made, enabled=False)
    set_ttl(made, "u")
    run_work(made)
    assert names(made) == {"x"}


def test_items_of_a_table_can_be_deleted_later_than_they_expire(made: Engine, clock: Clock) -> None:
    # AWS deletes them within days. A program that reacts to the instant itself needs the item to be
    # there then.
    set_ttl(made)
    expiry.delay(made, "tbl", 60)
    put(made, item("a", NOW + 10))
    clock.now = NOW + 11
    run_work(made)
    assert names(made) == {"a"}
    clock.now = NOW + 71
    run_work(made)
    assert names(made) == set()
