"""What the model makes of the fields of an item that somebody wrote by hand: index keys, computed
fields, stamps.

A typed write makes them all in one go; so does an edit. The item's own key is made of fields too,
but cannot change.
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
from sortkey.web.console.kept_fields import STAMPED
from sortkey.web.console.value_display import cell


def completed(entity: type[Entity], old: Item | None, new: Item) -> Item:
    """A changed item, or a new one where `old` is None, with everything that the model makes of its
    fields.

    Raises ModelError where the fields make another key of the item, or where somebody changed what
    is made of them.
    """
    layout, written = entity.__layout__, entity.from_item(new)
    made = written.to_item()
    _check_key(layout, old, new, made)
    if is_older(layout, new):
        return _stamped(written, old)  # whole: an upgrade changes the fields too
    _check_derived(layout, old, new, made)
    target, item = _stamped(written, old), deepcopy(new)
    for path in _rebuilt_paths(layout):
        _set_at(item, path, at(target, path))
    return item


def _stamped(entity: Entity, old: Item | None) -> Item:
    """A new item is stored with the instants that it was given."""
    return (entity if old is None else Put(entity, "save").stamped(time.time())).to_item()


def _rebuilt_paths(layout: Layout) -> Iterator[Path]:
    yield from (each.path for each in layout.derived)
    for name in {name for key in layout.keys.values() for name in key.attributes.names} - {
        *layout.table.key
    }:
        yield (name,)  # also fields that are index keys as they stand, which may have a default
    for place in layout.places.values():
        if STAMPED & place.markers or place.follows is not None:
            yield place.path


def _check_key(layout: Layout, old: Item | None, new: Item, made: Item) -> None:
    wrong = [name for name in layout.table.key if made[name] != new.get(name)]
    if not wrong:
        return
    would_be = ", ".join(f"{name} would be {cell(made[name])}" for name in wrong)
    changed = [] if old is None else _changed_fields(layout, layout.primary.names, old, new)
    if not changed:
        raise ModelError(f"the key does not fit the fields it is made of: {would_be}")
    raise ModelError(
        f"{', '.join(changed)} {'is' if len(changed) == 1 else 'are'} part of the key: {would_be}. "
        "The key of an item "
        "cannot change: create a new item with these values, then delete this one"
    )


def _check_derived(layout: Layout, old: Item | None, new: Item, made: Item) -> None:
    """Refuse what was typed into an attribute that is made of others: it would be lost without a
    word.
    """
    for path, sources, verb in _made_of(layout):
        given, right = at(new, path), at(made, path)
        if given is not None and given != right and (old is None or given != at(old, path)):
            raise ModelError(
                f"{'.'.join(map(str, path))} {verb} {', '.join(sources)} and would be "
                f"{cell(right) or 'absent'}: "
                f"change {'that' if len(sources) == 1 else 'those'} instead"
            )


def _made_of(layout: Layout) -> Iterator[tuple[Path, Sequence[str], str]]:
    for each in layout.derived:
        yield each.path, each.names, "is made of"
    for place in layout.places.values():
        if place.follows is not None:
            yield place.path, [layout.places[place.follows.source].attribute], "follows"


def _changed_fields(layout: Layout, names: Sequence[str], old: Item, new: Item) -> list[str]:
    places = [layout.by_attribute[name] for name in names]
    return [
        each.attribute
        for each in places
        if not each.key_only and at(old, each.path) != at(new, each.path)
    ]


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
