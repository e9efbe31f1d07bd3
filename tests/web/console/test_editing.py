"""Items changed by hand obey the model as those do that programs write."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import pytest

import sortkey
from sortkey import GSI, Entity, Follows, Instant, Model, States, Store, Table, Updated, Version, index, key
from sortkey.errors import ModelError
from sortkey.web.console.editing import delete, farewell, replace
from sortkey.web.console.request_log import RequestLog
from sortkey.web.console.workspace import Workspace

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
STATES = States({"open": ["paid", "cancelled"], "paid": ["shipped"]}, start=["open"])

model = Model("shop")
table = model.add(Table("shop", key=("PK", "SK"), indexes=[GSI("recent", "recentPK", "recentSK")], pitr=True))
bare = model.add(Table("bare", key=("PK",), pitr=False))


class Order(Entity, table=table, kind="Order", envelope="Data"):
    order_id: str
    status: Annotated[Literal["open", "paid", "shipped", "cancelled"], STATES] = "open"
    is_final: Annotated[bool, Follows("status", {"open": False, "paid": False, "shipped": True, "cancelled": True})] = (
        False
    )
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


class Plain(Entity, table=bare, kind="Plain"):
    name: str

    @key("{name}")
    def key(*, name: str):
        """Something that the model keeps nothing in."""


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with sortkey.open(":memory:") as store:
        store.ensure(model)
        yield Workspace(store, [model], RequestLog())


def stored(store: Store, **values: Any) -> Any:
    """The item of an order, as somebody reads it who is about to change it. In any status: a batch checks none."""
    order = Order(order_id="1", updated_at=LONG_AGO, version=4, **values)
    store.batch_write([order])
    return order.changed(version=5).to_item()


def edited(item: Any, **values: Any) -> Any:
    return {**item, "Data": {"M": {**item["Data"]["M"], **values}}}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("shipped", "open", "status is shipped, which is final: open cannot follow it"),
        ("open", "shipped", "status is open: paid or cancelled can follow it, not shipped"),
    ],
)
def test_an_edit_makes_no_transition_that_the_model_forbids(workspace: Workspace, before: Any, after: str, told: str):
    # Who may not do it in a program does not do it by a slip in a form; and is told what can be done.
    old = stored(workspace.store, status=before)
    with pytest.raises(ModelError, match=f"^{told}$"):
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
    # Its instant, the key that is made of it, its version, and what follows the status; nothing else.
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
    with pytest.raises(ModelError, match="a new Order has status open, not paid"):
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
    with pytest.raises(ModelError, match="somebody else"):
        replace(workspace, "shop", old, edited(old, note={"S": "mine"}))
    assert workspace.store.get(Order.key(order_id="1")).note == "theirs"


def test_an_item_of_no_such_fields_is_stored_as_it_is(workspace: Workspace):
    # Nothing is put into an item that its entity does not know.
    old = workspace.store.put(Plain(name="a")).to_item()
    replace(workspace, "bare", old, {**old, "colour": {"S": "red"}})
    assert workspace.item("bare", {"PK": {"S": "a"}}) == {**old, "colour": {"S": "red"}}


def test_what_would_bring_an_item_back_is_told_of_its_own_table(workspace: Workspace):
    # A promise of recovery where there is none is the last thing that somebody reads before the loss.
    assert farewell(workspace, "shop") == "It can be brought back by point-in-time recovery only."
    assert "has no point-in-time recovery" in farewell(workspace, "bare")
    assert "Only a backup" in farewell(workspace, "no-such-table")


def test_unique_values_are_kept_unique_by_hand_too(workspace: Workspace) -> None:
    # Else a deleted item would keep its value for ever, and two items could have one.
    store = workspace.store
    ada, bob = (store.create(Member(member_id=each, email=f"{each}@example.com")) for each in ("ada", "bob"))
    with pytest.raises(ModelError, match="another item has this email"):
        replace(workspace, "shop", bob.to_item(), bob.changed(email=ada.email).to_item())
    replace(workspace, "shop", ada.to_item(), ada.changed(email="lovelace@example.com").to_item())
    replace(workspace, "shop", bob.to_item(), bob.changed(email=ada.email).to_item())
    delete(workspace, "shop", workspace.key_of("shop", bob.to_item()))
    assert store.create(Member(member_id="eve", email=ada.email))
    with pytest.raises(ModelError, match="another item has this email"):
        replace(workspace, "shop", None, Member(member_id="new", email=ada.email).to_item())
