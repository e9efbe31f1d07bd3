"""Items changed by hand: checked by the model, stored only over what was read, and recorded."""

from __future__ import annotations

from pydantic import ValidationError

from sortkey.errors import ModelError, SortkeyError
from sortkey.runtime.audit import audit
from sortkey.values.attributes import Item
from sortkey.web.console.showing import cell
from sortkey.web.console.workspace import CONSOLE, Workspace


def check(workspace: Workspace, table: str, item: Item) -> list[str]:
    """What the model says against an item, a line each; nothing where it fits, or where no model knows it."""
    entity = workspace.entity_of(table, item)
    if entity is None:
        return []
    try:
        made = entity.from_item(item).to_item()
    except SortkeyError as error:
        return _faults(error)
    declared = entity.__layout__.table
    names = {name for each in (None, *declared.indexes) for name in declared.key_attributes(each and each.name).names}
    return [
        f"{name} does not fit the fields it is made of: it would be {cell(made.get(name)) or 'absent'}"
        for name in sorted(names)
        if made.get(name) != item.get(name)
    ]


def replace(workspace: Workspace, table: str, old: Item | None, new: Item) -> None:
    """Store an item in the place of what was read before, or as a new one. Raises ModelError where it changed."""
    key = workspace.key_of(table, new)
    if old is not None and workspace.key_of(table, old) != key:
        raise ModelError("the key cannot be changed: that would be another item; make a new one")
    if workspace.item(table, key) != old:
        raise ModelError("somebody else has changed this item since you read it: read it again")
    names = {f"#k{number}": name for number, name in enumerate(key)}
    exists = "attribute_exists" if old is not None else "attribute_not_exists"
    condition = " AND ".join(f"{exists}({short})" for short in names)
    request = {"TableName": table, "Item": new, "ConditionExpression": condition}
    workspace.call("PutItem", request | {"ExpressionAttributeNames": names})
    _record(workspace, "item.put", table, key)


def delete(workspace: Workspace, table: str, key: Item) -> None:
    workspace.call("DeleteItem", {"TableName": table, "Key": key})
    _record(workspace, "item.delete", table, key)


def _record(workspace: Workspace, action: str, table: str, key: Item) -> None:
    """Who changes data by hand leaves a trace."""
    subject = "/".join([table, *(str(next(iter(value.values()))) for value in key.values())])
    audit(workspace.store, CONSOLE, action, subject)


def _faults(error: SortkeyError) -> list[str]:
    """A line for each field that does not fit, without the words of the library that found it."""
    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return [str(error)]
    return [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in cause.errors()]
