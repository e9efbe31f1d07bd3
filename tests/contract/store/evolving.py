"""A model at three ages, each as a program of that age knows it. The tables have names of one test
only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from sortkey import GSI, Entity, KeyOnly, Model, Store, Table, camel, index, key
from tests.contract.store.models import PREFIX

Status = Literal["open", "paid", "sent"]
STATUSES: tuple[Status, ...] = ("open", "paid", "sent")


@dataclass
class Age:
    """What a program of one age declares."""

    model: Model
    table: Table
    order: Any
    note: Any


def _model(name: str, **settings: Any) -> tuple[Model, Table]:
    model = Model(f"shop-{name}")
    return model, model.add(Table(f"{PREFIX}-{name}", key=("PK", "SK"), pitr=False, **settings))


def _note(table: Table) -> type[Entity]:
    """What no age changes."""

    class Note(Entity, table=table, kind="Note", names=camel):
        customer: KeyOnly[str]
        text: str

        @key("CUSTOMER#{customer}", "NOTE")
        def key(*, customer: str): ...

    return Note


def first_age(name: str) -> Age:
    """No index, one name."""
    model, table = _model(name)

    class Order(Entity, table=table, kind="Order", names=camel):
        customer: KeyOnly[str]
        number: int
        buyer: str = "Ada Lovelace"
        status: Status = "open"
        note: str | None = None

        @key("CUSTOMER#{customer}", "ORDER#{number:06d}")
        def key(*, customer: str, number: int): ...

    return Age(model, table, Order, _note(table))


def second_age(name: str) -> Age:
    """Orders are found by status, and by region, which is a field with a default and a key as it
    stands.
    """
    model, table = _model(
        name,
        indexes=[GSI("ByStatus", "GSI1PK", "GSI1SK"), GSI("ByRegion", "region", "GSI2SK")],
        ttl="expiresAt",
    )

    class Order(Entity, table=table, kind="Order", names=camel):
        customer: KeyOnly[str]
        number: int
        buyer: str = "Ada Lovelace"
        status: Status = "open"
        note: str | None = None
        region: str = "eu"

        @key("CUSTOMER#{customer}", "ORDER#{number:06d}")
        def key(*, customer: str, number: int): ...

        @index("ByStatus", "STATUS#{status}", "{customer}#{number:06d}")
        def in_status(*, status: Status): ...

        @index("ByRegion", "{region}", "{customer}#{number:06d}")
        def in_region(*, region: str): ...

    return Age(model, table, Order, _note(table))


def split_buyer(values: dict[str, Any]) -> dict[str, Any]:
    first, _, last = values.pop("buyer", "? ?").partition(" ")
    return {**values, "first": first, "last": last}


def third_age(name: str) -> Age:
    """The buyer in two fields, by an upgrade; and an index that is found by the last name."""
    model, table = _model(
        name,
        indexes=[
            GSI("ByStatus", "GSI1PK", "GSI1SK"),
            GSI("ByRegion", "region", "GSI2SK"),
            GSI("ByBuyer", "GSI3PK", "GSI3SK"),
        ],
        ttl="expiresAt",
        stream="NEW_IMAGE",
    )

    class Order(
        Entity, table=table, kind="Order", names=camel, version=2, upgrades={1: split_buyer}
    ):
        customer: KeyOnly[str]
        number: int
        first: str
        last: str
        status: Status = "open"
        note: str | None = None
        region: str = "eu"

        @key("CUSTOMER#{customer}", "ORDER#{number:06d}")
        def key(*, customer: str, number: int): ...

        @index("ByStatus", "STATUS#{status}", "{customer}#{number:06d}")
        def in_status(*, status: Status): ...

        @index("ByRegion", "{region}", "{customer}#{number:06d}")
        def in_region(*, region: str): ...

        @index("ByBuyer", "BUYER#{last}", "{first}#{customer}#{number:06d}")
        def by_buyer(*, last: str): ...

    return Age(model, table, Order, _note(table))


@contextmanager
def deployed(store: Store, age: Age) -> Iterator[Age]:
    """The tables of an age, gone afterwards."""
    store.apply(store.plan(age.model))
    yield age
    store.backend.call("DeleteTable", {"TableName": age.table.name})


def fill(store: Store, age: Age, count: int) -> None:
    orders = [
        age.order(customer=f"c{n % 7}", number=n, status=STATUSES[n % 3], buyer=f"Ada L{n % 4}")
        for n in range(count)
    ]
    store.batch_write([*orders, *(age.note(customer=f"c{n}", text="x") for n in range(7))])


def by_index(store: Store, age: Age, status: Status) -> list[tuple[str, int]]:
    return [
        (order.customer, order.number) for order in store.query(age.order.in_status(status=status))
    ]


def by_scan(store: Store, age: Age, status: Status) -> list[tuple[str, int]]:
    return sorted(
        (order.customer, order.number) for order in store.scan(age.order) if order.status == status
    )
