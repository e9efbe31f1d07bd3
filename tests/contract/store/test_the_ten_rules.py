"""What must hold, rule by rule: each is a bug that users of other libraries report.

Rule 9 speaks of payloads in object stores, which have a contract of their own.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sortkey import Check, ItemKey, Put, Store, Update, attr
from sortkey.errors import (
    AlreadyExists,
    BadCursor,
    BatchIncomplete,
    KeyValueError,
    ModelError,
    StaleVersion,
    TransactionFailed,
)
from sortkey.runtime.batches import batch_write
from sortkey.runtime.context import Context
from sortkey.runtime.steps import Call, Sleep
from sortkey.testing import Faults, FrozenClock
from tests.contract.store.evolving import by_index, by_scan, deployed, fill, first_age, second_age
from tests.contract.store.models import (
    Asset,
    Counts,
    Journey,
    Rule,
    Stage,
    Task,
    User,
    model,
    table,
)


def raw(store: Store, key: ItemKey[Any]) -> dict[str, Any]:
    return store.backend.call(
        "GetItem", {"TableName": key.table.name, "Key": key.item, "ConsistentRead": True}
    )["Item"]


def test_rule_1_a_query_takes_leading_key_fields_and_nothing_else(store: Store, fresh: str) -> None:
    # An unknown, skipped or missing field is an error, never a wider read.
    store.batch_write([Stage(journey_id=fresh, order=order, stage_id="s") for order in (1, 10, 11)])
    assert [stage.order for stage in store.query(Stage.at(journey_id=fresh, order=1))] == [1]
    wrong: list[dict[str, Any]] = [
        {"journey_id": fresh},
        {"journey_id": fresh, "order": 1, "colour": "red"},
    ]
    for arguments in wrong:
        with pytest.raises(TypeError):
            Stage.at(**arguments)
    with pytest.raises(ModelError):
        Stage.at(journey_id=fresh, order=None)  # type: ignore[arg-type]
    with pytest.raises(ModelError):
        Rule.by_weight(journey_id=None)  # type: ignore[arg-type]


def test_rule_2_an_update_rebuilds_every_index_key_that_it_touches(
    store: Store, fresh: str
) -> None:
    # In the same write.
    made = store.create(Task(board=fresh, task_id="1", owner="ann"))
    key = ItemKey.of_entity(made)
    store.update(key, set={"owner": "bob"})
    assert raw(store, key)["GSI1PK"] == {"S": f"BOARD#{fresh}#OWNER#bob"}
    store.update(key, set={"status": "done"}, assuming={"title": "untitled"})
    assert raw(store, key)["GSI1SK"] == {"S": "DONE#1"}
    assert [
        each.task_id for each in store.query(Task.of_owner(board=fresh, owner="bob", shown="DONE"))
    ] == ["1"]
    assert raw(store, key)["LSK"] == raw(store, key)["updatedAt"]


def test_rule_2_an_update_that_cannot_rebuild_an_index_key_is_refused(
    store: Store, fresh: str
) -> None:
    # It says what it needs to know; an assumption that is wrong changes nothing.
    made = store.create(Stage(journey_id=fresh, order=1, stage_id="s"))
    key = ItemKey.of_entity(store.create(Task(board=fresh, task_id="1", owner="ann")))
    with pytest.raises(ModelError, match='"title": …'):
        store.update(key, set={"status": "done"})
    with pytest.raises(ModelError, match=r"only a plain set\(\) can rebuild that. Read the entity"):
        store.update(key, attr(Task.owner).set(attr(Task.title)))  # type: ignore[arg-type]
    before = raw(store, key)
    with pytest.raises(Exception, match="its condition does not hold"):
        store.update(key, set={"status": "done"}, assuming={"title": "another"})
    assert raw(store, key) == before
    assert store.get(ItemKey.of_entity(made)) == made


def test_rule_3_numbers_in_keys_are_padded_and_refused_where_they_do_not_fit(
    store: Store, fresh: str
) -> None:
    # 2 comes before 10, and 100 is not cut to 10.
    store.batch_write([Rule(journey_id=fresh, rule_id=str(n), weight=n) for n in (2, 10, 100)])
    assert [rule.weight for rule in store.query(Rule.by_weight(journey_id=fresh))] == [2, 10, 100]
    with pytest.raises(KeyValueError):
        Stage.key(journey_id=fresh, order=100, stage_id="s")
    with pytest.raises(KeyValueError, match="0 to 999 are allowed"):
        store.query(Rule.by_weight(journey_id=fresh).at_least(1000))


def test_rule_3_a_separator_in_a_value_is_refused_where_it_would_make_two_keys_equal(
    store: Store, fresh: str
) -> None:
    # At the end of a key it cannot: there it is allowed.
    with pytest.raises(KeyValueError, match="contains '#WEIGHTS'"):
        store.put(Rule(journey_id=f"{fresh}#WEIGHTS", rule_id="1", weight=1))
    with pytest.raises(KeyValueError, match="contains '#OWNER#'"):
        store.create(Task(board=f"{fresh}#OWNER#x", task_id="1", owner="ann"))
    store.put(Rule(journey_id=fresh, rule_id="with#separator"))
    assert (
        store.get(Rule.key(journey_id=fresh, rule_id="with#separator")).rule_id == "with#separator"
    )


def test_rule_4_fields_that_live_only_in_a_key_are_parsed_back_from_it(
    store: Store, fresh: str
) -> None:
    # They are stored once.
    made = store.create(Stage(journey_id=fresh, order=7, stage_id="s"))
    assert "journeyId" not in raw(store, ItemKey.of_entity(made))["Data"]["M"]
    assert store.query(Stage.of_journey(journey_id=fresh))[0].journey_id == fresh


def test_rule_4_unknown_attributes_survive_read_save_and_update(store: Store, fresh: str) -> None:
    # Beside the envelope, inside it, and inside a part.
    key = Journey.key(journey_id=fresh)
    item = Journey(journey_id=fresh, name="n", counts=Counts()).to_item()
    item["new"] = item["Data"]["M"]["new"] = item["Data"]["M"]["counts"]["M"]["new"] = {
        "NULL": True
    }
    store.backend.call("PutItem", {"TableName": table.name, "Item": item})
    store.put(store.get(key).changed(name="m"))
    store.update(key, set={"labels": {"x"}})
    after = raw(store, key)
    assert (
        after["new"]
        == after["Data"]["M"]["new"]
        == after["Data"]["M"]["counts"]["M"]["new"]
        == {"NULL": True}
    )


def test_rule_5_cursors_are_opaque_signed_and_bound_to_the_query(store: Store, fresh: str) -> None:
    # A client cannot read on where it may not.
    store.batch_write([Rule(journey_id=fresh, rule_id=str(n)) for n in range(3)])
    cursor = store.page(Rule.of_journey(journey_id=fresh), size=1).cursor
    assert cursor is not None
    for query in (
        Rule.of_journey(journey_id=f"{fresh}x"),
        Rule.of_journey(journey_id=fresh).descending(),
    ):
        with pytest.raises(BadCursor):
            store.page(query, cursor=cursor)
    with pytest.raises(BadCursor):
        store.page(Rule.of_journey(journey_id=fresh), cursor=cursor[:-4] + "AAAA")


def test_rule_6_batches_retry_what_was_unprocessed_and_carry_what_is_left_over(
    sortkey_store: Store, sortkey_faults: Faults, sortkey_clock: FrozenClock
) -> None:
    # With pauses that grow, and an end.
    sortkey_store.ensure(model)
    rules = [Rule(journey_id="j", rule_id=str(n)) for n in range(20)]
    sortkey_faults.unprocessed(5, "BatchWriteItem")
    sortkey_store.batch_write(rules)
    assert sortkey_store.count(Rule.of_journey(journey_id="j")) == 20
    sortkey_faults.unprocessed(8, "BatchGetItem")
    with pytest.raises(BatchIncomplete) as failed:
        sortkey_store.batch_get([ItemKey.of_entity(rule) for rule in rules])
    assert (len(failed.value.processed), len(failed.value.unprocessed)) == (8, 12)


def test_rule_6_the_pauses_of_a_batch_grow() -> None:
    # So that a service under load is left alone; spread by chance, so that callers do not come back
    # together.
    context = Context(lambda: 0.0, lambda: 1.0, b"")
    rule, pauses = Rule(journey_id="j", rule_id="1"), list[float]()

    def refusing(steps: Any) -> None:
        step: Any = next(steps)
        while True:
            if isinstance(step, Sleep):
                pauses.append(step.seconds)
            left = {table.name: [{"PutRequest": {"Item": rule.to_item()}}]}
            step = steps.send({"UnprocessedItems": left} if isinstance(step, Call) else {})

    with pytest.raises(BatchIncomplete):
        refusing(batch_write(context, [rule], []))
    assert pauses == [0.05 * 2**attempt for attempt in range(7)]


def test_rule_7_a_transaction_says_which_operation_failed_and_with_which_item(
    store: Store, fresh: str
) -> None:
    # Typed operations in, typed reasons out.
    store.create(Task(board=fresh, task_id="1", title="there"))
    check = Check(Task.key(board=fresh, task_id="1"), Task.title == "gone")
    update = Update(Task.key(board=fresh, task_id="2"), (attr(Task.hits).add(1),))
    with pytest.raises(TransactionFailed) as failed:
        store.transact(Put(Rule(journey_id=fresh, rule_id="r")), check, update)
    reasons = failed.value.reasons
    assert [(reason.index, reason.operation, reason.code) for reason in reasons] == [
        (1, check, "ConditionalCheckFailed"),
        (2, update, "ConditionalCheckFailed"),
    ]
    assert (reasons[0].item.title, reasons[1].item) == ("there", None)
    assert store.find(Rule.key(journey_id=fresh, rule_id="r")) is None


def test_rule_8_locking_uniqueness_instants_computed_fields_and_sharding_are_declared(
    store: Store, fresh: str, clock: FrozenClock
) -> None:
    # On the entity, once; every write of every program keeps them.
    made = store.create(Task(board=fresh, task_id="1"))
    assert (made.created_at, made.version, made.label) == (
        datetime.fromtimestamp(clock(), UTC),
        1,
        "untitled (open)",
    )
    store.update(ItemKey.of_entity(made), attr(Task.hits).add(1))
    with pytest.raises(StaleVersion):
        store.save(made)
    store.create(User(user_id=f"{fresh}-1", email=fresh))
    with pytest.raises(AlreadyExists):
        store.create(User(user_id=f"{fresh}-2", email=fresh))
    store.batch_write([Asset(database_id=fresh, asset_id=str(n), count=n) for n in range(9)])
    assert [
        asset.count for asset in store.query(Asset.ranked(database_id=fresh).descending().limit(2))
    ] == [8, 7]
    assert table.definition()["TableName"] == table.name
    ttl = store.backend.call("DescribeTimeToLive", {"TableName": table.name})[
        "TimeToLiveDescription"
    ]
    assert ttl["AttributeName"] == "expiresAt"


def test_rule_10_a_field_more_needs_no_migration(store: Store, fresh: str) -> None:
    # Additive by default; versions with upgrades have tests of their own, in test_evolution.
    item = Rule(journey_id=fresh, rule_id="r", title="t", weight=5).to_item()
    for name in ("title", "weight"):
        del item[name]
    store.backend.call("PutItem", {"TableName": table.name, "Item": item})
    assert store.get(Rule.key(journey_id=fresh, rule_id="r")) == Rule(journey_id=fresh, rule_id="r")


def test_rule_10_a_new_index_has_a_plan_and_a_backfill(store: Store, fresh: str) -> None:
    # More of both in test_plans and test_backfills.
    with deployed(store, first_age(fresh)) as old:
        fill(store, old, 9)
        new = second_age(fresh)
        plan = store.plan(new.model)
        assert [type(step).__name__ for step in plan.steps] == ["AddIndex", "AddIndex", "Change"]
        store.apply(plan)
        assert store.count(new.order.in_status(status="open")) == 0
        assert [store.backfill(backfill.entity).written for backfill in plan.backfills] == [9]
        assert by_index(store, new, "open") == by_scan(store, new, "open") != []
