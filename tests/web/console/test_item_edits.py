"""Items changed by hand obey the model as those do that programs write."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import computed_field

import sortkey
from sortkey import (
    GSI,
    Entity,
    Follows,
    Instant,
    Model,
    States,
    Store,
    Table,
    Updated,
    Version,
    index,
    key,
)
from sortkey.errors import AlreadyExists, ModelError
from sortkey.web.console.item_edits import delete, recovery_note, replace
from sortkey.web.console.request_log import RequestLog
from sortkey.web.console.workspace import Workspace

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
STATES = States({"open": ["paid", "cancelled"], "paid": ["shipped"]}, start=["open"])

model = Model("shop")
table = model.add(
    Table("shop", key=("PK", "SK"), indexes=[GSI("recent", "recentPK", "recentSK")], pitr=True)
)
bare = model.add(Table("bare", key=("PK",), pitr=False))


class Order(Entity, table=table, kind="Order", envelope="Data"):
    order_id: str
    status: Annotated[Literal["open", "paid", "shipped", "cancelled"], STATES] = "open"
    is_final: Annotated[
        bool, Follows("status", {"open": False, "paid": False, "shipped": True, "cancelled": True})
    ] = False
    note: str = ""
    updated_at: Annotated[Instant | None, Updated] = None
    version: Annotated[int, Version] = 0

    @key("ORDER#{order_id}", "ORDER")
    def key(*, order_id: str):
        """An order."""

    @index("recent", "ORDERS", "{updated_at}")
    def recent():
        """The orders by their last change."""


class Member(Entity, table=table, kind="Member", unique=["email"]):
    member_id: str
    email: str

    @key("MEMBER#{member_id}", "MEMBER")
    def key(*, member_id: str):
        """A member, whose address no other has."""


class Task(Entity, table=table, kind="Task"):
    project: str
    number: int
    owner: str
    status: Annotated[Literal["todo", "done"], States({"todo": ["done"]}, start=["todo"])] = "todo"

    @computed_field
    @property
    def label(self) -> str:
        return f"{self.owner}: {self.status}"

    @key("PROJECT#{project}", "TASK#{number:04d}")
    def key(*, project: str, number: int):
        """A task of a project."""

    @index("recent", "OWNER#{owner}#{status}", "{number:04d}")
    def of_owner(*, owner: str, status: str):
        """The tasks of a person, by status."""


class Plain(Entity, table=bare, kind="Plain"):
    name: str

    @key("{name}")
    def key(*, name: str):
        """Something that the model keeps nothing in."""


def renamed(values: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: value for name, value in values.items() if name != "body"},
        "text": values["body"],
    }


class Note(Entity, table=bare, kind="Note", version=2, upgrades={1: renamed}):
    name: str
    text: str

    @key("{name}")
    def key(*, name: str):
        """A note, whose text was once called body."""


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with sortkey.open(":memory:") as store:
        store.ensure(model)
        yield Workspace(store, [model], RequestLog())


def stored(store: Store, **values: Any) -> Any:
    """The item of an order, as somebody reads it who is about to change it. In any status: a batch
    checks none.
    """
    order = Order(order_id="1", updated_at=LONG_AGO, version=4, **values)
    store.batch_write([order])
    return order.changed(version=5).to_item()


def edited(item: Any, **values: Any) -> Any:
    return {**item, "Data": {"M": {**item["Data"]["M"], **values}}}


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("shipped", "open", "status is shipped, which is final: open cannot follow it"),
        ("open", "shipped", "status is open: paid or cancelled can follow it, not shipped"),
    ],
)
def test_an_edit_makes_no_transition_that_the_model_forbids(
    workspace: Workspace, before: Any, after: str, message: str
):
    # What a program may not do, a slip in a form may not do either. The message says what can be
    # done.
    old = stored(workspace.store, status=before)
    with pytest.raises(ModelError, match=f"^{message}$"):
        replace(workspace, "shop", old, edited(old, status={"S": after}))
    assert workspace.item("shop", workspace.key_of("shop", old)) == old


def test_a_status_is_not_lost_and_found_again_as_the_first(workspace: Workspace):
    # Without the attribute the order would be read as an open one.
    old = stored(workspace.store, status="shipped")
    new = edited(old)
    del new["Data"]["M"]["status"]
    with pytest.raises(ModelError, match="open cannot follow it"):
        replace(workspace, "shop", old, new)


def test_an_edit_stamps_the_item_as_a_program_does(workspace: Workspace):
    # Its instant, the key that is made of it, its version, and what follows the status; nothing
    # else.
    old = stored(workspace.store, note="a")
    replace(workspace, "shop", old, edited(old, status={"S": "cancelled"}, colour={"S": "red"}))
    order = workspace.store.get(Order.key(order_id="1"))
    assert order.updated_at is not None
    assert order.updated_at > LONG_AGO
    assert (order.status, order.version, order.note) == ("cancelled", 6, "a")
    item = order.to_item()
    assert item == workspace.item("shop", workspace.key_of("shop", old))
    assert item["Data"]["M"]["is_final"] == {"BOOL": True}
    assert item["Data"]["M"]["colour"] == {"S": "red"}
    assert item["recentSK"] == item["Data"]["M"]["updated_at"]


def test_a_status_that_the_model_does_not_know_can_be_mended(workspace: Workspace):
    # The one edit that an item needs which no program can read.
    old = edited(stored(workspace.store), status={"S": "lost"})
    workspace.call("PutItem", {"TableName": "shop", "Item": old})
    replace(workspace, "shop", old, edited(old, status={"S": "paid"}))
    assert workspace.store.get(Order.key(order_id="1")).status == "paid"


def test_a_new_item_has_a_status_that_new_items_have(workspace: Workspace):
    new = Order(order_id="2", status="paid", updated_at=LONG_AGO).to_item()
    with pytest.raises(ModelError, match="status of a new Order must be open, not paid"):
        replace(workspace, "shop", None, new)
    replace(workspace, "shop", None, edited(new, status={"S": "open"}))
    assert workspace.store.get(Order.key(order_id="2")).updated_at == LONG_AGO


def test_a_change_between_the_look_and_the_edit_is_not_overwritten(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
):
    # A program that writes in that moment would lose what it wrote, without a word.
    old = stored(workspace.store)
    workspace.store.update(Order.key(order_id="1"), set={"note": "theirs"})
    monkeypatch.setattr(workspace, "item", lambda *_: old)
    with pytest.raises(ModelError, match="someone else"):
        replace(workspace, "shop", old, edited(old, note={"S": "mine"}))
    assert workspace.store.get(Order.key(order_id="1")).note == "theirs"


def task(store: Store) -> Any:
    return store.create(Task(project="apollo", number=7, owner="ada")).to_item()


def test_an_edit_rebuilds_the_index_keys_and_computed_fields_that_its_fields_make(
    workspace: Workspace,
):
    # Else nobody could change a status by hand that an index sorts by, and a program would look for
    # the item in vain.
    old = task(workspace.store)
    replace(workspace, "shop", old, {**old, "status": {"S": "done"}, "owner": {"S": "bob"}})
    (found,) = workspace.store.query(Task.of_owner(owner="bob", status="done"))
    assert (found.number, found.label) == (7, "bob: done")
    stored = workspace.item("shop", workspace.key_of("shop", old)) or {}
    assert stored == found.to_item()
    assert (stored["recentPK"], stored["label"]) == ({"S": "OWNER#bob#done"}, {"S": "bob: done"})
    assert [*workspace.store.query(Task.of_owner(owner="ada", status="todo"))] == []


def test_a_new_item_gets_the_keys_that_its_fields_make(workspace: Workspace):
    # Whoever writes one by hand knows the fields; what they make in every index is the model's
    # business.
    given = {
        "PK": "PROJECT#apollo",
        "SK": "TASK#0009",
        "EntityType": "Task",
        "project": "apollo",
        "owner": "ada",
    }
    replace(
        workspace,
        "shop",
        None,
        {**{name: {"S": text} for name, text in given.items()}, "number": {"N": "9"}},
    )
    assert [
        each.number for each in workspace.store.query(Task.of_owner(owner="ada", status="todo"))
    ] == [9]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "recentPK",
            "recentPK is built from owner, status and would be OWNER#ada#todo: change those instead",
        ),
        ("label", "label is built from owner, status and would be ada: todo: change those instead"),
    ],
)
def test_what_is_made_of_fields_is_not_changed_by_itself(
    workspace: Workspace, name: str, message: str
):
    # To drop what somebody typed, without a word, would be worse than to refuse it.
    old = task(workspace.store)
    with pytest.raises(ModelError, match=f"^{message}$"):
        replace(workspace, "shop", old, {**old, name: {"S": "OWNER#eve#todo"}})
    assert workspace.item("shop", workspace.key_of("shop", old)) == old


def test_a_follower_is_not_changed_by_itself(workspace: Workspace):
    old = stored(workspace.store)
    with pytest.raises(
        ModelError, match=r"^Data\.is_final follows status and would be false: change that instead$"
    ):
        replace(workspace, "shop", old, edited(old, is_final={"BOOL": True}))


def test_a_key_that_has_drifted_is_right_after_any_edit(workspace: Workspace):
    # Somebody wrote past the model. An edit of something else is no reason to keep the fault, or to
    # refuse the edit.
    old = {**task(workspace.store), "recentPK": {"S": "OWNER#eve#todo"}}
    workspace.call("PutItem", {"TableName": "shop", "Item": old})
    replace(workspace, "shop", old, {**old, "owner": {"S": "bob"}})
    assert (workspace.item("shop", workspace.key_of("shop", old)) or {})["recentPK"] == {
        "S": "OWNER#bob#todo"
    }


def test_a_field_of_the_key_itself_is_refused_with_what_to_do(workspace: Workspace):
    # It would be another item; and the old one would stay.
    old = task(workspace.store)
    with pytest.raises(ModelError) as refused:
        replace(workspace, "shop", old, {**old, "number": {"N": "8"}})
    assert str(refused.value) == (
        "number is part of the key: SK would be TASK#0008. The key of an item cannot change: "
        "create a new item with these values, then delete this one"
    )
    assert workspace.item("shop", workspace.key_of("shop", old)) == old


def test_a_new_item_whose_key_does_not_fit_its_fields_is_refused(workspace: Workspace):
    new = {**Task(project="apollo", number=7, owner="ada").to_item(), "SK": {"S": "TASK#0008"}}
    with pytest.raises(
        ModelError,
        match=r"^the key does not match the fields that it is built from: SK would be TASK#0007$",
    ):
        replace(workspace, "shop", None, new)


def test_an_older_item_is_upgraded_as_a_whole(workspace: Workspace):
    # Keys of today over fields of yesterday would be an item that no program can read.
    old = {
        "PK": {"S": "a"},
        "EntityType": {"S": "Note"},
        "body": {"S": "hello"},
        "name": {"S": "a"},
    }
    workspace.call("PutItem", {"TableName": "bare", "Item": old})
    replace(workspace, "bare", old, {**old, "body": {"S": "bye"}})
    assert workspace.item("bare", {"PK": {"S": "a"}}) == Note(name="a", text="bye").to_item()


def test_a_new_item_on_a_key_that_is_taken_names_the_key(workspace: Workspace):
    # "Somebody else has changed it" would be no help: nobody has.
    old = task(workspace.store)
    with pytest.raises(AlreadyExists) as refused:
        replace(workspace, "shop", None, {**old, "owner": {"S": "bob"}})
    assert (
        str(refused.value)
        == "an item with the key PK=PROJECT#apollo, SK=TASK#0007 already exists in shop"
    )
    assert refused.value.item == old
    with pytest.raises(AlreadyExists):  # before anything else that may be wrong with the new one
        replace(
            workspace, "shop", None, {**workspace.key_of("shop", old), "EntityType": {"S": "Task"}}
        )


def test_a_key_that_is_taken_in_the_last_moment_is_named_too(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
):
    old = task(workspace.store)
    monkeypatch.setattr(workspace, "item", lambda *_: None)
    with pytest.raises(
        AlreadyExists, match="PK=PROJECT#apollo, SK=TASK#0007 already exists in shop"
    ):
        replace(workspace, "shop", None, old)


def test_an_item_that_was_deleted_meanwhile_is_not_made_again(workspace: Workspace):
    old = task(workspace.store)
    workspace.call("DeleteItem", {"TableName": "shop", "Key": workspace.key_of("shop", old)})
    with pytest.raises(ModelError, match="has been deleted since you opened it"):
        replace(workspace, "shop", old, {**old, "owner": {"S": "bob"}})
    assert workspace.item("shop", workspace.key_of("shop", old)) is None


def test_an_item_without_its_key_is_told_what_it_lacks(workspace: Workspace):
    with pytest.raises(ModelError, match=r"^SK is part of the key of shop: add it to the item$"):
        replace(workspace, "shop", None, {"PK": {"S": "a"}})


def test_an_item_of_no_such_fields_is_stored_as_it_is(workspace: Workspace):
    # Nothing is put into an item that its entity does not know.
    old = workspace.store.put(Plain(name="a")).to_item()
    replace(workspace, "bare", old, {**old, "colour": {"S": "red"}})
    assert workspace.item("bare", {"PK": {"S": "a"}}) == {**old, "colour": {"S": "red"}}


def test_what_would_bring_an_item_back_is_reported_of_its_own_table(workspace: Workspace):
    # A promise of recovery where there is none is the last thing that somebody reads before the
    # loss.
    assert recovery_note(workspace, "shop") == "It can only be restored by point-in-time recovery."
    assert "has no point-in-time recovery" in recovery_note(workspace, "bare")
    assert "only be restored from a backup of the table or" in recovery_note(
        workspace, "no-such-table"
    )


def test_unique_values_are_kept_unique_by_hand_too(workspace: Workspace) -> None:
    # Else a deleted item would keep its value for ever, and two items could have one.
    store = workspace.store
    ada, bob = (
        store.create(Member(member_id=each, email=f"{each}@example.com")) for each in ("ada", "bob")
    )
    with pytest.raises(ModelError, match="another item has this email"):
        replace(workspace, "shop", bob.to_item(), bob.changed(email=ada.email).to_item())
    replace(workspace, "shop", ada.to_item(), ada.changed(email="lovelace@example.com").to_item())
    replace(workspace, "shop", bob.to_item(), bob.changed(email=ada.email).to_item())
    delete(workspace, "shop", workspace.key_of("shop", bob.to_item()))
    assert store.create(Member(member_id="eve", email=ada.email))
    with pytest.raises(ModelError, match="another item has this email"):
        replace(workspace, "shop", None, Member(member_id="new", email=ada.email).to_item())
