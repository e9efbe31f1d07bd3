"""Which index keys an update must write anew, so that they never drift from the fields they are made of.

Where the update does not have everything a key needs, it is refused: a key that is half right is worse than an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.attributes import Action, Attr
from sortkey.model.codec import encode
from sortkey.model.layout import SCHEMA_VERSION, IndexKey, Layout
from sortkey.model.queries import ItemKey
from sortkey.model.templates import SHARD, Template
from sortkey.values.attributes import AttributeValue


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Attributes at the top of the item, to set and to remove besides what the update's own actions do."""

    sets: Mapping[str, AttributeValue]
    removes: Sequence[str]


def with_followers(layout: Layout, actions: Sequence[Action]) -> tuple[Action, ...]:
    """The actions, and those on the fields that follow what they set."""
    touched = {action.attr.place.name: action for action in actions}
    more: list[Action] = []
    for place in layout.places.values():
        if place.follows is None:
            continue
        if place.name in touched:
            raise ModelError(f"{place.name} follows {place.follows.source}: set that one")
        source = touched.get(place.follows.source)
        if source is not None:
            if not source.is_plain_set:
                raise ModelError(f"{place.name} follows {place.follows.source}, which can only be set")
            attribute: Attr[Any] = Attr(layout, place, place.path, place.info.annotation)
            more.append(attribute.set(place.follows.values[source.value]))
    return (*actions, *more)


def rebuilt_keys(
    layout: Layout, key: ItemKey[Any], actions: Sequence[Action], assumed: Mapping[str, Any], *, upsert: bool
) -> Rebuilt:
    """What the update must also write. `assumed` are values that it makes sure of by a condition."""
    touched = {action.attr.place.attribute: action for action in actions}
    known = {**key.values, **assumed, **{name: a.value for name, a in touched.items() if a.is_plain_set}}
    _refuse_key_change(layout, touched)
    sets: dict[str, AttributeValue] = _of_new_item(layout, key, touched) if upsert else {}
    removes: list[str] = []
    for attribute, template, index in layout.key_templates:
        if attribute in layout.primary.attributes.names or attribute in sets or attribute in removes:
            continue  # the key itself; or an attribute that two indexes share
        changed = [name for name in template.names if name in touched]
        if any(touched[name].section == "REMOVE" and touched[name].attr.is_whole_field for name in changed):
            removes.append(attribute)
        elif changed:
            _check_known(layout, index, template, changed, touched, known)
            sets[attribute] = _rendered(layout, index, attribute, template, known)
        elif upsert and all(name in known or name == SHARD for name in template.names):
            sets[attribute] = _rendered(layout, index, attribute, template, known)
    return Rebuilt(sets, removes)


def _check_known(
    layout: Layout,
    index: IndexKey,
    template: Template,
    changed: Sequence[str],
    touched: Mapping[str, Action],
    known: Mapping[str, Any],
) -> None:
    for name in changed:
        if not touched[name].is_plain_set:
            raise ModelError(
                f"{name} is part of the key in {index.index}: only a plain set can rebuild that. Read, change, save()"
            )
    missing = [layout.by_attribute[name].name for name in template.names if name not in known and name != SHARD]
    if missing:
        given = ", ".join(f'"{name}": …' for name in missing)
        raise ModelError(
            f"the update changes {', '.join(changed)}, so the key in {index.index} must be made anew, and that also "
            f"needs {', '.join(missing)}. Say what they are, assuming={{{given}}}, or read, change and save()"
        )


def _rendered(
    layout: Layout, index: IndexKey, attribute: str, template: Template, known: Mapping[str, Any]
) -> AttributeValue:
    values = {**known, SHARD: layout.shard(known, index.shards)} if index.shards else known
    text = template.render(values)
    assert text is not None
    return {layout.table.type_of(attribute): text}


def _of_new_item(layout: Layout, key: ItemKey[Any], touched: Mapping[str, Action]) -> dict[str, AttributeValue]:
    """What an item that the update makes needs besides: its kind, and the fields that its key names."""
    sets: dict[str, AttributeValue] = {}
    if layout.kind is not None:
        sets[layout.table.kind_attribute] = {"S": layout.kind}
    if layout.schema_version > 1:
        sets[SCHEMA_VERSION] = {"N": str(layout.schema_version)}
    for attribute, value in key.values.items():
        place = layout.by_attribute[attribute]
        if place.key_only or attribute in layout.primary.attributes.names or attribute in touched:
            continue
        if len(place.path) > 1:
            raise ModelError(f"{place.name} lies in {place.path[0]}, which an upsert cannot make: create() the item")
        sets[attribute] = encode(value)
    return sets


def _refuse_key_change(layout: Layout, touched: Mapping[str, Action]) -> None:
    changed = [name for name in layout.primary.names if name in touched]
    if changed:
        raise ModelError(
            f"{', '.join(changed)} is part of {layout.entity.__name__}'s key, which cannot change: create another item"
        )
