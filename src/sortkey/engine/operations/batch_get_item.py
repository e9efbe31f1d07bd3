"""BatchGetItem: up to 100 items by key, at most 16 MB. The rest is returned as UnprocessedKeys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from sortkey.engine.capacity import Meter, read_units
from sortkey.engine.item_keys import check_scalar_keys, encode_key
from sortkey.engine.operations.get_item import fetch
from sortkey.engine.parameters import has_projection, read_projection
from sortkey.engine.tables import Table
from sortkey.errors import ValidationException
from sortkey.expressions.projections import Projection
from sortkey.values.attributes import Item, read_item

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

KEYS_MAX = 100
ANSWER_BYTES_MAX = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TableKeys:
    """The requested keys of one table."""

    name: str
    table: Table
    keys: list[tuple[Item, bytes]]
    projection: Projection | None
    consistent: bool


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    meter = Meter(request.get("ReturnConsumedCapacity"), request["RequestItems"])
    responses: dict[str, list[Any]] = {}
    unprocessed: dict[str, Any] = {}
    size_read = 0
    for table_keys in parse(engine, request["RequestItems"]):
        items = responses.setdefault(table_keys.name, [])
        for position, (_, key) in enumerate(table_keys.keys):
            item, size = fetch(table_keys.table, key, table_keys.projection)
            size_read += size
            if (
                size_read > ANSWER_BYTES_MAX
            ):  # so the rest of this table and all others are unprocessed too
                remaining = [key for key, _ in table_keys.keys[position:]]
                unprocessed[table_keys.name] = {
                    **request["RequestItems"][table_keys.name],
                    "Keys": remaining,
                }
                break
            meter.read(table_keys.table, read_units(size, table_keys.consistent))
            if item is not None:
                items.append(item)
    return {"Responses": responses, "UnprocessedKeys": unprocessed, **meter.report_list()}


def parse(engine: Engine, tables: dict[str, dict[str, Any]]) -> list[TableKeys]:
    _check_counts(tables)
    keys = {name: _read_keys(request) for name, request in tables.items()}
    projections = {name: read_projection(request) for name, request in tables.items()}
    return [
        _bind(engine, name, request, projections[name], keys[name])
        for name, request in tables.items()
    ]


def _read_keys(request: dict[str, Any]) -> list[Item]:
    has_projection(request)  # AWS checks conflicting parameters before anything else
    keys = [read_item(key)[0] for key in request["Keys"]]
    if len({orjson.dumps(key, option=orjson.OPT_SORT_KEYS) for key in keys}) < len(keys):
        raise ValidationException("Provided list of item keys contains duplicates")
    return keys


def _bind(
    engine: Engine,
    name: str,
    request: dict[str, Any],
    projection: Projection | None,
    keys: list[Item],
) -> TableKeys:
    table = engine.catalog.table(name)
    encoded = [(key, encode_key(table, key)) for key in keys]
    if projection is not None:
        check_scalar_keys(table, projection.paths)
    return TableKeys(name, table, encoded, projection, bool(request.get("ConsistentRead")))


def _check_counts(tables: dict[str, dict[str, Any]]) -> None:
    if not tables:
        raise ValidationException("BatchGetItem must have some requests set")
    for name, request in tables.items():
        if not request or not request["Keys"]:
            raise ValidationException(
                f"The list of keys in RequestItems for BatchGetItem is required: {name} has empty "
                "list"
            )
    if sum(len(request["Keys"]) for request in tables.values()) > KEYS_MAX:
        raise ValidationException("Too many items requested for the BatchGetItem call")
