"""Statuses that follow each other, and items that are put away without being lost."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey import ItemKey, Put, Store
from sortkey.errors import (
    ConditionFailed,
    KeyValueError,
    ModelError,
    TransactionFailed,
    TransitionRefused,
)
from tests.contract.store.models import Asset, Stage, Task


def stage(journey: str, **values: Any) -> Stage:
    return Stage(journey_id=journey, order=1, stage_id="s", **values)


# -- states


def test_a_status_moves_along_its_transitions(store: Store, fresh: str) -> None:
    # With other fields in the same write.
    key = ItemKey.of_entity(store.create(stage(fresh)))
    assert store.move(key, Stage.status, "running", set={"title": "now"}).title == "now"
    assert store.move(key, Stage.status, "failed").status == "failed"
    assert store.update(key, set={"status": "pending"}).status == "pending"


@pytest.mark.parametrize("how", ["move", "update"])
def test_a_status_that_cannot_follow_is_refused_with_what_is_stored(
    store: Store, fresh: str, how: str
) -> None:
    # The condition is decided where the item is: two who move at the same time cannot both be
    # right.
    made = store.create(stage(fresh))
    key = ItemKey.of_entity(made)
    with pytest.raises(
        TransitionRefused, match="status is 'pending', which 'done' cannot follow"
    ) as failed:
        store.move(key, Stage.status, "done") if how == "move" else store.update(
            key, set={"status": "done"}
        )
    assert failed.value.item == made
    assert store.get(key) == made


def test_a_move_is_made_once(store: Store, fresh: str) -> None:
    # The second of two workers that take the same stage is refused.
    key = ItemKey.of_entity(store.create(stage(fresh)))
    store.move(key, Stage.status, "running")
    with pytest.raises(TransitionRefused):
        store.move(key, Stage.status, "running")


def test_a_new_item_has_a_status_that_new_items_have(store: Store, fresh: str) -> None:
    # Nothing is born done.
    with pytest.raises(ModelError, match="a new Stage has status 'pending', not 'done'"):
        store.create(stage(fresh, status="done"))


@pytest.mark.parametrize("how", ["put", "transaction"])
def test_a_put_over_what_is_there_makes_a_transition_or_none(
    store: Store, fresh: str, how: str
) -> None:
    # A whole item that is written back with another status would else undo what is final.
    def put(each: Stage) -> None:
        store.put(each) if how == "put" else store.transact(Put(each))

    made = store.create(stage(fresh))
    with pytest.raises(TransitionRefused if how == "put" else TransactionFailed) as failed:
        put(made.changed(status="done"))
    read = (
        failed.value.item
        if isinstance(failed.value, TransitionRefused)
        else failed.value.reasons[0].item
    )
    assert read == made
    for status in ("pending", "running", "done"):
        put(made.changed(status=status, title=status))
    assert store.get(ItemKey.of_entity(made)).title == "done"


def test_a_put_where_nothing_is_takes_any_status(store: Store, fresh: str) -> None:
    # What began in another system is brought in as it is there.
    assert store.put(stage(fresh, status="done")).status == "done"


def test_a_put_with_a_condition_of_its_own_has_both(store: Store, fresh: str) -> None:
    # Neither is lost for the other, and each raises its own error.
    made = store.create(stage(fresh, title="t"))
    with pytest.raises(TransitionRefused):
        store.put(made.changed(status="done"), when=Stage.title == "t")
    with pytest.raises(ConditionFailed, match="its condition does not hold"):
        store.put(made.changed(status="running"), when=Stage.title == "x")
    assert store.get(ItemKey.of_entity(made)) == made


def test_a_batch_writes_any_status(store: Store, fresh: str) -> None:
    # It has no conditions: what is restored from a copy is as it was, whatever is there now.
    made = store.create(stage(fresh))
    store.batch_write([made.changed(status="done")])
    store.batch_write([made])
    assert store.get(ItemKey.of_entity(made)) == made


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda store, key: store.move(key, Stage.title, "x"), "Stage.Data.title has no states"),
        (
            lambda store, key: store.move(key, "status", "running"),
            "takes a field of an entity class",
        ),
        (
            lambda store, key: store.move(key, Task.status, "done"),
            "Task.status has no states to move between",
        ),
        (
            lambda store, key: store.update(key, set={"status": None}),
            "which 'pending' cannot follow",
        ),
    ],
)
def test_a_wrong_move_is_refused(store: Store, fresh: str, call: Any, message: str) -> None:
    # Before it is sent.
    made = store.create(stage(fresh, title="t"))
    with pytest.raises((ModelError, TransitionRefused), match=message):
        call(store, ItemKey.of_entity(made))
    assert store.get(ItemKey.of_entity(made)) == made


# -- the archive


def asset(database: str, asset_id: str = "a", **values: Any) -> Asset:
    return Asset(database_id=database, asset_id=asset_id, **values)


def test_what_another_program_has_written_without_a_version_is_archived_too(
    store: Store, fresh: str
) -> None:
    # A version that is missing is read as 0, and has not changed where it is still missing.
    key = Asset.key(database_id=fresh, asset_id="a")
    store.backend.call(
        "PutItem", {"TableName": key.table.name, "Item": {**key.item, "count": {"N": "0"}}}
    )
    read = store.get(key)
    store.archive(read)
    assert store.find(key) is None
    with pytest.raises(TransactionFailed):
        store.archive(read)


def test_what_is_archived_is_found_there_and_only_there(store: Store, fresh: str) -> None:
    # A partition of its own, queried like the other.
    kept, gone = store.create(asset(fresh, "kept")), store.create(asset(fresh, "gone", path="/x"))
    archived = store.archive(gone)
    assert archived.in_archive
    assert not gone.in_archive
    live = Asset.of_database(database_id=fresh)
    assert store.query(live) == [kept]
    assert [each.asset_id for each in store.query(live.archived())] == ["gone"]
    assert store.find(ItemKey.of_entity(gone)) is None
    assert store.get(Asset.key(database_id=fresh, asset_id="gone").archived()) == archived
    assert archived.to_item()["databaseId"] == {"S": f"{fresh}#deleted"}


def test_what_is_restored_is_as_it_was(store: Store, fresh: str) -> None:
    # Its fields; the version has counted the moves.
    made = store.create(asset(fresh, path="/x", count=3))
    restored = store.restore(store.archive(made))
    assert restored == made.changed(version=3)
    assert store.get(ItemKey.of_entity(made)) == restored
    assert store.query(Asset.of_database(database_id=fresh).archived()) == []
    assert store.save(restored.changed(path="/y")).version == 4


def test_the_archive_keeps_what_the_program_does_not_know(store: Store, fresh: str) -> None:
    # To be put away is not to be forgotten.
    item = {**asset(fresh).to_item(), "colour": {"S": "red"}}
    store.backend.call("PutItem", {"TableName": Asset.__layout__.table.name, "Item": item})
    there = store.restore(store.archive(store.get(Asset.key(database_id=fresh, asset_id="a"))))
    assert there.to_item()["colour"] == {"S": "red"}
    assert store.get(ItemKey.of_entity(there)).to_item()["colour"] == {"S": "red"}


def test_a_stale_copy_is_not_archived(store: Store, fresh: str) -> None:
    # What was saved in between would be lost with it.
    read = store.create(asset(fresh))
    store.save(read.changed(path="/new"))
    with pytest.raises(TransactionFailed):
        store.archive(read)
    assert store.get(ItemKey.of_entity(read)).path == "/new"


def test_the_archive_is_not_overwritten(store: Store, fresh: str) -> None:
    # Of two with one key only the first can be there.
    store.archive(store.create(asset(fresh, path="/1")))
    second = store.create(asset(fresh, path="/2"))
    with pytest.raises(TransactionFailed):
        store.archive(second)
    assert store.get(ItemKey.of_entity(second)) == second


def test_an_archived_item_can_be_updated_where_it_is(store: Store, fresh: str) -> None:
    # A note on why it was put away.
    archived = store.archive(store.create(asset(fresh)))
    after = store.update(ItemKey.of_entity(archived), set={"path": "/why"})
    assert (after.path, after.in_archive) == ("/why", True)
    with pytest.raises(ConditionFailed):
        store.update(Asset.key(database_id=fresh, asset_id="a"), set={"path": "/why"})


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda store, made: store.restore(made), ModelError, "is not in the archive"),
        (lambda store, made: store.archive(store.archive(made)), ModelError, "is in the archive"),
        (
            lambda store, made: Asset.ranked(database_id="x").archived(),
            ModelError,
            "query it by the table's key",
        ),
        (
            lambda store, made: Task.key(board="b", task_id="1").archived(),
            ModelError,
            "Task has no archive",
        ),
        (
            lambda store, made: store.put(asset("x#deleted")),
            KeyValueError,
            "x#deleted",
        ),
        (
            lambda store, made: Asset.key(database_id="x#deleted", asset_id="a"),
            KeyValueError,
            "which marks archived items",
        ),
    ],
)
def test_wrong_uses_of_the_archive_are_refused(
    store: Store, fresh: str, call: Any, error: type[Exception], message: str
) -> None:
    # Each would mix up the two partitions.
    with pytest.raises(error, match=message):
        call(store, store.create(asset(fresh)))
