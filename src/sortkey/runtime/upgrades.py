"""Items as their entity has them today, in their place: before an update, which speaks of the
fields of today and would leave an item that is half old and half new; and by a backfill, one after
the other.
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
"""Pauses double so often: whoever changes an item all the time is not waited for."""
Outcome = Literal["written", "unchanged", "newer", "gone", "contended"]
"""What became of an item. One that is contended was changed by others each time that it was about
to be written.
"""


def is_older(entity: type[Entity], item: Item) -> bool:
    return is_older_item(entity.__layout__, item)


def upgrade(entity: type[Entity], item: Item) -> Steps[None]:
    """Store an item of an older version as one of today; not where somebody has changed
    it since.
    """
    try:
        yield from _write(entity, upgrade_of(entity, item), "upgrade")
    except ConditionalCheckFailedException:
        return  # whoever tries again will find what is there now


def bring_up_to_date(
    context: Context, entity: type[Entity], item: Item
) -> Steps[tuple[Outcome, int]]:
    """Give an item what it lacks, and never overwrite what others have written since it was read:
    then it is looked at again. Gives what became of it, and how often that happened."""
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
        return  # the second change in one moment: what the upgrade has missed stays beside the fields, and is not lost


def _read(entity: type[Entity], item: Item) -> Steps[Item | None]:
    """The item as it is now, from a server that does not show what it has refused to change."""
    layout = entity.__layout__
    request = {"TableName": layout.table.name, "Key": layout.key_in(item), "ConsistentRead": True}
    answer = yield Call("GetItem", request, f"{entity.__name__}.backfill")
    return answer.get("Item")
