"""Items edited by hand: checked and completed by the model, written only if unchanged since they
were read, and audited.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sortkey.errors import (
    AlreadyExists,
    ConditionalCheckFailedException,
    ModelError,
    ServiceError,
    SortkeyError,
    TransactionCanceledException,
)
from sortkey.model.entity import Entity
from sortkey.model.expressions import Names
from sortkey.model.missing_attributes import at
from sortkey.runtime.audit import audit
from sortkey.runtime.guards import Guarding, guard_key, guards_to_release, guards_to_take
from sortkey.values.attributes import Item
from sortkey.web.console.derived_attributes import completed
from sortkey.web.console.transition_checks import check_transitions, watched
from sortkey.web.console.value_display import cell
from sortkey.web.console.workspace import CONSOLE, Workspace

CHANGED = "someone else has changed this item since you opened it: open it again to see the changes"
DELETED = "this item has been deleted since you opened it: create it again if you need it"


def replace(workspace: Workspace, table: str, old: Item | None, new: Item) -> None:
    """Replace the item that was read, or create one if `old` is None, in one conditional write.

    Derived attributes are updated. Raises AlreadyExists, with the existing item, if the key of a
    new item is taken; InvalidItem if its entity cannot read it; ModelError if the item has changed
    meanwhile or the model rejects the change.
    """
    key = _key(workspace, table, old, new)
    present = workspace.item(table, key)
    if present != old:
        raise _conflict(table, key, old, present)
    entity = workspace.entity_of(table, new)
    if entity is not None:
        check_transitions(entity, old, new)
    item = new if entity is None else completed(entity, old, new)
    names = Names()
    request = {
        "TableName": table,
        "Item": item,
        "ConditionExpression": _as_read(entity, key, old, names),
    }
    names.put_into(request)
    try:
        _put(workspace, request, [] if entity is None else _guards(entity, old, item))
    except ConditionalCheckFailedException as error:
        raise _conflict(table, key, old, workspace.item(table, key)) from error
    _record(workspace, "item.put", table, key)


def delete(workspace: Workspace, table: str, key: Item) -> None:
    """Delete an item, and release its unique values."""
    item = workspace.item(table, key) or {}
    entity = workspace.entity_of(table, item)
    request = {"TableName": table, "Key": key}
    guards = [] if entity is None else _guards(entity, item, None)
    if guards:
        workspace.call(
            "TransactWriteItems",
            {"TransactItems": [{"Delete": request}, *(guard.member for guard in guards)]},
        )
    else:
        workspace.call("DeleteItem", request)
    _record(workspace, "item.delete", table, key)


def recovery_note(workspace: Workspace, table: str) -> str:
    """How a deleted item could be restored, to show before deleting it."""
    try:
        backups = workspace.call("DescribeContinuousBackups", {"TableName": table})[
            "ContinuousBackupsDescription"
        ]
    except ServiceError:  # some services lack it, some users may not call it
        return "It can only be restored from a backup of the table or by point-in-time recovery."
    if (
        backups.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus")
        == "ENABLED"
    ):
        return "It can only be restored by point-in-time recovery."
    return "The table has no point-in-time recovery: the item can only be restored from a backup."


def _key(workspace: Workspace, table: str, old: Item | None, new: Item) -> Item:
    names = workspace.key_names(table)
    for name in names:
        if name not in new:
            raise ModelError(f"{name} is part of the key of {table}: add it to the item")
        if old is not None and old[name] != new[name]:
            raise ModelError(
                f"{name} is part of the key of an item, which cannot change: create a new item, "
                "then delete this one"
            )
    return {name: new[name] for name in names}


def _conflict(table: str, key: Item, old: Item | None, present: Item | None) -> SortkeyError:
    """Why an item cannot be written: what is stored differs from what was read."""
    if old is None:
        named = ", ".join(f"{name}={cell(value)}" for name, value in key.items())
        return AlreadyExists(f"an item with the key {named} already exists in {table}", present)
    if present is None:
        return ModelError(DELETED)
    return ModelError(CHANGED)


def _put(workspace: Workspace, request: dict[str, Any], guards: Sequence[Guarding]) -> None:
    """Write the item. Raises ConditionalCheckFailedException for the item itself, and ModelError
    for a unique value that is taken.
    """
    if not guards:
        workspace.call("PutItem", request)
        return
    try:
        workspace.call(
            "TransactWriteItems",
            {"TransactItems": [{"Put": request}, *(guard.member for guard in guards)]},
        )
    except TransactionCanceledException as error:
        first, *others = [
            reason.get("Code") == "ConditionalCheckFailed"
            for reason in error.extra["CancellationReasons"]
        ]
        if first:
            raise ConditionalCheckFailedException("The conditional request failed") from error
        messages = [
            guard.message for guard, is_taken in zip(guards, others, strict=True) if is_taken
        ]
        raise ModelError(messages[0] if messages else CHANGED) from error


def _guards(entity: type[Entity], old: Item | None, new: Item | None) -> list[Guarding]:
    """The guards to write for changed unique values. An item that cannot be read has none."""
    layout = entity.__layout__
    before, after = (_read(entity, item) for item in (old, new))
    changed: list[Guarding] = []
    for group in layout.unique:
        keys = [
            None if entity is None else guard_key(layout, group, entity)
            for entity in (before, after)
        ]
        if keys[0] != keys[1]:
            changed += guards_to_take(layout, group, after) if after is not None else []
            changed += guards_to_release(layout, group, before) if before is not None else []
    return changed


def _read(entity: type[Entity], item: Item | None) -> Entity | None:
    try:
        return None if item is None else entity.from_item(item)
    except SortkeyError:
        return None


def _as_read(entity: type[Entity] | None, key: Item, old: Item | None, names: Names) -> str:
    """The condition that the item is unchanged, by its status, version and update time, or still
    does not exist.
    """
    if old is None:
        return " AND ".join(f"attribute_not_exists({names.name(name)})" for name in key)
    tests = [f"attribute_exists({names.name(name)})" for name in key]
    for path in watched(entity) if entity else ():
        value, where = at(old, path), names.path(path)
        tests.append(
            f"attribute_not_exists({where})" if value is None else f"{where} = {names.value(value)}"
        )
    return " AND ".join(tests)


def _record(workspace: Workspace, action: str, table: str, key: Item) -> None:
    """Audit a change by hand."""
    subject = "/".join([table, *(str(next(iter(value.values()))) for value in key.values())])
    audit(workspace.store, CONSOLE, action, subject)
