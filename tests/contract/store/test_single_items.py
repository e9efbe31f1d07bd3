"""One item: get, find, create, put, save, update, delete; what they give, and what they refuse."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sortkey import Store, attr
from sortkey.errors import (
    AlreadyExists,
    ConditionFailed,
    InvalidItem,
    ItemTooLarge,
    KeyValueError,
    ModelError,
    NotFound,
    StaleVersion,
)
from sortkey.testing import FrozenClock
from tests.contract.store.models import Counts, Journey, Reading, Task, table


def task(board: str, task_id: str = "1", **values: Any) -> Task:
    return Task(board=board, task_id=task_id, **values)


def item_of(store: Store, board: str, task_id: str = "1") -> dict[str, Any]:
    key = Task.key(board=board, task_id=task_id).item
    return store.backend.call(
        "GetItem", {"TableName": table.name, "Key": key, "ConsistentRead": True}
    )["Item"]


def now(clock: FrozenClock) -> datetime:
    return datetime.fromtimestamp(clock(), UTC)


# -- reading


@pytest.mark.parametrize("consistent", [False, True])
def test_what_was_created_is_got(store: Store, fresh: str, consistent: bool) -> None:
    # The entity that the store hands back and the one that it reads later are the same.
    made = store.create(task(fresh, tags={"a"}, notes=["x"], counts=Counts(total_jobs=3)))
    assert store.get(Task.key(board=fresh, task_id="1"), consistent=consistent) == made
    assert store.find(Task.key(board=fresh, task_id="1"), consistent=consistent) == made


def test_what_is_not_there_is_not_found(store: Store, fresh: str) -> None:
    # get() is for what must be there, find() for what may be; the message names the key.
    with pytest.raises(NotFound, match=f"there is no Task.*{fresh}"):
        store.get(Task.key(board=fresh, task_id="1"))
    assert store.find(Task.key(board=fresh, task_id="1")) is None


def test_an_item_that_another_program_has_spoilt_is_reported(store: Store, fresh: str) -> None:
    # Not as a missing one, and not as a validation error of the caller's.
    item = {**task(fresh).to_item(), "status": {"S": "lost"}}
    store.backend.call("PutItem", {"TableName": table.name, "Item": item})
    with pytest.raises(InvalidItem, match="is not a valid Task") as failed:
        store.get(Task.key(board=fresh, task_id="1"))
    assert failed.value.item["status"] == {"S": "lost"}
    with pytest.raises(InvalidItem, match=f"{fresh}.* of {table.name}") as failed:
        store.query(Task.of_board(board=fresh))
    assert failed.value.key == Task.key(board=fresh, task_id="1").item


def test_a_number_may_be_a_sort_key(store: Store, fresh: str) -> None:
    # Written 1.50 or 1.5, it is one item.
    store.put(Reading(device=fresh, second=1.5, value=2))
    store.put(Reading(device=fresh, second=-3, value=1))
    assert store.get(Reading.key(device=fresh, second=1.50)).value == 2
    assert [each.second for each in store.query(Reading.of_device(device=fresh))] == [-3, 1.5]
    assert [each.second for each in store.query(Reading.of_device(device=fresh).at_least(0))] == [
        1.5
    ]
    assert [key.values["second"] for key in store.keys(Reading.of_device(device=fresh))] == [
        -3,
        1.5,
    ]


# -- writing whole items


def test_creation_sets_instants_and_version(store: Store, fresh: str, clock: FrozenClock) -> None:
    # By the store's clock, as stored and as handed back.
    made = store.create(task(fresh))
    assert (made.created_at, made.updated_at, made.version) == (now(clock), now(clock), 1)
    assert item_of(store, fresh)["createdAt"] == {
        "S": now(clock).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    }


def test_what_exists_is_not_created_again(store: Store, fresh: str) -> None:
    # The error carries what is there, so that nobody has to ask for it.
    store.create(task(fresh, title="first"))
    with pytest.raises(AlreadyExists) as failed:
        store.create(task(fresh, title="second"))
    assert failed.value.item.title == "first"
    assert store.get(Task.key(board=fresh, task_id="1")).title == "first"


def test_put_replaces_whatever_is_there(store: Store, fresh: str) -> None:
    # All of it: a field that the new one does not have is gone.
    store.create(task(fresh, owner="ann"))
    store.put(task(fresh, title="new"))
    assert store.get(Task.key(board=fresh, task_id="1")).owner is None


def test_a_put_with_a_condition_is_refused_with_what_is_there(store: Store, fresh: str) -> None:
    # A condition on the old item, decided by the service.
    store.create(task(fresh, title="old"))
    with pytest.raises(ConditionFailed) as failed:
        store.put(task(fresh, title="new"), when=Task.title == "other")
    assert failed.value.item.title == "old"
    assert store.put(task(fresh, title="new"), when=Task.title == "old").title == "new"


def test_save_stores_what_nobody_else_has_changed(
    store: Store, fresh: str, clock: FrozenClock
) -> None:
    # Each save raises the version and the instant of the last change, and keeps that of creation.
    made = store.create(task(fresh))
    clock.advance(5)
    saved = store.save(made.changed(title="new"))
    assert (saved.version, saved.created_at, saved.updated_at) == (2, made.created_at, now(clock))
    assert store.get(Task.key(board=fresh, task_id="1")) == saved


def test_save_refuses_what_somebody_else_has_changed(store: Store, fresh: str) -> None:
    # By a save, an update or a put: every one of them raises the version.
    made = store.create(task(fresh))
    store.save(made.changed(title="theirs"))
    with pytest.raises(StaleVersion) as failed:
        store.save(made.changed(title="mine"))
    assert failed.value.item.title == "theirs"
    read = store.get(Task.key(board=fresh, task_id="1"))
    store.update(Task.key(board=fresh, task_id="1"), attr(Task.hits).add(1))
    with pytest.raises(StaleVersion):
        store.save(read.changed(title="mine"))
    read = store.get(Task.key(board=fresh, task_id="1"))
    store.put(read.changed(title="put"))
    with pytest.raises(StaleVersion):
        store.save(read.changed(title="mine"))


def test_save_creates_what_was_never_stored_and_not_what_is_gone(store: Store, fresh: str) -> None:
    # Version 0 is new. A deleted item must not come back by a save.
    made = store.save(task(fresh))
    assert made.version == 1
    with pytest.raises(AlreadyExists):
        store.save(task(fresh))
    store.delete(made)
    with pytest.raises(StaleVersion, match="it is gone"):
        store.save(made)


def test_save_tells_a_condition_from_a_stale_version(store: Store, fresh: str) -> None:
    # Reading again helps against the one, not against the other.
    made = store.create(task(fresh))
    with pytest.raises(ConditionFailed) as failed:
        store.save(made.changed(title="x"), when=Task.status == "done")
    assert not isinstance(failed.value, StaleVersion)


def test_an_item_over_400_kb_names_its_largest_attributes(store: Store, fresh: str) -> None:
    # What to move out of it is what the reader wants to know.
    with pytest.raises(ItemTooLarge, match="The largest: notes") as failed:
        store.put(task(fresh, title="x" * 10_000, notes=["x" * 410_000]))
    assert [name for name, _ in failed.value.sizes[:2]] == ["notes", "label"]
    with pytest.raises(ItemTooLarge, match="its copies in local indexes included"):
        store.put(task(fresh, notes=["x" * 300_000]))
    store.create(task(fresh, notes=["x" * 150_000]))
    with pytest.raises(ItemTooLarge):
        store.update(Task.key(board=fresh, task_id="1"), attr(Task.notes).append("x" * 300_000))


# -- updates


def test_an_update_changes_some_fields_and_gives_the_entity(
    store: Store, fresh: str, clock: FrozenClock
) -> None:
    # Fields that it does not name stay, also those that others change at the same time.
    made = store.create(task(fresh, notes=["a"], tags={"x"}, hits=1, reason="r"))
    clock.advance(1)
    after = store.update(
        Task.key(board=fresh, task_id="1"),
        attr(Task.hits).add(4),
        attr(Task.notes).append("b", "c"),
        attr(Task.tags).add({"y"}),
        set={"reason": None},
    )
    assert (after.hits, after.notes, after.tags, after.reason) == (
        5,
        ["a", "b", "c"],
        {"x", "y"},
        None,
    )
    assert (after.version, after.updated_at, after.created_at) == (2, now(clock), made.created_at)
    assert item_of(store, fresh)["reason"] == {"NULL": True}
    assert store.get(Task.key(board=fresh, task_id="1")) == after


def test_updates_reach_into_lists_and_maps(store: Store, fresh: str, clock: FrozenClock) -> None:
    # Two programs that change two members of one map do not lose each other's change.
    store.create(task(fresh, notes=["a", "b"], counts=Counts()))
    key = Task.key(board=fresh, task_id="1")
    store.update(key, attr(Task.notes)[1].set("B"))
    store.update(key, attr(Task.counts).total_jobs.add(2))  # type: ignore[union-attr]
    after = store.update(key, attr(Task.counts).last_at.set(now(clock)))  # type: ignore[union-attr]
    assert (after.notes, after.counts) == (["a", "B"], Counts(total_jobs=2, last_at=now(clock)))
    assert store.update(key, attr(Task.counts).last_at.set(None)).counts == Counts(total_jobs=2)  # type: ignore[union-attr]


def test_an_update_in_an_envelope_finds_its_fields(store: Store, fresh: str) -> None:
    # The payload lies under Data; nobody has to say so.
    key = Journey.key(journey_id=fresh)
    store.create(Journey(journey_id=fresh, name="a", labels={"x"}, counts=Counts()))
    after = store.update(
        key, attr(Journey.counts).total_jobs.add(3), set={"name": "b"}, when=Journey.name == "a"
    )
    assert (after.name, after.counts.total_jobs) == ("b", 3)
    assert store.update(key, attr(Journey.labels).discard("x")).labels == set()


def test_an_update_of_what_is_not_there_makes_nothing(store: Store, fresh: str) -> None:
    # DynamoDB's own UpdateItem would make an item of the changed attributes alone.
    with pytest.raises(
        ConditionFailed, match="there is no such item; pass upsert=True to create it"
    ):
        store.update(Task.key(board=fresh, task_id="1"), set={"reason": "x"})
    assert store.find(Task.key(board=fresh, task_id="1")) is None


def test_an_update_whose_condition_fails_changes_nothing_and_carries_the_item(
    store: Store, fresh: str
) -> None:
    # The loser of a race sees what the winner left, without another read.
    made = store.create(task(fresh, status="doing"))
    with pytest.raises(ConditionFailed) as failed:
        store.update(
            Task.key(board=fresh, task_id="1"), set={"reason": "x"}, when=Task.status == "open"
        )
    assert failed.value.item == made
    assert store.get(Task.key(board=fresh, task_id="1")) == made


def test_a_number_cannot_be_added_out_of_its_limits(store: Store, fresh: str) -> None:
    # hits may be 0 to 100; an item with 101 could not be read again by anybody.
    store.create(task(fresh, hits=99))
    key = Task.key(board=fresh, task_id="1")
    assert store.update(key, attr(Task.hits).add(1)).hits == 100
    with pytest.raises(ConditionFailed, match="or hits would leave its limits"):
        store.update(key, attr(Task.hits).add(1))
    with pytest.raises(ConditionFailed):
        store.update(key, attr(Task.hits).subtract(101))
    assert store.get(key).hits == 100


def test_updates_keep_attributes_that_the_program_does_not_know(store: Store, fresh: str) -> None:
    # Read, saved, updated: they are a newer program's.
    unknown = {
        "colour": {"S": "red"},
        "shape": {"M": {"corners": {"N": "3"}, "none": {"NULL": True}}},
    }
    store.backend.call(
        "PutItem", {"TableName": table.name, "Item": {**task(fresh, "1").to_item(), **unknown}}
    )
    key = Task.key(board=fresh, task_id="1")
    store.update(key, attr(Task.hits).add(1))
    assert unknown.items() <= item_of(store, fresh).items()
    read = store.get(key)
    store.put(read.changed(hits=7))
    assert unknown.items() <= item_of(store, fresh).items()
    store.put(read.model_copy(update={"hits": 8}))
    assert unknown.items() <= item_of(store, fresh).items()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"set": {}}, ModelError, "changes nothing"),
        ({"set": {"colour": "red"}}, ModelError, "Task has no field 'colour'"),
        (
            {"set": {"task_id": "2"}},
            ModelError,
            "task_id is part of Task's key, which cannot change",
        ),
        ({"set": {"title": None}, "assuming": {"status": "open"}}, None, ""),
        ({"set": {"status": "gone"}}, KeyValueError, "status cannot be 'gone'"),
        ({"set": {"shown": "DONE"}}, ModelError, "shown follows status: set that one"),
        (
            {"set": {"version": 9}},
            ModelError,
            "version is the version, which every write raises by itself",
        ),
        (
            {"set": {"status": "done"}},
            ModelError,
            "the computed field label must be rebuilt, which also needs title",
        ),
        ({"set": {"owner": "bob"}}, None, ""),
        ({"set": {"expires_at": datetime(2026, 1, 1)}}, KeyValueError, "has no time zone"),
        ({"set": {"hits": 101}}, KeyValueError, "less than or equal to 100"),
        (
            {"actions": (attr(Task.hits).add(1), attr(Task.hits).add(2))},
            ModelError,
            "changes Task.hits twice",
        ),
        (
            {"actions": (attr(Task.notes)[0].set("x"),), "set": {"notes": ["y"]}},
            ModelError,
            "changes Task.notes twice: by itself, or by something inside it",
        ),
        ({"set": {"reason": "x"}, "when": True}, ModelError, "True is not a condition"),
        (
            {"set": {"reason": "x"}, "when": Journey.name == "x"},
            ModelError,
            "Journey.Data.name is not a field of Task",
        ),
        (
            {"set": {"reason": "x"}, "assuming": {"colour": 1}},
            ModelError,
            "Task has no field 'colour'",
        ),
    ],
)
def test_a_wrong_update_is_refused_before_it_is_sent(
    store: Store, fresh: str, change: dict[str, Any], error: type[Exception] | None, message: str
) -> None:
    # With what to write instead. Two of these are right, and show that the others are not refused
    # for nothing.
    made = store.create(task(fresh))
    key = Task.key(board=fresh, task_id="1")
    actions, arguments = (
        change.get("actions", ()),
        {name: change[name] for name in change if name != "actions"},
    )
    if error is None:
        store.update(key, *actions, **arguments)
        return
    with pytest.raises(error, match=message):
        store.update(key, *actions, **arguments)
    assert store.get(key) == made


def test_an_empty_set_is_a_missing_attribute(store: Store, fresh: str) -> None:
    # DynamoDB has none; emptied by an update, by a save or element by element, it reads as empty.
    key = Task.key(board=fresh, task_id="1")
    store.create(task(fresh, tags={"a", "b"}))
    assert store.update(key, attr(Task.tags).discard("a", "b")).tags == set()
    store.update(key, set={"tags": {"c"}})
    assert store.update(key, set={"tags": set()}).tags == set()
    assert "tags" not in item_of(store, fresh)
    assert store.save(store.get(key).changed(tags={"d"})).tags == {"d"}
    assert store.save(store.get(key).changed(tags=set())).tags == set()
    assert store.get(key).tags == set()


# -- deletion


def test_delete_gives_what_was_there(store: Store, fresh: str) -> None:
    # Deleting twice is fine: what was to be gone is gone.
    made = store.create(task(fresh))
    assert store.delete(Task.key(board=fresh, task_id="1")) == made
    assert store.delete(made) is None
    assert store.find(Task.key(board=fresh, task_id="1")) is None


def test_a_delete_with_a_condition_is_refused_with_what_is_there(store: Store, fresh: str) -> None:
    # Only what is done may go; and what is not there does not fulfil a condition.
    made = store.create(task(fresh))
    with pytest.raises(ConditionFailed) as failed:
        store.delete(made, when=Task.status == "done")
    assert failed.value.item == made
    with pytest.raises(ConditionFailed, match="there is no such item"):
        store.delete(Task.key(board=fresh, task_id="2"), when=Task.status == "done")


# -- what is stored


def test_instants_and_expiry_are_stored_as_documents_have_them(store: Store, fresh: str) -> None:
    # TTL needs seconds as a number; everything else is text whose order is that of time.
    at = datetime(2030, 5, 6, 7, 8, 9, 123456, tzinfo=UTC)
    store.create(task(fresh, expires_at=at, counts=Counts(last_at=at - timedelta(days=1))))
    item = item_of(store, fresh)
    assert item["expiresAt"] == {"N": "1904281689"}
    assert item["counts"]["M"]["lastAt"] == {"S": "2030-05-05T07:08:09.123456Z"}
    assert store.get(Task.key(board=fresh, task_id="1")).expires_at == at.replace(microsecond=0)


def test_computed_fields_and_followers_are_stored_and_kept_in_step(
    store: Store, fresh: str
) -> None:
    # For programs that read the table without the model.
    store.create(task(fresh, title="a"))
    key = Task.key(board=fresh, task_id="1")
    assert (item_of(store, fresh)["label"], item_of(store, fresh)["shown"]) == (
        {"S": "a (open)"},
        {"S": "WAITING"},
    )
    store.update(key, set={"status": "done", "title": "b"}, assuming={"owner": None})
    assert (item_of(store, fresh)["label"], item_of(store, fresh)["shown"]) == (
        {"S": "b (done)"},
        {"S": "DONE"},
    )
    store.update(key, set={"status": "open"}, assuming={"title": "b", "owner": None})
    assert (item_of(store, fresh)["label"], item_of(store, fresh)["shown"]) == (
        {"S": "b (open)"},
        {"S": "WAITING"},
    )
