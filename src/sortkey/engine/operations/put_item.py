"""PutItem: write a whole item, replacing the one under its key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.conditions import guard
from sortkey.engine.item_keys import check_item
from sortkey.engine.parameters import check_return_values, read_condition
from sortkey.engine.write_requests import old_attributes, run_write
from sortkey.engine.writes import Write
from sortkey.values.attributes import Item, read_item
from sortkey.values.sizes import check_item_size

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    wants_old = check_return_values(request, "NONE", "ALL_OLD") == "ALL_OLD"
    return run_write(engine, request, parse(engine, request), old_attributes if wants_old else None)


def parse(engine: Engine, request: dict[str, Any]) -> Write:
    """The write that a put asks for: of this operation, or of a transaction's Put."""
    condition = read_condition(request)
    item, size = read_item(request["Item"])
    check_item_size(size)
    table = engine.catalog.table(request["TableName"])
    check_item(table, item)
    refuse = guard(condition, request)

    def apply(old: Item | None) -> Item:
        if refuse is not None:
            refuse(old)
        return item

    return Write(table, table.encode(item), apply, reads_old=refuse is not None, size=size)
