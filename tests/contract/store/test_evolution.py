"""Models that change while their data stay: new fields, new versions, and programs of several ages
at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from sortkey import (
    GSI,
    Entity,
    ItemKey,
    KeyOnly,
    Named,
    Store,
    Table,
    Update,
    attr,
    camel,
    index,
    key,
    query,
)
from sortkey.errors import InvalidItem, ModelError, TransactionFailed
from sortkey.runtime.upgrades import upgrade
from tests.contract.store.models import PREFIX


def people() -> Table:
    """The table as each of the programs below knows it: one in the service, and one in each
    program.
    """
    return Table(
        f"{PREFIX}-people", key=("PK", "SK"), indexes=[GSI("ByName", "NPK", "NSK")], pitr=False
    )


class First(Entity, table=people(), kind="Person", envelope="Data", names=camel):
    """The first program: one field for the whole name."""

    team: KeyOnly[str]
    person_id: str
    full_name: str
    age: int = 0

    @key("TEAM#{team}", "PERSON#{personId}")
    def key(*, team: str, person_id: str): ...


def split_name(values: dict[str, Any]) -> dict[str, Any]:
    first, _, last = values.pop("fullName").partition(" ")
    return {**values, "firstName": first, "lastName": last}


def count_in_months(values: dict[str, Any]) -> dict[str, Any]:
    months = values.pop("age") * 12
    return {**values, "months": months}


class Third(
    Entity,
    table=people(),
    kind="Person",
    envelope="Data",
    names=camel,
    version=3,
    upgrades={1: split_name, 2: count_in_months},
):
    """Two versions later: the name in two fields, the age in months, and an index by name."""

    team: KeyOnly[str]
    person_id: str
    first_name: str
    last_name: str
    months: int = 0
    note: str | None = None

    @key("TEAM#{team}", "PERSON#{personId}")
    def key(*, team: str, person_id: str): ...

    @query(key)
    def of_team(*, team: str): ...

    @index("ByName", "TEAM#{team}", "{lastName}#{firstName}")
    def by_name(*, team: str): ...


@pytest.fixture(scope="module", autouse=True)
def table(store: Store) -> Iterator[Table]:
    made = people()
    store.ensure(made)
    yield made
    store.backend.call("DeleteTable", {"TableName": made.name})


def item_of(store: Store, table: Table, team: str) -> dict[str, Any]:
    key = Third.key(team=team, person_id="1").item
    return store.backend.call(
        "GetItem", {"TableName": table.name, "Key": key, "ConsistentRead": True}
    )["Item"]


@pytest.fixture
def old(store: Store, fresh: str) -> ItemKey[Third]:
    """An item of the first program, under the key that the third has for it."""
    store.create(First(team=fresh, person_id="1", full_name="Ada Lovelace", age=36))
    return Third.key(team=fresh, person_id="1")


def test_an_older_item_is_read_as_it_would_be_today(
    store: Store, fresh: str, old: ItemKey[Third]
) -> None:
    # One step a version, from attributes that no field has any more.
    expected = Third(team=fresh, person_id="1", first_name="Ada", last_name="Lovelace", months=432)
    assert store.get(old) == expected
    assert store.query(Third.of_team(team=fresh)) == [expected]
    assert store.batch_get([old]) == [expected]


def test_an_older_item_is_written_as_one_of_today(
    store: Store, table: Table, fresh: str, old: ItemKey[Third]
) -> None:
    # Without what the upgrade has used up, and with the keys of new indexes.
    store.put(store.get(old).changed(note="x"))
    item = item_of(store, table, fresh)
    assert item["schemaVersion"] == {"N": "3"}
    assert set(item["Data"]["M"]) == {"personId", "firstName", "lastName", "months", "note"}
    assert [each.last_name for each in store.query(Third.by_name(team=fresh))] == ["Lovelace"]


def test_an_update_of_an_older_item_upgrades_it_first(
    store: Store, table: Table, fresh: str, old: ItemKey[Third]
) -> None:
    # Set firstName beside a fullName, and the next read would take the name from the old one: the
    # update were lost.
    after = store.update(old, set={"first_name": "Augusta"}, assuming={"last_name": "Lovelace"})
    assert (after.first_name, after.last_name, after.months) == ("Augusta", "Lovelace", 432)
    assert store.get(old) == after
    assert item_of(store, table, fresh)["schemaVersion"] == {"N": "3"}
    assert [each.first_name for each in store.query(Third.by_name(team=fresh))] == ["Augusta"]
    assert store.update(old, attr(Third.months).add(1)).months == 433


def test_a_transaction_refuses_to_update_an_older_item(store: Store, old: ItemKey[Third]) -> None:
    # It cannot upgrade in the same breath; the reason carries the item, read as it would be today.
    with pytest.raises(TransactionFailed) as failed:
        store.transact(Update(old, (attr(Third.months).add(1),)))
    assert failed.value.reasons[0].item.first_name == "Ada"
    store.put(store.get(old))
    store.transact(Update(old, (attr(Third.months).add(1),)))
    assert store.get(old).months == 433


def test_what_an_upgrade_leaves_alone_stays(
    store: Store, table: Table, fresh: str, old: ItemKey[Third]
) -> None:
    # Attributes that neither program knows, inside the envelope and beside it.
    item = item_of(store, table, fresh)
    item["colour"] = {"S": "red"}
    item["Data"]["M"]["shape"] = {"NULL": True}
    store.backend.call("PutItem", {"TableName": table.name, "Item": item})
    store.update(old, set={"note": "x"})
    after = item_of(store, table, fresh)
    assert (after["colour"], after["Data"]["M"]["shape"]) == ({"S": "red"}, {"NULL": True})


def test_an_upgrade_leaves_what_is_written_in_the_same_moment(
    store: Store, table: Table, fresh: str, old: ItemKey[Third]
) -> None:
    # A program of another age adds an attribute between the read and the write: a put would delete
    # it.
    item = item_of(store, table, fresh)
    names, values = {"#c": "colour"}, {":c": {"S": "red"}}
    request = {"TableName": table.name, "Key": old.item, "UpdateExpression": "SET #c = :c"}
    more = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": values}
    store.backend.call("UpdateItem", {**request, **more})
    store.run(upgrade(Third, item))
    after = item_of(store, table, fresh)
    assert (after["colour"], after["schemaVersion"]) == ({"S": "red"}, {"N": "3"})


def test_a_newer_programs_item_stays_one(store: Store, table: Table, fresh: str) -> None:
    # Marked as older, its upgrade would be made a second time.
    made = Third(team=fresh, person_id="1", first_name="Ada", last_name="L")
    store.backend.call(
        "PutItem",
        {"TableName": table.name, "Item": {**made.to_item(), "schemaVersion": {"N": "9"}}},
    )
    read = store.get(Third.key(team=fresh, person_id="1"))
    store.put(read.changed(note="x"))
    assert item_of(store, table, fresh)["schemaVersion"] == {"N": "9"}


def test_a_new_field_with_a_default_is_there_for_old_items(
    store: Store, table: Table, fresh: str
) -> None:
    # Additive by default: no version, no migration. The old program keeps what the new one has
    # written.
    class Newer(Entity, table=people(), kind="Person", envelope="Data", names=camel):
        team: KeyOnly[str]
        person_id: str
        full_name: str
        nickname: Annotated[str | None, Named("nick")] = None
        level: int = 1

        @key("TEAM#{team}", "PERSON#{personId}")
        def key(*, team: str, person_id: str): ...

    store.create(First(team=fresh, person_id="1", full_name="A"))
    read = store.get(Newer.key(team=fresh, person_id="1"))
    assert (read.nickname, read.level) == (None, 1)
    store.put(read.changed(nickname="x", level=2))
    older = store.get(First.key(team=fresh, person_id="1"))
    store.put(older.changed(age=3))
    assert store.get(Newer.key(team=fresh, person_id="1")).nickname == "x"


def test_an_upgrade_that_gives_what_is_no_field_is_reported(
    store: Store, fresh: str, old: ItemKey[Third]
) -> None:
    # A slip in a name would lose a value for good.
    class Slip(
        Entity,
        table=people(),
        kind="Person",
        envelope="Data",
        names=camel,
        version=2,
        upgrades={1: lambda values: {**values, "fistName": values["fullName"]}},
    ):
        team: KeyOnly[str]
        person_id: str
        first_name: str = ""

        @key("TEAM#{team}", "PERSON#{personId}")
        def key(*, team: str, person_id: str): ...

    with pytest.raises(InvalidItem, match="gave fistName: no fields") as failed:
        store.get(Slip.key(team=fresh, person_id="1"))
    assert isinstance(failed.value.__cause__, ModelError)
