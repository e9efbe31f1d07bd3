"""GetItem: the item under a key, whole or in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from orjson import Fragment

from sortkey.engine.capacity import Meter, read_units
from sortkey.engine.item_keys import check_scalar_keys, encode_key
from sortkey.engine.parameters import read_projection
from sortkey.engine.tables import Table
from sortkey.expressions.projections import Projection
from sortkey.values.attributes import read_item

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    projection = read_projection(request)
    key, _ = read_item(request["Key"])
    table = engine.catalog.table(request["TableName"])
    encoded = encode_key(table, key)
    if projection is not None:
        check_scalar_keys(table, projection.paths)
    item, size = fetch(table, encoded, projection)
    answer = {} if item is None else {"Item": item}
    if "ReturnConsumedCapacity" in request:
        meter = Meter(request["ReturnConsumedCapacity"], (request["TableName"],))
        meter.read(table, read_units(size, bool(request.get("ConsistentRead"))))
        answer.update(meter.report())
    return answer


def fetch(table: Table, key: bytes, projection: Projection | None) -> tuple[Any, int]:
    """The answer for a key, or None if there is no item, and the size of the whole item."""
    row = table.rows.get(key)
    if row is None:
        return None, 0
    item, size = row
    if projection is None:
        return Fragment(item), size
    return projection(orjson.loads(item)), size
