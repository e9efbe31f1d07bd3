"""Checks of status transitions in an item edited by hand, and fields that reveal changes."""

from __future__ import annotations

from typing import Any

from sortkey.errors import ModelError
from sortkey.model import fields
from sortkey.model.entity import Entity
from sortkey.model.missing_attributes import at
from sortkey.model.places import Path, Place
from sortkey.values.attributes import AttributeValue, Item

STAMPED = frozenset({fields.Updated, fields.Version})
"""Fields that every write of an item updates."""


def check_transitions(entity: type[Entity], old: Item | None, new: Item) -> None:
    """Raises ModelError for a status that a new item cannot have, or that cannot follow the current
    one.
    """
    layout, edited = entity.__layout__, entity.from_item(new)
    for place in layout.places.values():
        if place.states is None or place.key_only:
            continue
        after = layout.stored(place.attribute, getattr(edited, place.name))
        if old is None:
            _check_start(entity, place, after)
        else:
            _check_step(place, _text(at(old, place.path)), after)


def watched(entity: type[Entity]) -> list[Path]:
    """The fields that change whenever someone else changes the item."""
    places = entity.__layout__.places.values()
    return [
        place.path
        for place in places
        if not place.key_only and (place.states or STAMPED & place.markers)
    ]


def _text(value: AttributeValue | None) -> Any:
    return None if value is None else value.get("S")


def _check_start(entity: type[Entity], place: Place, status: Any) -> None:
    assert place.states is not None
    if not place.states.starts(status):
        raise ModelError(
            f"{place.name} of a new {entity.__name__} must be "
            f"{' or '.join(place.states.start)}, not {status}"
        )


def _check_step(place: Place, before: Any, after: Any) -> None:
    """A status that the model does not know may change to any, to repair the item."""
    assert place.states is not None
    following = place.states.followers(before)
    if (
        before == after
        or after in following
        or before not in (*place.states.all, *place.states.start)
    ):
        return
    if not following:
        raise ModelError(f"{place.name} is {before}, which is final: {after} cannot follow it")
    raise ModelError(
        f"{place.name} is {before}: {' or '.join(following)} can follow it, not {after}"
    )
