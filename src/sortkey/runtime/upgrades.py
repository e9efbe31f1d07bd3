"""Brings stored items up to date: before an update, which would otherwise leave an item that is
half old and half new, and in a backfill.
"""

from __future__ import annotations

from typing import Literal

from sortkey.errors import ConditionalCheckFailedException
from sortkey.model.entity import Entity
from sortkey.model.missing_attributes import Rewrite, is_newer, rewrite_of, taken_in, upgrade_of
from sortkey.model.missing_attributes import is_older as is_older_item
from sortkey.runtime.context import Context
from sortkey.runtime.steps import Call, Sleep, Steps
from sortkey.values.attributes import Item

CONFLICTS_MAX = 20
LONGEST_PAUSE = 3
"""How often the pause doubles, at most."""
Outcome = Literal["written", "unchanged", "newer", "gone", "contended"]
"""The result for an item. A contended one was changed by others before each attempt to write it."""


def is_older(entity: type[Entity], item: Item) -> bool:
    return is_older_item(entity.__layout__, item)


def upgrade(entity: type[Entity], item: Item) -> Steps[None]:
    """Store the upgrade of an item of an older version, unless it has changed since it was read."""
    try:
        yield from _write(entity, upgrade_of(entity, item), "upgrade")
    except ConditionalCheckFailedException:
        return  # the next try reads the current item


def bring_up_to_date(
    context: Context, entity: type[Entity], item: Item
) -> Steps[tuple[Outcome, int]]:
    """Add to an item what it lacks, without overwriting changes of others: if it has changed, it is
    read again. Returns the result, and how often it had changed.
    """
    for conflicts in range(CONFLICTS_MAX):
        rewrite = rewrite_of(entity, item)
        if rewrite is None:
            return "newer" if is_newer(entity.__layout__, item) else "unchanged", conflicts
        try:
            yield from _write(entity, rewrite, "backfill")
        except ConditionalCheckFailedException as refused:
            stored = refused.extra.get("Item") or (yield from _read(entity, item))
        else:
            return "written", conflicts
        if stored is None:
            return "gone", conflicts
        item = stored
        if conflicts:
            yield Sleep(context.pause(min(conflicts, LONGEST_PAUSE)))
    return "contended", CONFLICTS_MAX


def _write(entity: type[Entity], rewrite: Rewrite, what: str) -> Steps[None]:
    pattern = f"{entity.__name__}.{what}"
    answer = yield Call("UpdateItem", rewrite.request(), pattern)
    if not is_older(entity, rewrite.item):
        return
    missed = taken_in(entity, rewrite, answer["Attributes"])
    if missed is None:
        return
    try:
        yield Call("UpdateItem", missed.request(), pattern)
    except ConditionalCheckFailedException:
        # Changed a second time: what the upgrade has missed stays in the item, and is not lost.
        return


def _read(entity: type[Entity], item: Item) -> Steps[Item | None]:
    """Read the item, for servers that do not return it with the refusal."""
    layout = entity.__layout__
    request = {"TableName": layout.table.name, "Key": layout.key_in(item), "ConsistentRead": True}
    answer = yield Call("GetItem", request, f"{entity.__name__}.backfill")
    return answer.get("Item")
