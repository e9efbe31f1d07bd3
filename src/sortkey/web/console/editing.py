"""Items changed by hand: checked by the model, stored only over what was read, and recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sortkey.errors import (
    ConditionalCheckFailedException,
    InvalidItem,
    ModelError,
    ServiceError,
    SortkeyError,
    TransactionCanceledException,
)
from sortkey.model.entity import Entity
from sortkey.model.expressions import Names
from sortkey.model.rewriting import at
from sortkey.runtime.audit import audit
from sortkey.runtime.guards import Guarding, given_back, guard_key, taken
from sortkey.values.attributes import Item
from sortkey.web.console.kept_fields import check_transitions, stamped, watched
from sortkey.web.console.showing import cell
from sortkey.web.console.workspace import CONSOLE, Workspace

CHANGED = "somebody else has changed this item since you read it: read it again"


def check(workspace: Workspace, table: str, item: Item) -> list[str]:
    """What the model says against an item, a line each; nothing where it fits, or where no model knows it."""
    entity = workspace.entity_of(table, item)
    if entity is None:
        return []
    try:
        made = entity.from_item(item).to_item()
    except InvalidItem as error:
        return [*error.faults]
    except SortkeyError as error:
        return [str(error)]
    declared = entity.__layout__.table
    names = {name for each in (None, *declared.indexes) for name in declared.key_attributes(each and each.name).names}
    return [
        f"{name} does not fit the fields it is made of: it would be {cell(made.get(name)) or 'absent'}"
        for name in sorted(names)
        if made.get(name) != item.get(name)
    ]


def replace(workspace: Workspace, table: str, old: Item | None, new: Item) -> None:
    """Store an item in the place of what was read before, or as a new one. Raises ModelError where that changed, and
    where its status cannot follow. What the model keeps up to date itself it does here too."""
    key = workspace.key_of(table, new)
    if old is not None and workspace.key_of(table, old) != key:
        raise ModelError("the key cannot be changed: that would be another item; make a new one")
    if workspace.item(table, key) != old:
        raise ModelError(CHANGED)
    entity = workspace.entity_of(table, new)
    if entity is not None:
        check_transitions(entity, old, new)
    item = new if entity is None or old is None else stamped(entity, new)
    names = Names()
    request = {"TableName": table, "Item": item, "ConditionExpression": _as_read(entity, key, old, names)}
    names.put_into(request)
    _put(workspace, request, [] if entity is None else _guards(entity, old, item))
    _record(workspace, "item.put", table, key)


def delete(workspace: Workspace, table: str, key: Item) -> None:
    """Delete an item, and give its unique values back."""
    item = workspace.item(table, key) or {}
    entity = workspace.entity_of(table, item)
    request = {"TableName": table, "Key": key}
    guards = [] if entity is None else _guards(entity, item, None)
    if guards:
        workspace.call(
            "TransactWriteItems", {"TransactItems": [{"Delete": request}, *(each.member for each in guards)]}
        )
    else:
        workspace.call("DeleteItem", request)
    _record(workspace, "item.delete", table, key)


def farewell(workspace: Workspace, table: str) -> str:
    """What would bring a deleted item back, for who is about to delete it."""
    try:
        told = workspace.call("DescribeContinuousBackups", {"TableName": table})["ContinuousBackupsDescription"]
    except ServiceError:  # not every service has it, and not everybody may ask
        return "Only a backup of the table, or its point-in-time recovery, would bring it back."
    if told.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") == "ENABLED":
        return "It can be brought back by point-in-time recovery only."
    return "The table has no point-in-time recovery: only a backup of the table would bring it back."


def _put(workspace: Workspace, request: dict[str, Any], guards: Sequence[Guarding]) -> None:
    try:
        if not guards:
            workspace.call("PutItem", request)
            return
        workspace.call("TransactWriteItems", {"TransactItems": [{"Put": request}, *(each.member for each in guards)]})
    except ConditionalCheckFailedException as error:
        raise ModelError(CHANGED) from error
    except TransactionCanceledException as error:
        first, *others = [
            reason.get("Code") == "ConditionalCheckFailed" for reason in error.extra["CancellationReasons"]
        ]
        said = [guard.message for guard, is_taken in zip(guards, others, strict=True) if is_taken]
        raise ModelError(CHANGED if first or not said else said[0]) from error


def _guards(entity: type[Entity], old: Item | None, new: Item | None) -> list[Guarding]:
    """What keeps the unique values of an item unique, where they change. An item that cannot be read has none."""
    layout = entity.__layout__
    before, after = (_read(entity, item) for item in (old, new))
    changed: list[Guarding] = []
    for group in layout.unique:
        keys = [None if each is None else guard_key(layout, group, each) for each in (before, after)]
        if keys[0] != keys[1]:
            changed += taken(layout, group, after) if after is not None else []
            changed += given_back(layout, group, before) if before is not None else []
    return changed


def _read(entity: type[Entity], item: Item | None) -> Entity | None:
    try:
        return None if item is None else entity.from_item(item)
    except SortkeyError:
        return None


def _as_read(entity: type[Entity] | None, key: Item, old: Item | None, names: Names) -> str:
    """That the item is still what was read, by its status, version and instant of change; or still not there."""
    if old is None:
        return " AND ".join(f"attribute_not_exists({names.name(name)})" for name in key)
    tests = [f"attribute_exists({names.name(name)})" for name in key]
    for path in watched(entity) if entity else ():
        value, where = at(old, path), names.path(path)
        tests.append(f"attribute_not_exists({where})" if value is None else f"{where} = {names.value(value)}")
    return " AND ".join(tests)


def _record(workspace: Workspace, action: str, table: str, key: Item) -> None:
    """Who changes data by hand leaves a trace."""
    subject = "/".join([table, *(str(next(iter(value.values()))) for value in key.values())])
    audit(workspace.store, CONSOLE, action, subject)
