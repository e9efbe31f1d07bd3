"""Which index keys and computed fields an update must write anew, so that they never drift from what they are made of.

Where the update does not know everything that one needs, it is refused: a key that is half right is worse than an
error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.attributes import Action
from sortkey.model.codec import encode
from sortkey.model.computing import value_after
from sortkey.model.layout import SCHEMA_VERSION, IndexKey, Layout, Path
from sortkey.model.queries import ItemKey
from sortkey.model.templates import SHARD, Template
from sortkey.values.attributes import AttributeValue


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What to set and to remove besides what the update's own actions do."""

    sets: dict[Path, AttributeValue] = field(default_factory=dict["Path", AttributeValue])
    removes: list[Path] = field(default_factory=list["Path"])


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an update knows. All by attribute: what it touches, and the values after it, None for what is not there."""

    layout: Layout
    touched: Mapping[str, Action]
    known: Mapping[str, Any]

    @classmethod
    def of(cls, layout: Layout, key: ItemKey[Any], actions: Sequence[Action], assumed: Mapping[str, Any]) -> Outcome:
        """`assumed` are values that the update makes sure of by a condition."""
        touched: dict[str, Action] = {}
        for action in actions:
            name = action.attr.place.attribute
            if name not in touched or not _is_known(action):
                touched[name] = action
        known = {**key.values, **{name: value for name, value in assumed.items() if name not in touched}}
        known |= {name: action.value for name, action in touched.items() if _is_known(action)}
        return cls(layout, touched, known)

    def check(self, names: Iterable[str], what: str) -> None:
        """Refuse an update that does not know the values that something is made of."""
        for name in names:
            if name in self.touched and name not in self.known:
                raise ModelError(
                    f"{self._name(name)} is part of {what}: only a plain set can rebuild that. Read, outcome, save()"
                )
        missing = [self._name(name) for name in names if name not in self.known]
        if missing:
            changed = ", ".join(self._name(name) for name in names if name in self.touched)
            given = ", ".join(f'"{name}": …' for name in missing)
            raise ModelError(
                f"the update changes {changed}, so {what} must be made anew, and that also needs {', '.join(missing)}. "
                f"Say what they are, assuming={{{given}}}, or read, change and save()"
            )

    def _name(self, attribute: str) -> str:
        return self.layout.by_attribute[attribute].name


def rebuilt(
    layout: Layout,
    key: ItemKey[Any],
    actions: Sequence[Action],
    assumed: Mapping[str, Any],
    fills: Mapping[str, Action] | None,
) -> Rebuilt:
    """What the update must also write. `fills` are those of an upsert: values for an item that it makes."""
    outcome = Outcome.of(layout, key, actions, assumed)
    _refuse_key_change(outcome)
    made = Rebuilt()
    if fills is not None:
        made.sets.update(_of_new_item(layout, key, outcome.touched))
    _rebuild_keys(outcome, made, fills)
    _rebuild_computed(outcome, made, fills)
    return made


def _is_known(action: Action) -> bool:
    """Whether an action says what its field is afterwards: a value, or nothing."""
    return action.is_plain_set or (action.section == "REMOVE" and action.attr.is_whole_field)


def _rebuild_keys(outcome: Outcome, made: Rebuilt, fills: Mapping[str, Action] | None) -> None:
    for attribute, template, index in outcome.layout.key_templates:
        path: Path = (attribute,)
        if attribute in outcome.layout.primary.attributes.names or path in made.sets or path in made.removes:
            continue  # the key itself; or an attribute that two indexes share
        names = [name for name in template.names if name != SHARD]
        what = f"the key in {index.index}"
        if not any(name in outcome.touched for name in names):
            if fills is None:
                continue
            if not all(name in outcome.known for name in names):
                _check_filled(outcome, names, fills, what)
                continue
        elif not any(outcome.known.get(name, "") is None for name in names):
            outcome.check(names, what)
        _put(made, path, _rendered(outcome, index, attribute, template))


def _rebuild_computed(outcome: Outcome, made: Rebuilt, fills: Mapping[str, Action] | None) -> None:
    for name, computed in outcome.layout.computed.items():
        names = [outcome.layout.places[source].attribute for source in sorted(computed.sources)]
        what = f"the computed field {name}"
        if not any(source in outcome.touched for source in names):
            if fills is None:
                continue
            if not all(source in outcome.known for source in names):
                _check_filled(outcome, names, fills, what)
                continue
        outcome.check(names, what)
        value = value_after(outcome.layout, name, {source: outcome.known[source] for source in names})
        _put(made, computed.path, None if value is None else encode(value))


def _check_filled(outcome: Outcome, names: Sequence[str], fills: Mapping[str, Action], what: str) -> None:
    """An upsert cannot know the key of an item when a value is given to new ones only."""
    filled = [outcome.layout.by_attribute[name].name for name in names if name in fills and name not in outcome.known]
    if filled:
        given = ", ".join(f'"{name}": …' for name in filled)
        raise ModelError(f"{what} needs {', '.join(filled)}: an upsert must set it, or say assuming={{{given}}}")


def _put(made: Rebuilt, path: Path, value: AttributeValue | None) -> None:
    if value is None:
        made.removes.append(path)
    else:
        made.sets[path] = value


def _rendered(outcome: Outcome, index: IndexKey, attribute: str, template: Template) -> AttributeValue | None:
    layout, values = outcome.layout, outcome.known
    if any(values.get(name, "") is None for name in template.names):
        return None
    text = template.render({**values, SHARD: layout.shard(values, index.shards)} if index.shards else values)
    return None if text is None else {layout.table.type_of(attribute): text}


def _of_new_item(layout: Layout, key: ItemKey[Any], touched: Mapping[str, Action]) -> dict[Path, AttributeValue]:
    """What an item that the update makes needs besides: its kind, and the fields that its key names."""
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
            raise ModelError(f"{place.name} lies in {place.path[0]}, which an upsert cannot make: create() the item")
        sets[place.path] = encode(value)
    return sets


def _refuse_key_change(outcome: Outcome) -> None:
    changed = [
        outcome.layout.by_attribute[name].name for name in outcome.layout.primary.names if name in outcome.touched
    ]
    if changed:
        entity = outcome.layout.entity.__name__
        raise ModelError(f"{', '.join(changed)} is part of {entity}'s key, which cannot outcome: create another item")
