"""DeleteItem: remove the item under a key. A key without an item is fine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.conditions import guard
from sortkey.engine.item_keys import encode_key
from sortkey.engine.parameters import check_return_values, read_condition
from sortkey.engine.write_requests import old_attributes, run_write
from sortkey.engine.writes import Write
from sortkey.values.attributes import Item, read_item

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    wants_old = check_return_values(request, "NONE", "ALL_OLD") == "ALL_OLD"
    return run_write(engine, request, parse(engine, request), old_attributes if wants_old else None)


def parse(engine: Engine, request: dict[str, Any]) -> Write:
    """The write that a delete asks for: of this operation, or of a transaction's Delete."""
    condition = read_condition(request)
    key, _ = read_item(request["Key"])
    table = engine.catalog.table(request["TableName"])
    refuse = guard(condition, request)

    def apply(old: Item | None) -> None:
        if refuse is not None:
            refuse(old)

    return Write(table, encode_key(table, key), apply, reads_old=refuse is not None)
