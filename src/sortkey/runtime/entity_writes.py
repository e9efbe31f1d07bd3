"""Writes of entities: directly, or through `payloads` if an entity has payload fields.

Entities without payload fields never load `payloads`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from sortkey.model.entity import Entity
from sortkey.model.operations import Delete, PutMode, Test, Update, Write
from sortkey.model.queries import ItemKey
from sortkey.runtime import batches, transactions, writes
from sortkey.runtime.arguments import NO_ENTITY, expect, expect_batch, expect_writes
from sortkey.runtime.context import Context
from sortkey.runtime.steps import Steps

E = TypeVar("E", bound=Entity)


def put(context: Context, entity: E, mode: PutMode, when: Test) -> Steps[E]:
    expect(entity, Entity, NO_ENTITY)
    if not type(entity).__layout__.payloads:
        return writes.put(context, entity, mode, when)
    from sortkey.runtime.payloads import writes as with_payloads

    return with_payloads.put(context, entity, mode, when)


def update(context: Context, operation: Update[E]) -> Steps[E]:
    if not operation.entity_class.__layout__.payloads:
        return writes.update(context, operation)
    from sortkey.runtime.payloads import writes as with_payloads

    return with_payloads.update(context, operation)


def delete(context: Context, operation: Delete[E]) -> Steps[E | None]:
    if not operation.entity_class.__layout__.payloads:
        return writes.delete(context, operation)
    from sortkey.runtime.payloads import writes as with_payloads

    return with_payloads.delete(context, operation)


def batch_write(
    context: Context, puts: Sequence[Entity], deletes: Sequence[ItemKey[Any]]
) -> Steps[list[Entity]]:
    expect_batch(puts, deletes)
    entities: set[type[Entity]] = {type(entity) for entity in puts} | {
        key.entity for key in deletes
    }
    if not any(entity.__layout__.payloads for entity in entities):
        return batches.batch_write(context, puts, deletes)
    from sortkey.runtime.payloads import writes as with_payloads

    return with_payloads.batch_write(context, puts, deletes)


def transact(context: Context, operations: Sequence[Write[Any]], token: str | None) -> Steps[None]:
    expect_writes(operations)
    if not any(operation.entity_class.__layout__.payloads for operation in operations):
        return transactions.transact(context, operations, token=token)
    from sortkey.runtime.payloads import writes as with_payloads

    return with_payloads.transact(context, operations, token)
