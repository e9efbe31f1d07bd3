"""A small model with streams, and short ways to run workers on it."""

from __future__ import annotations

from typing import Any

from sortkey import Change, Entity, EpochSeconds, Store, StreamWorker, Table, camel, key, on_change
from sortkey.runtime.streams.handlers import AnyHandler

orders = Table("orders", key=("PK", "SK"), ttl="expiresAt", stream="NEW_AND_OLD_IMAGES", pitr=False)
parcels = Table("parcels", key=("PK",), stream="NEW_IMAGE", pitr=False)


class Order(Entity, table=orders, kind="Order", names=camel):
    """An order of a customer."""

    customer: str = "ada"
    number: int
    status: str = "new"
    expires_at: EpochSeconds | None = None

    @key("CUSTOMER#{customer}", "ORDER#{number:06d}")
    def key(*, customer: str, number: int):
        """An order."""


class Count(Entity, table=orders, kind="Count", names=camel):
    """How many orders a customer has."""

    customer: str = "ada"
    orders: int = 0

    @key("CUSTOMER#{customer}", "COUNT")
    def key(*, customer: str):
        """The count of a customer."""


class Parcel(Entity, table=parcels, names=camel):
    """A parcel; its table shows new images only."""

    number: int
    place: str = ""

    @key("PARCEL#{number:06d}")
    def key(*, number: int):
        """A parcel."""


def put_orders(store: Store, *numbers: int, **values: Any) -> None:
    for number in numbers:
        store.put(Order(number=number, **values))


def collector(name: str = "collect", **filters: Any) -> tuple[AnyHandler, list[Change[Order]]]:
    """A handler of orders that keeps what it gets."""
    seen: list[Change[Order]] = []

    @on_change(Order, name=name, **filters)
    def collect(change: Change[Order]) -> None:
        seen.append(change)

    return collect, seen


def numbers(seen: list[Change[Order]]) -> list[int]:
    return [change.key.values["number"] for change in seen]


def worker(
    store: Store, *handlers: AnyHandler, name: str = "shop", **settings: Any
) -> StreamWorker:
    """A worker that never sleeps."""
    given: dict[str, Any] = {"sleep": lambda seconds: None, **settings}
    return StreamWorker(store, handlers, name=name, **given)
