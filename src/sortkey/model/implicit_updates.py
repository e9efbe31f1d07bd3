"""What an update writes besides its own actions: instants, the version, followers, and what a new
item needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sortkey.errors import ModelError
from sortkey.model import fields
from sortkey.model.attributes import Action, Attr
from sortkey.model.insides import default_of
from sortkey.model.layout import Layout, Place

Values = Mapping[str, Any]
"""By attribute, as they are stored."""


def field(layout: Layout, place: Place) -> Attr[Any]:
    return Attr(layout, place, place.path, place.info.annotation)


def with_stamps(layout: Layout, actions: Sequence[Action], now: float) -> tuple[Action, ...]:
    """The actions, plus those that set the instant of the last change and the version."""
    touched, instant = (
        {action.attr.place.name for action in actions},
        datetime.fromtimestamp(now, UTC),
    )
    stamps = [
        field(layout, place).set(instant)
        for place in layout.places.values()
        if fields.Updated in place.markers and place.name not in touched
    ]
    if layout.version is not None:
        stamps.append(field(layout, layout.version).add(1))
    return (*actions, *stamps)


def with_followers(layout: Layout, actions: Sequence[Action]) -> tuple[Action, ...]:
    """The actions, plus those on the fields that follow them."""
    touched = {action.attr.place.name: action for action in actions}
    for place in layout.places.values():
        if place.follows is None:
            continue
        if place.name in touched:
            raise ModelError(f"{place.name} follows {place.follows.source}: set that one")
        source = touched.get(place.follows.source)
        if source is not None:
            if not source.is_plain_set:
                raise ModelError(
                    f"{place.name} follows {place.follows.source}, which can only be set"
                )
            touched[place.name] = field(layout, place).set(place.follows.value_for(source.value))
    return (
        *actions,
        *(action for action in touched.values() if action.attr.place.follows is not None),
    )


def fills(
    layout: Layout, in_key: Values, actions: Sequence[Action], assumed: Values, now: float
) -> dict[str, Any]:
    """Values that an upsert sets if they are missing. Raises ModelError if a new item would be
    invalid.
    """
    touched = {action.attr.place.name for action in actions}
    values: dict[str, Any] = {}
    for place in layout.places.values():
        if (
            place.name in touched
            or place.attribute in in_key
            or place.attribute in layout.primary.attributes.names
        ):
            continue
        value = _first_value(layout, place, assumed, now)
        if value is not None or (
            place.attribute in layout.kept_nulls and not place.info.is_required()
        ):
            stored = layout.stored(place.attribute, value)
            if not layout.is_left_out(place, stored):
                values[place.attribute] = stored
        elif place.info.is_required():
            raise ModelError(
                f"an upsert may create the item, and {layout.entity.__name__} needs {place.name}: "
                "set it"
            )
    written = [
        *(action.attr.place for action in actions),
        *(layout.by_attribute[name] for name in values),
    ]
    for place in written:
        if len(place.path) > 1:
            raise ModelError(
                f"{place.name} is in {layout.envelope}, which an upsert cannot create: create() "
                "the item"
            )
    return values


def fill_actions(layout: Layout, filled: Values) -> tuple[Action, ...]:
    return tuple(
        field(layout, layout.by_attribute[name]).set_if_missing(value)
        for name, value in filled.items()
    )


def _first_value(layout: Layout, place: Place, assumed: Values, now: float) -> Any:
    if place.attribute in assumed:
        return assumed[place.attribute]
    if fields.Created in place.markers:
        return datetime.fromtimestamp(now, UTC)
    default = default_of(place.info)
    if place.follows is None:
        return default
    source = layout.places[place.follows.source]
    return place.follows.values.get(assumed.get(source.attribute, default_of(source.info)), default)
