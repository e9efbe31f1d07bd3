"""Backfills a table until it is killed, and tells each page on its standard output.

python -m tests.faults.backfiller ADDRESS
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any, Literal

import sortkey
from sortkey import GSI, Entity, KeyOnly, Progress, Table, camel, index, key

Status = Literal["open", "paid", "sent"]
STATUSES: tuple[Status, ...] = ("open", "paid", "sent")
before = Table("Orders", key=("PK", "SK"), pitr=False)
after = Table("Orders", key=("PK", "SK"), indexes=[GSI("ByStatus", "GSI1PK", "GSI1SK")], pitr=False)


class OldOrder(Entity, table=before, kind="Order", names=camel):
    customer: KeyOnly[str]
    number: int
    buyer: str
    status: Status = "open"

    @key("CUSTOMER#{customer}", "ORDER#{number:06d}")
    def key(*, customer: str, number: int): ...


def split_buyer(values: dict[str, Any]) -> dict[str, Any]:
    first, _, last = values.pop("buyer").partition(" ")
    return {**values, "first": first, "last": last}


class Order(Entity, table=after, kind="Order", names=camel, version=2, upgrades={1: split_buyer}):
    customer: KeyOnly[str]
    number: int
    first: str
    last: str
    status: Status = "open"
    touched: int = 0

    @key("CUSTOMER#{customer}", "ORDER#{number:06d}")
    def key(*, customer: str, number: int): ...

    @index("ByStatus", "STATUS#{status}", "{customer}#{number:06d}")
    def in_status(*, status: Status): ...


def tell(progress: Progress) -> None:
    print(json.dumps(asdict(progress)), flush=True)


def main(address: str) -> None:
    with sortkey.open(address) as store:
        done = store.backfill(Order, segments=3, on_progress=tell)
        print(json.dumps(done.to_json()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
