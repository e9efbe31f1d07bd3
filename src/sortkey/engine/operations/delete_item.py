"""DeleteItem: remove the item under a key. A key without an item is fine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.conditions import guard
from sortkey.engine.item_keys import check_scalar_keys, encode_key
from sortkey.engine.parameters import check_return_values, has_condition, read_condition
from sortkey.engine.write_requests import old_attributes, run_write
from sortkey.engine.writes import Bind, Write
from sortkey.values.attributes import Item, read_item

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    wants_old = check_return_values(request, "NONE", "ALL_OLD") == "ALL_OLD"
    return run_write(engine, request, parse(request)(engine), old_attributes if wants_old else None)


def parse(request: dict[str, Any]) -> Bind:
    """The delete of this operation, a batch or a transaction. It is bound to its table after all
    other checks.
    """
    conditional = has_condition(request)
    key, _ = read_item(request["Key"])
    condition = read_condition(request) if conditional else None
    refuse = guard(condition, request)

    def bind(engine: Engine) -> Write:
        table = engine.catalog.table(request["TableName"])
        item_write = Write(
            table, encode_key(table, key), apply, reads_old=refuse is not None, named=key
        )
        if condition is not None:
            paths = condition.paths
            item_write.check = lambda: check_scalar_keys(table, paths)
        return item_write

    def apply(old: Item | None) -> None:
        if refuse is not None:
            refuse(old)

    return bind
