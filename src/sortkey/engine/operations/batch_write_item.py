"""BatchWriteItem: up to 25 independent puts and deletes. Nothing is ever left unprocessed here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import item_collections
from sortkey.engine.capacity import Meter, arns_by_name
from sortkey.engine.item_keys import check_batched_key
from sortkey.engine.operations import delete_item, put_item
from sortkey.engine.writes import Bind, Write, prepare, store
from sortkey.errors import ValidationException
from sortkey.values.attributes import MANY_TYPES

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

REQUESTS_MAX = 25


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    meter = Meter(request.get("ReturnConsumedCapacity"), request["RequestItems"])
    arns = arns_by_name(request["RequestItems"])
    metrics: dict[str, list[Any]] = {}
    writes = parse(engine, request["RequestItems"])
    if meter.on:
        for item_write in writes:
            item_write.reads_old = True
    changes = [prepare(engine, item_write) for item_write in writes]
    for change in changes:
        store(engine, change)
        meter.write(change)
        if change.table.has_lsi:
            metrics.setdefault(arns.get(change.table.name, change.table.name), []).append(
                item_collections.metrics(change)
            )
    answer: dict[str, Any] = {"UnprocessedItems": {}, **meter.report_list()}
    if request.get("ReturnItemCollectionMetrics") == "SIZE" and metrics:
        answer["ItemCollectionMetrics"] = metrics
    return answer


def parse(engine: Engine, tables: dict[str, list[dict[str, Any]]]) -> list[Write]:
    """The writes in the order of the request. No item may occur twice."""
    _check_counts(tables)
    parsed = [_parse_one(name, entry) for name, requests in tables.items() for entry in requests]
    writes: dict[tuple[str, bytes], Write] = {}
    for bind in parsed:
        item_write = bind(engine)
        if writes.setdefault((item_write.table.name, item_write.key), item_write) is not item_write:
            raise ValidationException("Provided list of item keys contains duplicates")
    return list(writes.values())


def _parse_one(table: str, request: dict[str, Any]) -> Bind:
    put, delete = request.get("PutRequest"), request.get("DeleteRequest")
    if (put is None) == (delete is None):
        raise ValidationException(MANY_TYPES)  # AWS's words, although it is not an AttributeValue
    if put is not None:
        return put_item.parse({"TableName": table, "Item": put["Item"]}, check_batched_key)
    assert delete is not None
    return delete_item.parse({"TableName": table, "Key": delete["Key"]})


def _check_counts(tables: dict[str, list[dict[str, Any]]]) -> None:
    if not tables:
        raise ValidationException("BatchWriteItem cannot have a null or no requests set")
    for name, requests in tables.items():
        if not requests:
            raise ValidationException(
                f"The batch write request list for a table cannot be null or empty: {name}"
            )
    if sum(len(requests) for requests in tables.values()) > REQUESTS_MAX:
        raise ValidationException("Too many items requested for the BatchWriteItem call")
