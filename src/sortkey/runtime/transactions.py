"""Transactions of up to a hundred writes, and batches of puts and deletes that are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sortkey.errors import BatchIncomplete, ModelError, TransactionCanceledException, TransactionFailed
from sortkey.model.entity import Entity
from sortkey.model.operations import Put, Write
from sortkey.model.queries import ItemKey
from sortkey.runtime.context import Context
from sortkey.runtime.steps import Call, Sleep, Steps
from sortkey.values.attributes import Item

TRANSACTION_MAX = 100
BATCH_WRITE_MAX = 25


@dataclass(frozen=True)
class Reason:
    """Why one operation of a transaction failed. `item` is what is stored, as an entity where the condition failed."""

    index: int
    operation: Write[Any]
    code: str
    message: str
    item: Entity | None

    def __str__(self) -> str:
        return f"operation {self.index} ({self.operation.says()}): {self.message or self.code}"


def transact(context: Context, operations: Sequence[Write[Any]], *, token: str | None = None) -> Steps[None]:
    """All of the writes, or none."""
    yield from transact_raw(operations, context.clock(), [], token=token)


def transact_raw(
    operations: Sequence[Write[Any]], now: float, more: Sequence[dict[str, Any]], *, token: str | None = None
) -> Steps[None]:
    """The same with further members that are no writes of entities, behind those that are."""
    if not 1 <= len(operations) + len(more) <= TRANSACTION_MAX:
        raise ModelError(f"a transaction has 1 to {TRANSACTION_MAX} operations, not {len(operations) + len(more)}")
    members = [{operation.member: operation.request(now)} for operation in operations]
    request: dict[str, Any] = {"TransactItems": [*members, *more]}
    if token is not None:
        request["ClientRequestToken"] = token
    try:
        yield Call("TransactWriteItems", request, "transact")
    except TransactionCanceledException as error:
        raise _failed(operations, error.extra.get("CancellationReasons", []), error) from error


def _failed(operations: Sequence[Write[Any]], told: Sequence[dict[str, Any]], error: Exception) -> TransactionFailed:
    reasons = [
        Reason(index, operations[index], each["Code"], each.get("Message", ""), _stored(operations[index], each))
        for index, each in enumerate(told)
        if each.get("Code", "None") != "None" and index < len(operations)
    ]
    shown = "; ".join(map(str, reasons)) or str(error)
    return TransactionFailed(f"nothing was written: {shown}", list[Any](reasons))


def _stored(operation: Write[Any], reason: dict[str, Any]) -> Entity | None:
    item: Item | None = reason.get("Item")
    return operation.entity_class.from_item(item) if item else None


def batch_write(context: Context, puts: Sequence[Entity], deletes: Sequence[ItemKey[Any]]) -> Steps[list[Entity]]:
    """Many puts and deletes, each for itself, in any order, without conditions. Gives the entities as stored."""
    now = context.clock()
    operations = [Put(entity) for entity in puts]
    for operation in operations:
        if operation.entity_class.__layout__.unique:
            raise ModelError(
                f"{operation.entity_class.__name__} has unique fields, which a batch cannot guard: create()"
            )
    requests = [
        (o.entity_class.__layout__.table.name, {"PutRequest": {"Item": o.request(now)["Item"]}}) for o in operations
    ]
    requests += [(key.table.name, {"DeleteRequest": {"Key": key.item}}) for key in deletes]
    for start in range(0, len(requests), BATCH_WRITE_MAX):
        yield from _batch(context, requests[start : start + BATCH_WRITE_MAX], requests[start:])
    return [operation.stamped(now) for operation in operations]


def _batch(
    context: Context, requests: Sequence[tuple[str, dict[str, Any]]], ahead: Sequence[tuple[str, dict[str, Any]]]
) -> Steps[None]:
    by_table: dict[str, list[dict[str, Any]]] = {}
    for table, request in requests:
        by_table.setdefault(table, []).append(request)
    for attempt in range(context.batch_attempts):
        answer = yield Call("BatchWriteItem", {"RequestItems": by_table}, "batch_write")
        by_table = answer.get("UnprocessedItems") or {}
        if not by_table:
            return
        yield Sleep(context.pause(attempt))
    left: list[Any] = [(table, request) for table, several in by_table.items() for request in several]
    left += ahead[len(requests) :]
    raise BatchIncomplete(f"{len(left)} writes of the batch could not be done in time", left, [])
