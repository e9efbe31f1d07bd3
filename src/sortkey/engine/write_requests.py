"""The last step of PutItem, UpdateItem and DeleteItem: write, then answer as requested."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from orjson import Fragment

from sortkey.engine import item_collections
from sortkey.engine.capacity import OFF, Meter
from sortkey.engine.writes import Change, Write, write

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

Attributes = Callable[[Change], dict[str, Any]]


def run_write(
    engine: Engine, request: dict[str, Any], item_write: Write, attributes: Attributes | None
) -> dict[str, Any]:
    """Write, and answer with the requested attributes, capacity and collection metrics."""
    mode = request.get("ReturnConsumedCapacity")
    meter = Meter(mode, (request.get("TableName", ""),)) if mode else OFF
    item_write.reads_old = item_write.reads_old or attributes is not None or meter.on
    change = write(engine, item_write)
    answer = attributes(change) if attributes else {}
    if meter.on:
        meter.write(change)
        answer.update(meter.report())
    if request.get("ReturnItemCollectionMetrics") == "SIZE":
        answer.update(item_collections.report(change))
    return answer


def old_attributes(change: Change) -> dict[str, Any]:
    """`Attributes` for ALL_OLD."""
    return {} if change.old_bytes is None else {"Attributes": Fragment(change.old_bytes)}
