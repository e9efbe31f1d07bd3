"""TransactGetItems: up to 100 items, read at one instant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.capacity import Meter, read_units
from sortkey.engine.item_keys import check_scalar_keys, encode_key
from sortkey.engine.operations.get_item import fetch
from sortkey.engine.parameters import read_projection
from sortkey.engine.tables import Table
from sortkey.engine.transactions import SAME_ITEM, Reasons, check_size
from sortkey.errors import ValidationException
from sortkey.expressions.projections import Projection
from sortkey.values.attributes import read_item

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    gets = [read["Get"] for read in request["TransactItems"]]
    meter = Meter(
        request.get("ReturnConsumedCapacity"),
        (get["TableName"] for get in gets),
        transactional=True,
    )
    parsed = [(read_projection(get), read_item(get["Key"])[0]) for get in gets]
    tables = [engine.catalog.table(get["TableName"]) for get in gets]
    reasons = Reasons(len(parsed), empty_keys_cancel=True)
    reads: list[tuple[Table, bytes, Projection | None]] = []
    for position, ((projection, key), table) in enumerate(zip(parsed, tables, strict=True)):
        with reasons.collect(position):
            reads.append((table, encode_key(table, key), projection))
    reasons.raise_if_any()
    if len({(table.name, key) for table, key, _ in reads}) < len(reads):
        raise ValidationException(SAME_ITEM)
    for position, (table, _, projection) in enumerate(reads):
        with reasons.collect(position):
            check_scalar_keys(table, () if projection is None else projection.paths)
    reasons.raise_if_any()
    items = [fetch(*read) for read in reads]
    check_size(size for _, size in items)
    for (table, _, _), (_, size) in zip(reads, items, strict=True):
        meter.read(table, read_units(size, True))
    return {
        **meter.report_list(),
        "Responses": [{"Item": item} if item else {} for item, _ in items],
    }
