"""Unique fields: a guard item for each value, written and deleted in one transaction with its
item.
"""

from __future__ import annotations

from typing import Any, TypeVar

from sortkey.errors import (
    AlreadyExists,
    ConditionFailed,
    ModelError,
    StaleVersion,
    TransactionFailed,
)
from sortkey.model.attributes import Condition, condition
from sortkey.model.entity import Entity
from sortkey.model.layout import Layout
from sortkey.model.operations import Delete, Put, Test
from sortkey.model.queries import ItemKey
from sortkey.runtime.as_read import as_read
from sortkey.runtime.context import Context
from sortkey.runtime.guards import Guarding, guard_key, guards_to_release, guards_to_take
from sortkey.runtime.reads import find
from sortkey.runtime.refusals import refusal
from sortkey.runtime.steps import Steps
from sortkey.runtime.transactions import transact_raw

E = TypeVar("E", bound=Entity)
ATTEMPTS_MAX = 5
CONDITION_FAILED = "ConditionalCheckFailed"


def put(operation: Put[Any], now: float) -> Steps[None]:
    """Create or save an entity with its guards. Guards of values that it no longer has are
    deleted.
    """
    entity, layout = operation.stamped(now), operation.entity_class.__layout__
    if operation.mode == "put":
        raise ModelError(
            f"{operation.entity_class.__name__} has unique fields, which put() cannot guard: use "
            "create() or save()"
        )
    if operation.is_creating:
        guards = [
            guard for group in layout.unique for guard in guards_to_take(layout, group, entity)
        ]
        yield from _transact(operation, operation, now, guards)
        return
    old = yield from find(ItemKey.of_entity(entity), consistent=True)
    if old is None:
        raise StaleVersion(f"{operation.describe()}: it is gone", None)
    guards: list[Guarding] = []
    for group in layout.unique:
        if guard_key(layout, group, old) != guard_key(layout, group, entity):
            guards += [
                *guards_to_release(layout, group, old),
                *guards_to_take(layout, group, entity),
            ]
    guarded = Put(operation.entity, operation.mode, _and(operation.when, _unchanged(layout, old)))
    yield from _transact(operation, guarded, now, guards)


def delete(context: Context, operation: Delete[E]) -> Steps[E | None]:
    """Delete an item with its guards. Tries again if its unique values change between the read and
    the delete.
    """
    for attempt in range(ATTEMPTS_MAX):
        old = yield from find(operation.key, consistent=True)
        if old is None:
            if operation.when is not None:
                raise ConditionFailed(f"{operation.describe()}: there is no such item", None)
            return None
        layout = operation.entity_class.__layout__
        guards = [
            guard for group in layout.unique for guard in guards_to_release(layout, group, old)
        ]
        guarded = Delete(operation.key, _and(operation.when, _unchanged(layout, old)))
        try:
            yield from _transact(operation, guarded, context.clock(), guards)
        except ConditionFailed as failed:
            moved = failed.item is None or any(
                guard_key(layout, group, failed.item) != guard_key(layout, group, old)
                for group in layout.unique
            )
            if not moved or attempt == ATTEMPTS_MAX - 1:
                raise
        else:
            return old
    return None


def _unchanged(layout: Layout, old: Entity) -> Condition:
    """A condition that the unique values are unchanged since they were read."""
    return as_read(layout, old, [layout.place(name) for group in layout.unique for name in group])


def _and(one: Test, other: Condition) -> Condition:
    return other if one is None else condition(one) & other


def _transact(
    operation: Put[Any] | Delete[Any],
    guarded: Put[Any] | Delete[Any],
    now: float,
    guards: list[Guarding],
) -> Steps[None]:
    try:
        yield from transact_raw([guarded], now, guards)
    except TransactionFailed as failed:
        codes = {reason.code for reason in failed.reasons}
        if codes != {CONDITION_FAILED}:
            raise  # a conflict with another transaction or throttling says nothing about the values
        first = failed.reasons[0]
        if first.is_guard:
            raise AlreadyExists(f"{operation.describe()}: {first.message}", None) from failed
        raise refusal(operation, first.stored) from failed
