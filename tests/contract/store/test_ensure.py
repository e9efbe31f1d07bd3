"""ensure(): makes what is missing, tells what differs, and never drops anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from sortkey import GSI, LSI, Entity, Model, Store, Table, key
from tests.contract.store.models import PREFIX, model


@pytest.fixture
def name(store: Store, fresh: str) -> Iterator[str]:
    """Of a table that is gone after the test."""
    made = f"{PREFIX}-{fresh}"
    yield made
    store.backend.call("DeleteTable", {"TableName": made})


def table(name: str) -> Table:
    return Table(
        name,
        key=("PK", "SK"),
        indexes=[
            GSI("ByA", "a", "b", projection="KEYS_ONLY"),
            GSI("Included", "a", projection=("x", "y")),
            LSI("Local", "c"),
        ],
        types={"b": "N"},
        ttl="expiresAt",
        stream="NEW_AND_OLD_IMAGES",
        pitr=False,
    )


def test_ensuring_twice_is_fine(store: Store) -> None:
    # Every start of a program does it.
    assert store.ensure(model) == []
    assert store.ensure(model) == []


def test_a_table_is_made_as_the_model_says(store: Store, name: str) -> None:
    # Keys, types, indexes, projections, stream and TTL.
    assert store.ensure(table(name)) == []
    described = store.backend.call("DescribeTable", {"TableName": name})["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert described["StreamSpecification"] == {
        "StreamEnabled": True,
        "StreamViewType": "NEW_AND_OLD_IMAGES",
    }
    projections = {
        index["IndexName"]: index["Projection"] for index in described["GlobalSecondaryIndexes"]
    }
    assert projections["ByA"] == {"ProjectionType": "KEYS_ONLY"}
    assert projections["Included"]["ProjectionType"] == "INCLUDE"
    ttl = store.backend.call("DescribeTimeToLive", {"TableName": name})["TimeToLiveDescription"]
    assert (ttl["TimeToLiveStatus"], ttl["AttributeName"]) == ("ENABLED", "expiresAt")
    assert store.ensure(table(name)) == []


DRIFT: list[tuple[dict[str, Any], list[str]]] = [
    ({"stream": None}, ["stream is NEW_AND_OLD_IMAGES; the model says none"]),
    ({"stream": "KEYS_ONLY"}, ["stream is NEW_AND_OLD_IMAGES; the model says KEYS_ONLY"]),
    ({"ttl": None}, ["TTL is expiresAt; the model says none"]),
    ({"ttl": "other"}, ["TTL is expiresAt; the model says other"]),
    ({"key": ("PK", "SORT")}, ["key is PK, SK; the model says PK, SORT"]),
    ({"types": {}}, ["types of key attributes is"]),
    (
        {"indexes": [GSI("ByA", "a", "b", projection="KEYS_ONLY"), LSI("Local", "c")]},
        ["the index Included is not in the model"],
    ),
    (
        {"indexes": [*table("x").indexes, GSI("New", "z"), LSI("Other", "w")]},
        ["the index New is missing", "the index Other is missing"],
    ),
    (
        {
            "indexes": [
                GSI("ByA", "a", "b"),
                GSI("Included", "b", projection=("y", "x")),
                LSI("Local", "c", projection="KEYS_ONLY"),
            ]
        },
        [
            "index ByA: projection is KEYS_ONLY",
            "index Included: key is a; the model says b",
            "index Local: projection is ALL",
        ],
    ),
]


@pytest.mark.parametrize(
    ("change", "lines"), DRIFT, ids=lambda value: "-".join(value) if isinstance(value, dict) else ""
)
def test_what_differs_is_reported_and_left_alone(
    store: Store, name: str, change: dict[str, Any], lines: list[str]
) -> None:
    # A line each, in a fixed order; a program decides what to do about it.
    store.ensure(table(name))
    before = store.backend.call("DescribeTable", {"TableName": name})["Table"]
    changed = replace(table(name), **change)
    differences = store.ensure(changed)
    assert len(differences) == len(lines)
    for line, expected in zip(differences, lines, strict=True):
        assert line.startswith(f"{name}: {expected}")
    after = store.backend.call("DescribeTable", {"TableName": name})["Table"]
    assert (after["KeySchema"], after["GlobalSecondaryIndexes"]) == (
        before["KeySchema"],
        before["GlobalSecondaryIndexes"],
    )
    assert store.ensure(table(name)) == []


def test_a_table_can_be_protected_from_deletion(store: Store, name: str) -> None:
    # Reported where it is missing. Protection that was added by hand is fine.
    store.ensure(replace(table(name), deletion_protection=True))
    assert store.ensure(table(name)) == []
    store.backend.call("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})
    lines = store.ensure(replace(table(name), deletion_protection=True))
    assert lines == [f"{name}: deletion protection is off; the model says on"]


def test_data_survive_whatever_differs(store: Store, name: str) -> None:
    # Never drops anything.
    kept = table(name)

    class Thing(Entity, table=kept):
        id: str

        @key("THING", "{id}")
        def key(*, id: str): ...

    store.ensure(kept)
    store.put(Thing(id="1"))
    store.ensure(Table(name, key=("other",)))
    assert store.get(Thing.key(id="1")) == Thing(id="1")


def test_a_model_is_ensured_table_by_table(store: Store, name: str) -> None:
    # Those that are there are compared, the others made.
    grown = Model("grown")
    grown.tables += [model.tables[0], table(name)]
    assert store.ensure(grown) == []
    assert store.backend.call("DescribeTable", {"TableName": name})["Table"]["TableName"] == name
