"""What the model keeps right in an item, also where it is changed by hand: its statuses, and what each write stamps."""

from __future__ import annotations

import time
from copy import deepcopy
from typing import Any

from sortkey.errors import ModelError
from sortkey.model import fields
from sortkey.model.entity import Entity
from sortkey.model.operations import Put
from sortkey.model.places import Path, Place
from sortkey.model.rewriting import at
from sortkey.values.attributes import AttributeValue, Item

STAMPED = frozenset({fields.Updated, fields.Version})
"""What every write of an item sets anew."""


def check_transitions(entity: type[Entity], old: Item | None, new: Item) -> None:
    """Raises ModelError for a status that a new item cannot have, or that cannot follow the one that is there."""
    layout, made = entity.__layout__, entity.from_item(new)
    for place in layout.places.values():
        if place.states is None or place.key_only:
            continue
        after = layout.stored(place.attribute, getattr(made, place.name))
        if old is None:
            _check_start(entity, place, after)
        else:
            _check_step(place, _text(at(old, place.path)), after)


def stamped(entity: type[Entity], new: Item) -> Item:
    """A changed item with its instant of change, its version, and the fields and index keys that follow others."""
    layout = entity.__layout__
    made = Put(entity.from_item(new), "save").stamped(time.time()).to_item()
    paths = [place.path for place in layout.places.values() if STAMPED & place.markers or place.follows is not None]
    names = {name for key in layout.keys.values() for name in key.attributes.names} - {*layout.table.key}
    item = deepcopy(new)
    for path in (*paths, *((name,) for name in names)):
        _set_at(item, path, at(made, path))
    return item


def watched(entity: type[Entity]) -> list[Path]:
    """Where others would have left a mark, had they changed the item meanwhile."""
    places = entity.__layout__.places.values()
    return [place.path for place in places if not place.key_only and (place.states or STAMPED & place.markers)]


def _set_at(item: Item, path: Path, value: AttributeValue | None) -> None:
    """None removes it. The envelope is there: the item was read by its entity."""
    *outer, last = path
    members: Any = item
    for step in outer:
        members = members.setdefault(step, {"M": {}})["M"]
    if value is None:
        members.pop(last, None)
    else:
        members[last] = value


def _text(value: AttributeValue | None) -> Any:
    return None if value is None else value.get("S")


def _check_start(entity: type[Entity], place: Place, status: Any) -> None:
    assert place.states is not None
    if not place.states.starts(status):
        raise ModelError(f"a new {entity.__name__} has {place.name} {' or '.join(place.states.start)}, not {status}")


def _check_step(place: Place, before: Any, after: Any) -> None:
    """A status that the model does not know may become any: somebody mends the item."""
    assert place.states is not None
    following = place.states.followers(before)
    if before == after or after in following or before not in (*place.states.all, *place.states.start):
        return
    if not following:
        raise ModelError(f"{place.name} is {before}, which is final: {after} cannot follow it")
    raise ModelError(f"{place.name} is {before}: {' or '.join(following)} can follow it, not {after}")
