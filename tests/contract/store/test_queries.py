"""Queries: ranges, order, limits, filters, indexes, collections, scans."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sortkey import Query, Store, attr, collection
from sortkey.errors import ModelError
from sortkey.testing import FrozenClock
from tests.contract.store.models import Asset, Counts, Journey, Note, Rule, Stage, Task


@pytest.fixture
def journey(store: Store, fresh: str) -> str:
    """Ten stages, of which the even ones run; twelve rules, of which some have a weight; two notes;
    the head.
    """
    stages = [
        Stage(
            journey_id=fresh,
            order=number,
            stage_id=f"s{number}",
            status="running" if number % 2 == 0 else "pending",
        )
        for number in range(1, 11)
    ]
    rules = [
        Rule(
            journey_id=fresh,
            rule_id=f"r{number:02d}",
            title=f"t{number}",
            weight=number if number < 5 else None,
        )
        for number in range(12)
    ]
    notes = [Note(journey_id=fresh, note_id=f"n{number}") for number in range(2)]
    head = Journey(journey_id=fresh, name="j", counts=Counts())
    store.batch_write([*stages, *rules, *notes, head])
    return fresh


def orders(stages: Sequence[Stage]) -> list[int]:
    return [stage.order for stage in stages]


def test_a_query_gives_its_entities_in_the_order_of_their_keys(store: Store, journey: str) -> None:
    # Of its kind alone: rules, notes and the head lie in the same partition.
    assert orders(store.query(Stage.of_journey(journey_id=journey))) == list(range(1, 11))
    assert orders(store.query(Stage.of_journey(journey_id=journey).descending())) == list(
        range(10, 0, -1)
    )
    assert orders(store.query(Stage.of_journey(journey_id=journey).consistent())) == list(
        range(1, 11)
    )


@pytest.mark.parametrize(
    ("narrow", "found"),
    [
        (lambda q: q.between(3, 5), [3, 4, 5]),
        (lambda q: q.at_least(9), [9, 10]),
        (lambda q: q.at_most(2), [1, 2]),
        (lambda q: q.at_most(2).descending(), [2, 1]),
        (lambda q: q.at_least(9).limit(1), [9]),
        (lambda q: q.at_least(0), list(range(1, 11))),
        (lambda q: q.between(50, 60), []),
    ],
)
def test_a_range_is_of_the_next_field_of_the_key(
    store: Store, journey: str, narrow: Any, found: list[int]
) -> None:
    # Both ends included, and never beyond what the query fixes.
    assert orders(store.query(narrow(Stage.of_journey(journey_id=journey)))) == found


def test_leading_fields_of_the_sort_key_narrow_the_query(store: Store, journey: str) -> None:
    # 1 must not find 10.
    assert orders(store.query(Stage.at(journey_id=journey, order=1))) == [1]
    assert orders(store.query(Stage.in_status(journey_id=journey, status="running", order=4))) == [
        4
    ]


@pytest.mark.parametrize("limit", [1, 2, 5, 6, 99])
def test_a_limit_counts_what_passes_the_filter(store: Store, journey: str, limit: int) -> None:
    # DynamoDB's own Limit counts what was read; a caller who asks for two wants two.
    running = Stage.of_journey(journey_id=journey).where(Stage.status == "running")
    assert orders(store.query(running.limit(limit))) == [2, 4, 6, 8, 10][:limit]
    assert store.count(running.limit(limit)) == min(limit, 5)
    assert [each.order for each in store.iterate(running.limit(limit), size=3)] == [2, 4, 6, 8, 10][
        :limit
    ]


def test_filters_combine(store: Store, journey: str) -> None:
    # Each where() narrows further.
    narrowed = (
        Stage.of_journey(journey_id=journey)
        .where(Stage.status == "running")
        .where(attr(Stage.order) > 4)
    )
    assert orders(store.query(narrowed)) == [6, 8, 10]
    either = (attr(Stage.order) == 1) | attr(Stage.stage_id).begins_with("s1")
    assert orders(store.query(Stage.of_journey(journey_id=journey).where(either))) == [1, 10]
    assert orders(
        store.query(Stage.of_journey(journey_id=journey).where(~either & (Stage.order < 4)))
    ) == [2, 3]


def test_the_first_is_one_or_none(store: Store, journey: str) -> None:
    # Also behind a filter, and from the end.
    stages = Stage.of_journey(journey_id=journey)
    assert [
        getattr(store.first(stage), "order", None) for stage in (stages, stages.descending())
    ] == [1, 10]
    assert getattr(store.first(stages.where(Stage.order > 7)), "order", None) == 8
    assert store.first(stages.where(Stage.status == "failed")) is None


def test_a_count_is_that_of_the_query(store: Store, journey: str) -> None:
    # Of the kind, also where kinds share an index.
    assert store.count(Stage.of_journey(journey_id=journey)) == 10
    assert store.count(Stage.of_journey(journey_id=journey).at_least(9)) == 2
    assert store.count(Rule.keys_of(journey_id=journey)) == 12
    assert store.count(Note.keys_of(journey_id=journey)) == 2


def test_iterating_reads_page_by_page(store: Store, journey: str) -> None:
    # A partition may be larger than memory.
    assert orders(list(store.iterate(Stage.of_journey(journey_id=journey), size=3))) == list(
        range(1, 11)
    )
    assert orders(list(store.iterate(Stage.of_journey(journey_id=journey)))) == list(range(1, 11))


# -- indexes


def test_an_index_follows_the_fields_it_is_made_of(store: Store, journey: str) -> None:
    # Move a stage: it leaves one place in the index and stands in the other.
    running = Stage.in_status(journey_id=journey, status="running")
    assert orders(store.query(running)) == [2, 4, 6, 8, 10]
    store.move(Stage.key(journey_id=journey, order=4, stage_id="s4"), Stage.status, "done")
    assert orders(store.query(running)) == [2, 6, 8, 10]
    assert orders(store.query(Stage.in_status(journey_id=journey, status="done"))) == [4]


def test_an_item_that_lacks_a_field_of_an_index_is_not_in_it(store: Store, journey: str) -> None:
    # A sparse index. An update that gives the field puts the item into it, one that takes it away
    # takes it out.
    weights = Rule.by_weight(journey_id=journey)
    assert [rule.weight for rule in store.query(weights)] == [0, 1, 2, 3, 4]
    store.update(Rule.key(journey_id=journey, rule_id="r09"), set={"weight": 2})
    assert [(rule.weight, rule.rule_id) for rule in store.query(weights.between(2, 2))] == [
        (2, "r02"),
        (2, "r09"),
    ]
    store.update(Rule.key(journey_id=journey, rule_id="r02"), set={"weight": None})
    assert [rule.rule_id for rule in store.query(weights)] == ["r00", "r01", "r09", "r03", "r04"]
    store.update(Rule.key(journey_id=journey, rule_id="r01"), attr(Rule.weight).remove())
    assert [rule.rule_id for rule in store.query(weights)] == ["r00", "r09", "r03", "r04"]


def test_a_local_index_follows_the_last_change(
    store: Store, fresh: str, clock: FrozenClock
) -> None:
    # The store itself writes that instant; the key made of it must go with it.
    for number in range(3):
        clock.advance(1)
        store.create(Task(board=fresh, task_id=str(number)))
    clock.advance(1)
    store.update(Task.key(board=fresh, task_id="0"), attr(Task.hits).add(1))
    by_change = Task.by_change(board=fresh)
    assert [task.task_id for task in store.query(by_change)] == ["1", "2", "0"]
    assert [task.task_id for task in store.query(by_change.consistent().descending())] == [
        "0",
        "2",
        "1",
    ]
    recent = by_change.at_least(datetime.fromtimestamp(clock(), UTC) - timedelta(seconds=1))
    assert [task.task_id for task in store.query(recent)] == ["2", "0"]


def test_an_index_of_keys_gives_keys_or_is_hydrated(store: Store, journey: str) -> None:
    # It has neither whole items nor kinds: entities are recognized by the form of their keys.
    wanted = [f"r{number:02d}" for number in range(12)]
    assert [key.values["ruleId"] for key in store.keys(Rule.keys_of(journey_id=journey))] == wanted
    assert [
        rule.title for rule in store.query(Rule.keys_of(journey_id=journey).hydrated().limit(2))
    ] == ["t0", "t1"]
    assert [note.note_id for note in store.query(Note.keys_of(journey_id=journey).hydrated())] == [
        "n0",
        "n1",
    ]
    assert [
        rule.rule_id for rule in store.iterate(Rule.keys_of(journey_id=journey).hydrated(), size=5)
    ] == wanted
    page = store.page(Rule.keys_of(journey_id=journey).hydrated(), size=5)
    assert [rule.rule_id for rule in page.items] == wanted[:5]


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda j: Rule.keys_of(journey_id=j), "Keys does not hold whole items"),
        (lambda j: Rule.titles_of(journey_id=j), "Some does not hold whole items"),
        (
            lambda j: Rule.keys_of(journey_id=j).hydrated().where(Rule.title == "t1"),
            "Keys does not hold Rule.title",
        ),
    ],
)
def test_what_an_index_does_not_hold_is_not_asked_of_it(
    store: Store, journey: str, read: Any, message: str
) -> None:
    # The service would answer with halves of items, or with nothing.
    with pytest.raises(ModelError, match=message):
        store.query(read(journey))


def test_an_index_filters_by_what_it_holds(store: Store, journey: str) -> None:
    # The titles are in its projection.
    found = store.query(Rule.titles_of(journey_id=journey).where(Rule.title == "t7").hydrated())
    assert [rule.rule_id for rule in found] == ["r07"]


# -- shards


@pytest.fixture
def ranking(store: Store, fresh: str) -> str:
    store.batch_write(
        [Asset(database_id=fresh, asset_id=f"a{n:02d}", count=n * 7 % 20) for n in range(20)]
    )
    return fresh


def test_a_spread_index_reads_as_one(store: Store, ranking: str) -> None:
    # The partitions behind it are nobody's business: order, limit and count are those of the whole.
    ranked = Asset.ranked(database_id=ranking)
    assert [asset.count for asset in store.query(ranked)] == list(range(20))
    assert [asset.count for asset in store.query(ranked.descending().limit(3))] == [19, 18, 17]
    assert [asset.count for asset in store.query(ranked.between(5, 7))] == [5, 6, 7]
    assert store.count(ranked) == 20
    assert [asset.count for asset in store.iterate(ranked)] == list(range(20))
    assert [asset.count for asset in store.iterate(ranked.descending().limit(7), size=2)] == list(
        range(19, 12, -1)
    )


def test_a_spread_index_is_really_spread(store: Store, ranking: str) -> None:
    # One hot partition is what it is for.
    used = {
        asset.to_item()["rankPK"]["S"] for asset in store.query(Asset.ranked(database_id=ranking))
    }
    assert used == {f"RANK#{ranking}#{shard}" for shard in range(3)}


def test_a_count_in_a_spread_index_moves_its_item(store: Store, ranking: str) -> None:
    # The number is the key itself, so adding to it needs no rebuilding.
    store.update(Asset.key(database_id=ranking, asset_id="a00"), attr(Asset.count).add(100))
    assert (
        getattr(store.first(Asset.ranked(database_id=ranking).descending()), "asset_id", None)
        == "a00"
    )


def test_counting_begins_by_counting(store: Store, fresh: str) -> None:
    # An upsert makes the item, with everything that a put would give it.
    for _ in range(3):
        store.update(
            Asset.key(database_id=fresh, asset_id="new"), attr(Asset.count).add(1), upsert=True
        )
    (found,) = store.query(Asset.ranked(database_id=fresh))
    assert (found.asset_id, found.count, found.path, found.version) == ("new", 3, "/", 3)


# -- collections and scans


@collection(Journey, Stage, Rule)
def everything(*, journey_id: str):
    """A journey with its stages and rules."""


@collection(Stage, Rule, sort_from="STAGE#09")
def late(*, journey_id: str):
    """From the ninth stage on."""


@collection(Rule, Stage, sort_prefix="RULE#")
def rules_only(*, journey_id: str): ...


def test_a_collection_gives_several_kinds_of_one_partition(store: Store, journey: str) -> None:
    # In one query, typed by kind; notes are no members, and are left out.
    found = store.collection(everything(journey_id=journey))
    assert getattr(found.one(Journey), "name", None) == "j"
    assert orders(found.of(Stage)) == list(range(1, 11))
    assert len(found.of(Rule)) == 12
    assert len(found) == 23
    assert [type(each).__name__ for each in found][:2] == ["Journey", "Rule"]
    assert orders(store.collection(late(journey_id=journey)).of(Stage)) == [9, 10]
    assert {type(each) for each in store.collection(rules_only(journey_id=journey))} == {Rule}


def test_a_collection_of_nothing_is_empty(store: Store, fresh: str) -> None:
    # one() of a kind that is not there is None, of several an error.
    found = store.collection(everything(journey_id=fresh))
    assert (len(found), found.one(Journey), found.of(Stage)) == (0, None, [])


def test_a_scan_gives_a_kind_from_all_of_the_table(store: Store, journey: str) -> None:
    # It reads everything, which is why it has a name of its own.
    mine = [stage for stage in store.scan(Stage) if stage.journey_id == journey]
    assert sorted(orders(mine)) == list(range(1, 11))


def test_a_query_names_its_access_pattern(store: Store, journey: str) -> None:
    # Capacity is counted by it.
    read: Query[Stage] = Stage.of_journey(journey_id=journey)
    assert (read.pattern, read.named("late").pattern) == ("Stage.of_journey", "late")
