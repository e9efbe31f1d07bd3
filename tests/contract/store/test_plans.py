"""plan() and apply(): from what is deployed to what a model says, one step after the other, and
nothing dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from sortkey import GSI, LSI, Store, Table
from tests.contract.store.evolving import (
    Age,
    by_index,
    by_scan,
    deployed,
    fill,
    first_age,
    second_age,
    third_age,
)
from tests.contract.store.models import PREFIX, model


@pytest.fixture
def shop(store: Store, fresh: str) -> Iterator[Age]:
    """The first age, deployed, with items."""
    with deployed(store, first_age(fresh)) as age:
        fill(store, age, 20)
        yield age


def lines(store: Store, age: Age) -> list[str]:
    return str(store.plan(age.model)).splitlines()


def test_what_is_as_the_model_says_has_an_empty_plan(store: Store, fresh: str) -> None:
    # Also right after it was made: nothing is stored yet that could be old.
    with deployed(store, third_age(fresh)) as age:
        plan = store.plan(age.model)
        assert plan.is_empty
        assert str(plan) == f"shop-{fresh}: nothing to do, the deployed tables match the model"


def test_tables_that_are_missing_are_made(store: Store, fresh: str) -> None:
    # As ensure() does; the plan says so before.
    age = second_age(fresh)
    plan = store.plan(age.model)
    assert [str(step) for step in plan.steps] == [
        f"create the table {age.table.name}, with 2 indexes"
    ]
    try:
        assert store.apply(plan) == plan.steps
        assert store.ensure(age.model) == []
    finally:
        store.backend.call("DeleteTable", {"TableName": age.table.name})


def test_a_plan_says_what_it_will_do_in_order(store: Store, fresh: str, shop: Age) -> None:
    # To be read by a person before anything is done.
    name = shop.table.name
    assert lines(store, third_age(fresh)) == [
        f"shop-{fresh}: 5 to apply, 1 to backfill, 0 by hand",
        f"  1. {name}: stream from none to NEW_IMAGE",
        f"  2. {name}: add the index ByBuyer (GSI3PK, GSI3SK; ALL)",
        f"  3. {name}: add the index ByRegion (region, GSI2SK; ALL)",
        f"  4. {name}: add the index ByStatus (GSI1PK, GSI1SK; ALL)",
        f"  5. {name}: TTL from none to expiresAt",
        "  backfill Order: it is of version 2, and stored items may be of version 1; "
        "stored items lack GSI1PK, GSI1SK, region, GSI2SK, GSI3PK, GSI3SK",
    ]


def test_a_plan_cannot_be_changed(store: Store, shop: Age) -> None:
    # What was read is what is applied.
    with pytest.raises(FrozenInstanceError):
        store.plan(shop.model).steps = ()


def test_a_plan_is_plain_values_for_programs(store: Store, fresh: str, shop: Age) -> None:
    description = store.plan(second_age(fresh).model).to_json()
    assert [step["kind"] for step in description["steps"]] == ["AddIndex", "AddIndex", "Change"]
    assert description["backfills"][0]["entity"] == "Order"
    assert description["by_hand"] == []


def test_indexes_are_added_one_after_the_other_and_the_rest_of_the_model_follows(
    store: Store, fresh: str, shop: Age
) -> None:
    # The service makes one index at a time. What is applied is gone from the next plan; the items
    # are as they were.
    before = store.scan(shop.order)
    grown = third_age(fresh)
    done = store.apply(store.plan(grown.model))
    assert len(done) == 5
    assert store.ensure(grown.model) == []
    left = store.plan(grown.model)
    assert left.steps == ()
    assert [backfill.entity for backfill in left.backfills] == [grown.order]
    assert store.scan(shop.order) == before


def test_whoever_listens_hears_of_each_step(store: Store, fresh: str, shop: Age) -> None:
    # An index of a large table takes hours.
    heard: list[str] = []
    store.apply(
        store.plan(second_age(fresh).model), on_progress=lambda step: heard.append(str(step))
    )
    assert [line.partition(": ")[2] for line in heard] == [
        "add the index ByRegion (region, GSI2SK; ALL)",
        "add the index ByStatus (GSI1PK, GSI1SK; ALL)",
        "TTL from none to expiresAt",
    ]


def test_a_plan_can_be_applied_again(store: Store, fresh: str, shop: Age) -> None:
    # After it was cut off, or by two people at once: each step looks first.
    plan = store.plan(third_age(fresh).model)
    store.apply(plan)
    store.apply(plan)
    assert store.ensure(third_age(fresh).model) == []


def test_an_older_program_plans_to_drop_nothing(store: Store, fresh: str) -> None:
    # What it does not know is left alone, and it says so.
    with deployed(store, third_age(fresh)):
        plan = store.plan(first_age(fresh).model)
        assert [step for step in plan.steps if "TTL" not in str(step)] == []
        description = [str(step.difference).partition(": ")[2] for step in plan.by_hand]
        assert description == [
            "stream is NEW_IMAGE; the model says none",
            "the index ByBuyer is not in the model",
            "the index ByRegion is not in the model",
            "the index ByStatus is not in the model",
        ]
        store.apply(plan)
        described = store.backend.call("DescribeTable", {"TableName": plan.by_hand[0].table.name})[
            "Table"
        ]
        assert len(described["GlobalSecondaryIndexes"]) == 3
        assert described["StreamSpecification"]["StreamViewType"] == "NEW_IMAGE"


IN_PLACE: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({}, {"ttl": "a"}, ["TTL from none to a"]),
    ({"ttl": "a"}, {"ttl": "b"}, ["TTL from a to b"]),
    ({"ttl": "a"}, {}, ["TTL from a to none"]),
    ({}, {"deletion_protection": True}, ["deletion protection from off to on"]),
    ({"billing": "PROVISIONED"}, {}, ["billing from PROVISIONED to PAY_PER_REQUEST"]),
    (
        {"billing": "PROVISIONED"},
        {"indexes": [GSI("New", "n")]},
        ["billing from PROVISIONED to PAY_PER_REQUEST", "add the index New (n; ALL)"],
    ),
    (
        {"billing": "PROVISIONED"},
        {"billing": "PROVISIONED", "indexes": [GSI("New", "n")]},
        ["add the index New (n; ALL)"],
    ),
]


@pytest.mark.parametrize(("before", "after", "lines"), IN_PLACE)
def test_settings_are_changed_in_place(
    store: Store, fresh: str, before: dict[str, Any], after: dict[str, Any], lines: list[str]
) -> None:
    # Whatever can be, and nothing is left to do afterwards.
    plain = Table(f"{PREFIX}-{fresh}", key=("PK",), pitr=False)
    store.ensure(replace(plain, **before))
    wanted = replace(plain, **after)
    try:
        plan = store.plan(wanted)
        assert [str(step).partition(": ")[2] for step in plan.steps] == lines
        store.apply(plan)
        assert store.plan(wanted).is_empty
    finally:
        store.backend.call(
            "UpdateTable", {"TableName": plain.name, "DeletionProtectionEnabled": False}
        )
        store.backend.call("DeleteTable", {"TableName": plain.name})


BY_HAND: list[tuple[dict[str, Any], str, str]] = [
    (
        {"key": ("PK", "SORT")},
        "key is PK, SK; the model says PK, SORT",
        "create a table with another name",
    ),
    ({"types": {"g": "N"}}, "types of key attributes is", "The type of a key cannot be changed"),
    (
        {"indexes": [GSI("Glob", "x"), LSI("Loc", "l")]},
        "index Glob: key is g; the model says x",
        "declare one with another name",
    ),
    (
        {"indexes": [GSI("Glob", "g", projection="KEYS_ONLY"), LSI("Loc", "l")]},
        "index Glob: projection is ALL",
        "declare one with another name",
    ),
    (
        {"indexes": [GSI("Glob", "g"), LSI("Loc", "l"), LSI("More", "m")]},
        "the index More is missing",
        "only be created with its table",
    ),
    (
        {"indexes": [GSI("Glob", "g")]},
        "the index Loc is not in the model",
        "delete it when nothing reads it",
    ),
    ({"stream": "KEYS_ONLY"}, "stream is NEW_IMAGE; the model says KEYS_ONLY", "turn it off"),
    ({"stream": None}, "stream is NEW_IMAGE; the model says none", "turn it off"),
    ({"billing": "PROVISIONED"}, "billing is PAY_PER_REQUEST", "needs figures"),
]


@pytest.mark.parametrize(("change", "differs", "advice"), BY_HAND)
def test_what_cannot_be_changed_in_place_says_what_to_do(
    store: Store, fresh: str, change: dict[str, Any], differs: str, advice: str
) -> None:
    # Applying the plan leaves it as it is.
    table = Table(
        f"{PREFIX}-{fresh}",
        key=("PK", "SK"),
        indexes=[GSI("Glob", "g"), LSI("Loc", "l")],
        stream="NEW_IMAGE",
        pitr=False,
    )
    store.ensure(table)
    try:
        plan = store.plan(replace(table, **change))
        assert plan.steps == ()
        (each,) = plan.by_hand
        assert differs in str(each)
        assert advice in each.advice
        store.apply(plan)
        assert store.ensure(table) == []
    finally:
        store.backend.call("DeleteTable", {"TableName": table.name})


def test_recovery_is_turned_on_and_never_off(store: Store, fresh: str) -> None:
    # Turning it off deletes the history. A server that has no backups has nothing to plan.
    plain = Table(f"{PREFIX}-{fresh}", key=("PK",), pitr=False)
    store.ensure(plain)
    try:
        plan = store.plan(replace(plain, pitr=True))
        store.apply(plan)
        assert store.plan(replace(plain, pitr=True)).is_empty
        back = store.plan(plain)
        assert back.steps == ()
        assert [step.difference.kind for step in back.by_hand] == ["point-in-time recovery"] * len(
            plan.steps
        )
    finally:
        store.backend.call("DeleteTable", {"TableName": plain.name})


def test_what_nobody_wrote_down_is_reported_as_unknown(store: Store, fresh: str) -> None:
    # Tables that ensure() has made: a plan does not read them to find out what their items have.
    age = second_age(fresh)
    store.ensure(age.model)
    try:
        assert store.plan(age.model).is_empty
        fill(store, age, 3)
        (description,) = store.plan(age.model).backfills
        assert "it is not known whether all stored items have that" in str(description)
        assert store.backfill(age.order).written == 0
        assert store.plan(age.model).is_empty
    finally:
        store.backend.call("DeleteTable", {"TableName": age.table.name})


def test_a_model_of_many_tables_is_planned_as_a_whole(store: Store) -> None:
    plan = store.plan(model)
    assert (plan.steps, plan.by_hand) == ((), ())


def test_after_the_plan_and_the_backfill_the_new_index_has_everything(
    store: Store, fresh: str, shop: Age
) -> None:
    # The way from one age to the next, as the how-to has it.
    grown = second_age(fresh)
    store.apply(store.plan(grown.model))
    assert by_index(store, grown, "open") == []
    done = store.backfill(grown.order)
    assert (done.read, done.written, done.is_complete) == (20, 20, True)
    for status in ("open", "paid", "sent"):
        assert by_index(store, grown, status) == by_scan(store, grown, status) != []
    assert store.plan(grown.model).is_empty
