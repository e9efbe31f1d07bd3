"""The index keys and computed fields that an update must rewrite to keep them in step with their
sources.

An update that does not know all the sources is refused: a wrong key is worse than an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.attributes import Action
from sortkey.model.codec import encode
from sortkey.model.computed_fields import value_after
from sortkey.model.layout import IndexKey, Layout, Path
from sortkey.model.queries import ItemKey
from sortkey.model.templates import SHARD, Template
from sortkey.model.version_upgrades import SCHEMA_VERSION
from sortkey.values.attributes import AttributeValue


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What an update sets, sets if missing, and removes besides its own actions."""

    sets: dict[Path, AttributeValue] = field(default_factory=dict["Path", AttributeValue])
    fills: dict[Path, AttributeValue] = field(default_factory=dict["Path", AttributeValue])
    removes: list[Path] = field(default_factory=list["Path"])

    def __contains__(self, path: Path) -> bool:
        return path in self.sets or path in self.fills or path in self.removes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known about an item after an update, by attribute: the actions on it, and its values.
    None means that the attribute is absent.
    """

    layout: Layout
    touched: Mapping[str, Action]
    known: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        layout: Layout,
        key: ItemKey[Any],
        actions: Sequence[Action],
        assumed: Mapping[str, Any],
    ) -> Outcome:
        """`assumed` are values that the update checks by a condition."""
        touched: dict[str, Action] = {}
        for action in actions:
            name = action.attr.place.attribute
            if name not in touched or not _is_known(action):
                touched[name] = action
        known = {
            **key.values,
            **{name: value for name, value in assumed.items() if name not in touched},
        }
        known |= {name: action.value for name, action in touched.items() if _is_known(action)}
        return cls(layout, touched, known)

    def check(self, names: Sequence[str], what: str) -> None:
        """Refuse an update that does not know all the sources of a derived value."""
        for name in names:
            if name in self.touched and name not in self.known:
                raise ModelError(
                    f"{self._name(name)} is part of {what}: only a plain set() can rebuild that. "
                    "Read the entity, change it and save() it"
                )
        missing = [self._name(name) for name in names if name not in self.known]
        if missing:
            changed = ", ".join(self._name(name) for name in names if name in self.touched)
            example = ", ".join(f'"{name}": …' for name in missing)
            raise ModelError(
                f"the update changes {changed}, so {what} must be rebuilt, which also needs "
                f"{', '.join(missing)}. "
                f"Pass assuming={{{example}}}, or read the entity, change it and save() it"
            )

    def _name(self, attribute: str) -> str:
        return self.layout.by_attribute[attribute].name


def rebuilt(
    layout: Layout,
    key: ItemKey[Any],
    actions: Sequence[Action],
    assumed: Mapping[str, Any],
    filled: Mapping[str, Any] | None,
) -> Rebuilt:
    """What the update must also write. `filled` are the values that an upsert gives to a new
    item.
    """
    outcome = Outcome.of(layout, key, actions, assumed)
    _refuse_key_change(outcome)
    result = Rebuilt()
    if filled is not None:
        result.sets.update(_of_new_item(layout, key, outcome.touched))
    for derived in layout.derived:
        if derived.path in result:
            continue  # an attribute that two indexes share
        if any(name in outcome.touched for name in derived.names):
            if not (
                derived.is_key
                and any(outcome.known.get(name, "") is None for name in derived.names)
            ):
                outcome.check(
                    derived.names, derived.what
                )  # one missing source means that the key is absent
            _put(result, derived.path, derived.value(outcome.known))
        elif filled is not None:
            _fill(result, derived, outcome.known, filled)
    return result


def _is_known(action: Action) -> bool:
    """Whether the value of a field is known after an action."""
    return action.is_plain_set or (action.section == "REMOVE" and action.attr.is_whole_field)


@dataclass(frozen=True, slots=True)
class Derived:
    """An attribute that is computed from others."""

    path: Path
    names: Sequence[str]
    what: str
    is_key: bool
    value: Callable[[Mapping[str, Any]], AttributeValue | None]


def derived_of(layout: Layout) -> tuple[Derived, ...]:
    """Every attribute that is computed from fields, except the table's key."""
    return (*_keys(layout), *_computed(layout))


def _keys(layout: Layout) -> Iterator[Derived]:
    for attribute, template, index in layout.key_templates:
        if attribute not in layout.primary.attributes.names:
            names = [name for name in template.names if name != SHARD]
            make = partial(_rendered, layout, index, attribute, template)
            yield Derived((attribute,), names, f"the key in {index.index}", True, make)


def _computed(layout: Layout) -> Iterator[Derived]:
    for name, computed in layout.computed.items():
        names = [layout.places[source].attribute for source in sorted(computed.sources)]
        make = partial(_calculated, layout, name, names)
        yield Derived(computed.path, names, f"the computed field {name}", False, make)


def _fill(
    result: Rebuilt, derived: Derived, known: Mapping[str, Any], filled: Mapping[str, Any]
) -> None:
    """Add a derived attribute of an upsert: set it if all sources are known, otherwise only if it
    is missing.
    """
    if all(name in known for name in derived.names):
        _put(result, derived.path, derived.value(known))
    elif all(name in known or name in filled for name in derived.names):
        calculated = derived.value({**filled, **known})
        if calculated is not None:
            result.fills[derived.path] = calculated


def _put(result: Rebuilt, path: Path, value: AttributeValue | None) -> None:
    if value is None:
        result.removes.append(path)
    else:
        result.sets[path] = value


def _rendered(
    layout: Layout, index: IndexKey, attribute: str, template: Template, values: Mapping[str, Any]
) -> AttributeValue | None:
    text = template.render(
        {**values, SHARD: layout.shard(values, index.shards)} if index.shards else values
    )
    return None if text is None else {layout.table.type_of(attribute): text}


def _calculated(
    layout: Layout, name: str, names: Sequence[str], values: Mapping[str, Any]
) -> AttributeValue | None:
    value = value_after(layout, name, {source: values[source] for source in names})
    return None if value is None else encode(value)


def _of_new_item(
    layout: Layout, key: ItemKey[Any], touched: Mapping[str, Action]
) -> dict[Path, AttributeValue]:
    """What a new item of an upsert needs as well: its kind, and the fields in its key."""
    sets: dict[Path, AttributeValue] = {}
    if layout.kind is not None:
        sets[(layout.table.kind_attribute,)] = {"S": layout.kind}
    if layout.schema_version > 1:
        sets[(SCHEMA_VERSION,)] = {"N": str(layout.schema_version)}
    for attribute, value in key.values.items():
        place = layout.by_attribute[attribute]
        if place.key_only or attribute in layout.primary.attributes.names or attribute in touched:
            continue
        if len(place.path) > 1:
            raise ModelError(
                f"{place.name} is in {place.path[0]}, which an upsert cannot create: create() the "
                "item"
            )
        sets[place.path] = encode(value)
    return sets


def _refuse_key_change(outcome: Outcome) -> None:
    changed = [
        outcome.layout.by_attribute[name].name
        for name in outcome.layout.primary.names
        if name in outcome.touched
    ]
    if changed:
        entity = outcome.layout.entity.__name__
        raise ModelError(
            f"{', '.join(changed)} is part of {entity}'s key, which cannot change: create another "
            "item"
        )
