"""The derived attributes of an item that was edited by hand: index keys, computed fields,
timestamps.

A typed write computes them all, and so does an edit. The item's key is derived too, but cannot
change.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.entity import Entity
from sortkey.model.layout import Layout
from sortkey.model.missing_attributes import at, is_older
from sortkey.model.operations import Put
from sortkey.model.places import Path
from sortkey.values.attributes import AttributeValue, Item
from sortkey.web.console.transition_checks import STAMPED
from sortkey.web.console.value_display import cell


def completed(entity: type[Entity], old: Item | None, new: Item) -> Item:
    """An edited item, or a new one if `old` is None, with all derived attributes.

    Raises ModelError if the fields give the item another key, or if a derived attribute was edited.
    """
    layout, edited = entity.__layout__, entity.from_item(new)
    expected = edited.to_item()
    _check_key(layout, old, new, expected)
    if is_older(layout, new):
        return _stamped(edited, old)  # all of it: an upgrade changes the fields too
    _check_derived(layout, old, new, expected)
    target, item = _stamped(edited, old), deepcopy(new)
    for path in _rebuilt_paths(layout):
        _set_at(item, path, at(target, path))
    return item


def _stamped(entity: Entity, old: Item | None) -> Item:
    """The stored item. A new one keeps its own timestamps."""
    return (entity if old is None else Put(entity, "save").stamped(time.time())).to_item()


def _rebuilt_paths(layout: Layout) -> Iterator[Path]:
    yield from (derived.path for derived in layout.derived)
    for name in {name for key in layout.keys.values() for name in key.attributes.names} - {
        *layout.table.key
    }:
        yield (name,)  # also fields that are index keys themselves, which may have a default
    for place in layout.places.values():
        if STAMPED & place.markers or place.follows is not None:
            yield place.path


def _check_key(layout: Layout, old: Item | None, new: Item, expected: Item) -> None:
    wrong = [name for name in layout.table.key if expected[name] != new.get(name)]
    if not wrong:
        return
    would_be = ", ".join(f"{name} would be {cell(expected[name])}" for name in wrong)
    changed = [] if old is None else _changed_fields(layout, layout.primary.names, old, new)
    if not changed:
        raise ModelError(f"the key does not match the fields that it is built from: {would_be}")
    raise ModelError(
        f"{', '.join(changed)} {'is' if len(changed) == 1 else 'are'} part of the key: {would_be}. "
        "The key of an item cannot change: create a new item with these values, then delete this "
        "one"
    )


def _check_derived(layout: Layout, old: Item | None, new: Item, expected: Item) -> None:
    """Reject edits of derived attributes: they would be lost silently."""
    for path, sources, verb in _sources(layout):
        typed, computed = at(new, path), at(expected, path)
        if typed is not None and typed != computed and (old is None or typed != at(old, path)):
            raise ModelError(
                f"{'.'.join(map(str, path))} {verb} {', '.join(sources)} and would be "
                f"{cell(computed) or 'absent'}: "
                f"change {'that' if len(sources) == 1 else 'those'} instead"
            )


def _sources(layout: Layout) -> Iterator[tuple[Path, Sequence[str], str]]:
    for derived in layout.derived:
        yield derived.path, derived.names, "is built from"
    for place in layout.places.values():
        if place.follows is not None:
            yield place.path, [layout.places[place.follows.source].attribute], "follows"


def _changed_fields(layout: Layout, names: Sequence[str], old: Item, new: Item) -> list[str]:
    places = [layout.by_attribute[name] for name in names]
    return [
        place.attribute
        for place in places
        if not place.key_only and at(old, place.path) != at(new, place.path)
    ]


def _set_at(item: Item, path: Path, value: AttributeValue | None) -> None:
    """Set an attribute; None removes it. The envelope exists, because the entity could read the
    item.
    """
    *outer, last = path
    members: Any = item
    for step in outer:
        members = members.setdefault(step, {"M": {}})["M"]
    if value is None:
        members.pop(last, None)
    else:
        members[last] = value
