"""What happens when somebody is faster, or an answer is lost: nothing is damaged, and the loser
gets an error.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey import ItemKey, Store, attr
from sortkey.errors import (
    AlreadyExists,
    ConditionFailed,
    StaleVersion,
    Throttled,
    TransactionCanceledException,
    TransactionFailed,
    TransitionRefused,
    Unreachable,
)
from sortkey.runtime.backend import Capabilities
from sortkey.testing import Faults
from tests.contract.store.models import Asset, Rule, Stage, Task, User, model
from tests.contract.store.test_evolution import First, Third, people


@pytest.fixture
def store(sortkey_store: Store) -> Store:
    """Embedded, with faults. The logic is the same for all backends; only this one can be made to
    fail on demand.
    """
    sortkey_store.ensure(model)
    sortkey_store.ensure(people())
    return sortkey_store


def test_a_delete_follows_a_unique_value_that_moves_under_it(
    store: Store, sortkey_faults: Faults
) -> None:
    # Between the look at the item and its delete another save moved the guard: both guards must be
    # gone in the end.
    made = store.create(User(user_id="1", email="a"))
    sortkey_faults.lose_race(lambda: store.save(made.changed(email="b")))
    gone = store.delete(made)
    assert gone is not None
    assert gone.email == "b"
    store.create(User(user_id="2", email="a"))
    store.create(User(user_id="3", email="b"))


def test_a_delete_of_what_a_rival_deleted_is_fine(store: Store, sortkey_faults: Faults) -> None:
    # What was to be gone is gone, with its guards.
    made = store.create(User(user_id="1", email="a"))
    sortkey_faults.lose_race(lambda: store.delete(made))
    assert store.delete(made) is None
    store.create(User(user_id="2", email="a"))


def test_the_loser_of_a_unique_value_leaves_nothing(store: Store, sortkey_faults: Faults) -> None:
    # The rival takes the value after the loser has looked.
    sortkey_faults.lose_race(lambda: store.create(User(user_id="2", email="a")))
    with pytest.raises(AlreadyExists, match="another item has this email"):
        store.create(User(user_id="1", email="a", nickname="n"))
    assert store.find(User.key(user_id="1")) is None
    store.create(User(user_id="3", nickname="n"))


def test_a_save_that_lost_keeps_the_winners_guard(store: Store, sortkey_faults: Faults) -> None:
    # A version check that fails after half of the work is what damages other stores.
    made = store.create(User(user_id="1", email="a"))
    sortkey_faults.lose_race(lambda: store.save(made.changed(email="b")))
    with pytest.raises(StaleVersion) as lost:
        store.save(made.changed(email="c"))
    assert lost.value.item.email == "b"
    with pytest.raises(AlreadyExists):
        store.create(User(user_id="2", email="b"))
    store.create(User(user_id="3", email="c"))


def test_an_upgrade_does_not_undo_what_a_rival_wrote(store: Store, sortkey_faults: Faults) -> None:
    # An older program changes the item between its upgrade's read and write.
    old = store.create(First(team="t", person_id="1", full_name="Ada Lovelace", age=1))
    key = Third.key(team="t", person_id="1")
    # The first write finds the older version; the second is the upgrade.
    sortkey_faults.lose_race(
        lambda: sortkey_faults.lose_race(lambda: store.put(old.changed(age=2)), "UpdateItem"),
        "UpdateItem",
    )
    after = store.update(key, set={"note": "x"})
    assert (after.months, after.note) == (24, "x")


def test_of_two_moves_one_is_made(store: Store, sortkey_faults: Faults) -> None:
    # Two workers take the same stage.
    key = ItemKey.of_entity(store.create(Stage(journey_id="j", order=1, stage_id="s")))
    sortkey_faults.lose_race(lambda: store.move(key, Stage.status, "running"))
    with pytest.raises(TransitionRefused) as lost:
        store.move(key, Stage.status, "running")
    assert lost.value.item.status == "running"


def test_an_archive_that_lost_has_moved_nothing(store: Store, sortkey_faults: Faults) -> None:
    # The newer values stay where they are.
    made = store.create(Asset(database_id="d", asset_id="a"))
    sortkey_faults.lose_race(lambda: store.save(made.changed(path="/new")))
    with pytest.raises(TransactionFailed):
        store.archive(made)
    assert store.get(ItemKey.of_entity(made)).path == "/new"
    assert store.query(Asset.of_database(database_id="d").archived()) == []


def test_an_assumption_that_a_rival_made_wrong_changes_nothing(
    store: Store, sortkey_faults: Faults
) -> None:
    # The index key was made of it.
    made = store.create(Task(board="b", task_id="1", title="old", owner="ann"))
    key = ItemKey.of_entity(made)
    rival = {"title": "new"}
    sortkey_faults.lose_race(lambda: store.update(key, set=rival, assuming={"status": "open"}))
    with pytest.raises(ConditionFailed):
        store.update(key, set={"status": "done"}, assuming={"title": "old"})
    after = store.get(key)
    assert (after.title, after.status, after.label) == ("new", "open", "new (open)")


def test_a_save_whose_answer_was_lost_before_the_commit_can_be_made_again(
    store: Store, sortkey_faults: Faults
) -> None:
    # Nothing of the first is there.
    made = store.create(Task(board="b", task_id="1"))
    sortkey_faults.crash_before_commit()
    with pytest.raises(Unreachable):
        store.save(made.changed(hits=1))
    assert store.save(made.changed(hits=1)).version == 2


def test_a_save_whose_answer_was_lost_after_the_commit_is_not_made_twice(
    store: Store, sortkey_faults: Faults
) -> None:
    # The second try finds the first. Its error has what is stored.
    made = store.create(Task(board="b", task_id="1"))
    sortkey_faults.crash_after_commit()
    with pytest.raises(Unreachable):
        store.save(made.changed(hits=1))
    with pytest.raises(StaleVersion) as second:
        store.save(made.changed(hits=1))
    assert (second.value.item.hits, second.value.item.version) == (1, 2)


class Conflicting:
    """A service in which every transaction meets another one, as DynamoDB's does under load."""

    capabilities = Capabilities()

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.close = backend.close

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        if operation != "TransactWriteItems":
            return self._backend.call(operation, request)
        count = len(request["TransactItems"])
        raise TransactionCanceledException(
            [{"Code": "TransactionConflict"}, *[{"Code": "None"}] * (count - 1)]
        )


@pytest.mark.parametrize(
    "write",
    [
        lambda store: store.create(User(user_id="1", email="a")),
        lambda store: store.save(User(user_id="2", email="b", version=1)),
        lambda store: store.delete(User.key(user_id="2")),
    ],
)
def test_a_conflict_of_transactions_is_no_taken_value(store: Store, write: Any) -> None:
    # Nothing is known of the value: if the error said that it is taken, the caller would give up
    # a value that may be free.
    store.create(User(user_id="2", email="c"))
    with pytest.raises(TransactionFailed) as failed:
        write(Store(Conflicting(store.backend)))
    assert [reason.code for reason in failed.value.reasons] == ["TransactionConflict"]


def test_throttling_reaches_the_caller_and_leaves_the_item(
    store: Store, sortkey_faults: Faults
) -> None:
    # Nothing is swallowed; what was not done can be done again.
    made = store.create(Rule(journey_id="j", rule_id="1", weight=1))
    sortkey_faults.throttle(1, "UpdateItem")
    with pytest.raises(Throttled):
        store.update(ItemKey.of_entity(made), attr(Rule.weight).set(2))
    assert store.update(ItemKey.of_entity(made), attr(Rule.weight).set(2)).weight == 2
