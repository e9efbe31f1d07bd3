"""Transactions of up to a hundred writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sortkey.errors import (
    ModelError,
    TransactionCanceledException,
    TransactionFailed,
    ValidationException,
)
from sortkey.model.entity import Entity
from sortkey.model.operations import Write
from sortkey.runtime.context import Context
from sortkey.runtime.guards import Guarding, guards_of
from sortkey.runtime.refusals import as_entity, too_large
from sortkey.runtime.steps import Call, Steps
from sortkey.values.attributes import Item
from sortkey.values.sizes import ITEM_BYTES_MAX, item_size

TRANSACTION_MAX = 100


@dataclass(frozen=True)
class Reason:
    """Why one operation of a transaction failed. `item` is the stored entity if a condition
    failed.
    """

    index: int
    operation: Write[Any]
    code: str
    message: str
    item: Entity | None
    is_guard: bool = False
    """Another item has the same unique value."""
    stored: Item | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"operation {self.index} ({self.operation.describe()}): {self.message or self.code}"


def transact(
    context: Context, operations: Sequence[Write[Any]], *, token: str | None = None
) -> Steps[None]:
    """All of the writes, or none."""
    now = context.clock()
    guards = [
        guard
        for number, operation in enumerate(operations)
        for guard in guards_of(operation, number, now)
    ]
    yield from transact_raw(operations, now, guards, token=token)


def transact_raw(
    operations: Sequence[Write[Any]],
    now: float,
    guards: Sequence[Guarding],
    *,
    token: str | None = None,
) -> Steps[None]:
    """The same with known guards."""
    count = len(operations) + len(guards)
    if not 1 <= count <= TRANSACTION_MAX:
        raise ModelError(f"a transaction has 1 to {TRANSACTION_MAX} operations, not {count}")
    members = [{operation.member: operation.request(now)} for operation in operations]
    request: dict[str, Any] = {"TransactItems": [*members, *(guard.member for guard in guards)]}
    if token is not None:
        request["ClientRequestToken"] = token
    try:
        yield Call("TransactWriteItems", request, "transact")
    except TransactionCanceledException as error:
        raise _failed(operations, guards, error) from error
    except ValidationException as error:
        if (larger := _too_large(operations, members, error)) is not None:
            raise larger from error
        raise


def _failed(
    operations: Sequence[Write[Any]],
    guards: Sequence[Guarding],
    error: TransactionCanceledException,
) -> TransactionFailed:
    reasons: list[Any] = []
    for number, reason in enumerate(error.extra.get("CancellationReasons", [])):
        if reason.get("Code", "None") == "None":
            continue
        if number < len(operations):
            operation, stored = operations[number], reason.get("Item")
            item = as_entity(operation, stored)
            reasons.append(
                Reason(
                    number,
                    operation,
                    reason["Code"],
                    reason.get("Message", ""),
                    item,
                    stored=stored,
                )
            )
        else:
            guard = guards[number - len(operations)]
            message = (
                guard.message
                if reason["Code"] == "ConditionalCheckFailed"
                else reason.get("Message", "")
            )
            reasons.append(
                Reason(
                    guard.owner,
                    operations[guard.owner],
                    reason["Code"],
                    message,
                    None,
                    is_guard=True,
                )
            )
    reason_text = "; ".join(map(str, reasons)) or str(error)
    return TransactionFailed(f"nothing was written: {reason_text}", reasons)


def _too_large(
    operations: Sequence[Write[Any]], members: Sequence[dict[str, Any]], error: ValidationException
) -> Exception | None:
    if "Item size" not in error.message:
        return None
    for operation, member in zip(operations, members, strict=True):
        item: Item | None = member[operation.member].get("Item")
        if item is not None and item_size(item) > ITEM_BYTES_MAX:
            return too_large(item, operation)
    return None
