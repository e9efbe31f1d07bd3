"""Sortkey: typed entities over the lean client. With `async` as a third argument, awaited."""

import asyncio
import sys

from measuring import ITEM, QUERIED, TABLE, endpoint, report, sort_key

import sortkey
from sortkey import Entity, Table, key, query

table = Table(TABLE, key=("pk", "sk"))


class Order(Entity, table=table):
    pk: str
    sk: str
    status: str
    currency: str
    note: str
    created_at: str
    customer: str
    quantity: int
    total: int
    paid: bool
    tags: list[str]
    address: dict[str, str]

    @key("{pk}", "{sk}")
    def key(*, pk: str, sk: str): ...

    @query(key)
    def of(*, pk: str):
        """All orders of a customer."""


if sys.argv[3:] == ["async"]:
    loop = asyncio.new_event_loop()
    waiting = sortkey.open_async(endpoint())
    run = loop.run_until_complete
    report(
        get=lambda n: run(waiting.get(Order.key(pk=QUERIED, sk=sort_key(n)))),
        put=lambda n: run(waiting.put(Order(**{**ITEM, "sk": sort_key(n)}))),
        query=lambda n: run(waiting.query(Order.of(pk=QUERIED))),
    )
else:
    store = sortkey.open(endpoint())
    report(
        get=lambda n: store.get(Order.key(pk=QUERIED, sk=sort_key(n))),
        put=lambda n: store.put(Order(**{**ITEM, "sk": sort_key(n)})),
        query=lambda n: store.query(Order.of(pk=QUERIED)),
    )
