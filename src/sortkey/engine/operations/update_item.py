"""UpdateItem: change some attributes of an item, or create it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from sortkey.engine.conditions import Guard, guard
from sortkey.engine.item_keys import (
    check_assigned_types,
    check_hashes_that_sort,
    check_index_keys,
    check_scalar_keys,
    check_updated_index_keys,
    encode_key,
)
from sortkey.engine.parameters import (
    check_return_values,
    check_update_parameters,
    read_condition_and_update,
)
from sortkey.engine.tables import Table
from sortkey.engine.write_requests import old_attributes, run_write
from sortkey.engine.writes import Change, Write
from sortkey.errors import ValidationException
from sortkey.expressions.conditions import Condition
from sortkey.expressions.updates import Update
from sortkey.values.attributes import INVALID, Item, check_nesting, read_item

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

RETURN_VALUES = ("NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW")


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    return_values = check_return_values(request, *RETURN_VALUES)
    parsed = parse(request)
    item_write, update = bind(engine, parsed), parsed.update
    if return_values == "NONE":
        return run_write(engine, request, item_write, None)
    return run_write(
        engine, request, item_write, lambda change: _attributes(return_values, change, update)
    )


class Parsed(NamedTuple):
    """An update that was checked without its table."""

    request: dict[str, Any]
    key: Item
    condition: Condition | None
    update: Update | None


def parse(request: dict[str, Any]) -> Parsed:
    """The update of this operation or of a transaction."""
    check_update_parameters(request)
    key, _ = read_item(request["Key"])
    return Parsed(request, key, *read_condition_and_update(request))


def bind(engine: Engine, parsed: Parsed) -> Write:
    """The write on the request's table, checked against its keys."""
    request, key, condition, update = parsed
    table = engine.catalog.table(request["TableName"])
    refuse = guard(condition, request)
    check_new = check_index_keys if "UpdateExpression" not in request else check_updated_index_keys

    def check() -> None:
        check_hashes_that_sort(table, key)
        if condition is not None:
            check_scalar_keys(table, condition.paths)
        if update is not None:
            check_keys_untouched(table, update)
            if not update.top_level.isdisjoint(table.index_key_set):
                check_assigned_types(table, update.assigned)
            check_scalar_keys(table, update.paths + update.reads)

    def apply(old: Item | None) -> Item | None:
        return apply_update(table, key, update, refuse, old, check_new)

    touches = None if update is None else update.top_level
    return Write(table, encode_key(table, key), apply, named=key, touches=touches, check=check)


def apply_update(
    table: Table,
    key: Item,
    update: Update | None,
    refuse: Guard | None,
    old: Item | None,
    check: Callable[[Table, Item], None] = check_index_keys,
) -> Item | None:
    """The pure step from the old item to the new one."""
    if refuse is not None:
        refuse(old)
    if update is None:
        return key if old is None else old
    if old is None and update.only_removes:
        return None  # AWS does not create an item just to remove something from it
    new = update(key if old is None else old)
    if not update.top_level.isdisjoint(table.index_key_set):
        check(table, new)
    check_nesting(new, update.top_level)
    return new


def check_keys_untouched(table: Table, update: Update) -> None:
    for name in table.key.names:
        if name in update.top_level:
            raise ValidationException(
                f"{INVALID}Cannot update attribute {name}. This attribute is part of the key"
            )


def _attributes(return_values: str, change: Change, update: Update | None) -> dict[str, Any]:
    if return_values == "ALL_OLD":
        return old_attributes(change)
    if return_values == "ALL_NEW":
        return {"Attributes": change.new} if change.new is not None else {}
    if update is None:
        return {}
    attributes = (
        update.updated_old(change.old)
        if return_values == "UPDATED_OLD"
        else update.updated_new(change.new)
    )
    return {"Attributes": attributes} if attributes else {}
