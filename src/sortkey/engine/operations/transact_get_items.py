"""TransactGetItems: up to 100 items, read at one instant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.capacity import Meter, read_units
from sortkey.engine.item_keys import encode_key
from sortkey.engine.operations.get_item import fetch
from sortkey.engine.parameters import read_projection
from sortkey.engine.transactions import Reasons
from sortkey.errors import ValidationException
from sortkey.values.attributes import read_item

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    meter = Meter(request.get("ReturnConsumedCapacity"), transactional=True)
    gets = [each["Get"] for each in request["TransactItems"]]
    parsed = [(read_projection(get), read_item(get["Key"])[0], engine.catalog.table(get["TableName"])) for get in gets]
    reasons = Reasons(len(parsed))
    responses: list[dict[str, Any]] = []
    seen: set[tuple[str, bytes]] = set()
    for position, (projection, key, table) in enumerate(parsed):
        with reasons.collect(position):
            row_key = encode_key(table, key)
            if (table.name, row_key) in seen:
                raise ValidationException("Transaction request cannot include multiple operations on one item")
            seen.add((table.name, row_key))
            item, size = fetch(table, row_key, projection)
            meter.read(table, read_units(size, True))
            responses.append({} if item is None else {"Item": item})
    reasons.raise_if_any()
    return {**meter.report_list(), "Responses": responses}
