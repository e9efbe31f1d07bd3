"""PutItem: write a whole item, replacing the one under its key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sortkey.engine.conditions import guard
from sortkey.engine.item_keys import check_index_keys, check_own_key, check_scalar_keys
from sortkey.engine.parameters import check_return_values, has_condition, read_condition
from sortkey.engine.tables import Table
from sortkey.engine.write_requests import old_attributes, run_write
from sortkey.engine.writes import Bind, Write
from sortkey.values.attributes import Item, read_item
from sortkey.values.sizes import check_item_size

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    wants_old = check_return_values(request, "NONE", "ALL_OLD") == "ALL_OLD"
    return run_write(engine, request, parse(request)(engine), old_attributes if wants_old else None)


def parse(
    request: dict[str, Any], check_key: Callable[[Table, Item], None] = check_own_key
) -> Bind:
    """The put of this operation, a batch or a transaction. It is bound to its table after all other
    checks.
    """
    conditional = has_condition(request)
    item, size = read_item(request["Item"])
    check_item_size(size)
    condition = read_condition(request) if conditional else None
    refuse = guard(condition, request)

    def bind(engine: Engine) -> Write:
        table = engine.catalog.table(request["TableName"])
        check_key(table, item)
        item_write = Write(
            table, table.encode(item), apply, reads_old=refuse is not None, size=size
        )
        if table.indexes or condition is not None:
            item_write.check = lambda: _check(table)
        return item_write

    def _check(table: Table) -> None:
        check_index_keys(table, item)
        if condition is not None:
            check_scalar_keys(table, condition.paths)

    def apply(old: Item | None) -> Item:
        if refuse is not None:
            refuse(old)
        return item

    return bind
