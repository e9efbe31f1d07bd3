"""Writes of single items as immutable values that render requests. No I/O: a store sends them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from sortkey.errors import ModelError
from sortkey.model import fields
from sortkey.model.attributes import Action, Attr, Condition, condition, render_actions
from sortkey.model.codec import encode
from sortkey.model.conditions import check_fields
from sortkey.model.derived_attributes import Rebuilt, rebuilt
from sortkey.model.expressions import Names
from sortkey.model.implicit_updates import field as field_of
from sortkey.model.implicit_updates import fill_actions, fills, with_followers, with_stamps
from sortkey.model.layout import Layout, Place
from sortkey.model.queries import ItemKey
from sortkey.model.version_upgrades import SCHEMA_VERSION

if TYPE_CHECKING:
    from sortkey.model.entity import Entity

E = TypeVar("E", bound="Entity")
Request = dict[str, Any]
PutMode = Literal["create", "put", "save"]
Test = Condition | bool | None
"""A condition as a type checker sees it: `Stage.status == "pending"` is a bool for it."""


class Write(Generic[E]):
    """One write of one item: alone, or in a transaction. `member` is its name there."""

    member: ClassVar[Literal["Put", "Update", "Delete", "ConditionCheck"]]

    @property
    def entity_class(self) -> type[E]:
        raise NotImplementedError

    def request(self, now: float) -> Request:
        raise NotImplementedError

    def describe(self) -> str:
        """A short description for messages."""
        raise NotImplementedError


@dataclass(frozen=True)
class Put(Write[E]):
    """A write of a whole item. `create` fails if the item exists, `save` if it has changed since it
    was read. All modes fail if the stored status does not allow the new one.
    """

    entity: E
    mode: PutMode = "put"
    when: Test = None
    member: ClassVar = "Put"

    @property
    def entity_class(self) -> type[E]:
        return type(self.entity)

    @property
    def is_creating(self) -> bool:
        version = self.entity_class.__layout__.version
        return self.mode == "create" or (
            self.mode == "save" and version is not None and not getattr(self.entity, version.name)
        )

    @property
    def states(self) -> tuple[tuple[Place, Any], ...]:
        """The status fields of the entity and their values."""
        places = self.entity_class.__layout__.places.values()
        return tuple(
            (place, getattr(self.entity, place.name))
            for place in places
            if place.states is not None
        )

    def stamped(self, now: float) -> E:
        """The entity as it will be stored, with instants and version."""
        layout, values = self.entity_class.__layout__, dict[str, Any]()
        instant = datetime.fromtimestamp(now, UTC)
        for place in layout.places.values():
            missing = getattr(self.entity, place.name) is None
            if (fields.Created in place.markers and missing) or (
                fields.Updated in place.markers and (missing or self.mode == "save")
            ):
                values[place.name] = instant
        if layout.version is not None:
            present = getattr(self.entity, layout.version.name) or 0
            values[layout.version.name] = present + 1
        return self.entity.changed(**values) if values else self.entity

    def request(self, now: float) -> Request:
        layout, names = self.entity_class.__layout__, Names()
        request: Request = {"TableName": layout.table.name, "Item": self.stamped(now).to_item()}
        tests = _tests(self.when, layout, names)
        if self.is_creating:
            _check_start(layout, self.entity)
            tests.append(f"attribute_not_exists({names.name(layout.primary.attributes.partition)})")
        elif self.mode == "save" and layout.version is not None:
            stored = encode(getattr(self.entity, layout.version.name))
            tests.append(f"{names.path(layout.version.path)} = {names.value(stored)}")
            tests += [_transition(place, status, names) for place, status in self.states]
        else:
            tests += [_transition_if_there(place, status, names) for place, status in self.states]
        _put_condition(request, tests, names)
        return request

    def describe(self) -> str:
        layout, entity = self.entity_class.__layout__, self.entity
        # Not an ItemKey: a key with the instant of creation is complete only when it is sent.
        values = {
            name: getattr(entity, layout.by_attribute[name].name) for name in layout.primary.names
        }
        known = {
            name: layout.stored(name, value) for name, value in values.items() if value is not None
        }
        return (
            f"{self.mode} "
            f"{layout.entity.__name__}({', '.join(f'{k}={v!r}' for k, v in known.items())})"
        )


@dataclass(frozen=True)
class Update(Write[E]):
    """Changes of some attributes of an existing item. With `upsert` the item may be new."""

    key: ItemKey[E]
    actions: tuple[Action, ...]
    when: Test = None
    assuming: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    upsert: bool = False
    member: ClassVar = "Update"

    @property
    def entity_class(self) -> type[E]:
        return self.key.entity

    @property
    def target_states(self) -> tuple[tuple[Place, Any], ...]:
        """The status fields that this sets, and their new values."""
        return tuple(
            (a.attr.place, a.value)
            for a in self.actions
            if a.attr.place.states is not None and a.is_plain_set
        )

    def request(self, now: float) -> Request:
        layout, names = self.key.entity.__layout__, Names()
        self._check(layout)
        assumed = self._assumed(layout)
        actions = with_followers(layout, with_stamps(layout, self.actions, now))
        filled = fills(layout, self.key.values, actions, assumed, now) if self.upsert else None
        more = rebuilt(layout, self.key, actions, assumed, filled)
        request: Request = {"TableName": layout.table.name, "Key": self.key.item}
        request["UpdateExpression"] = _update_text(
            (*actions, *fill_actions(layout, filled or {})), more, names
        )
        _put_condition(request, self._conditions(layout, assumed, names), names)
        return request

    def describe(self) -> str:
        return f"update {self.key}"

    def _assumed(self, layout: Layout) -> dict[str, Any]:
        places = {name: layout.place(name) for name in self.assuming}
        return {
            places[n].attribute: layout.stored(places[n].attribute, value)
            for n, value in self.assuming.items()
        }

    def _conditions(self, layout: Layout, assumed: Mapping[str, Any], names: Names) -> list[str]:
        tests = _tests(self.when, layout, names)
        tests += [
            action.within.render(names) for action in self.actions if action.within is not None
        ]
        for attribute, value in assumed.items():
            at = names.path(layout.by_attribute[attribute].path)
            if value is None and attribute not in layout.kept_nulls:
                tests.append(f"attribute_not_exists({at})")
            else:
                tests.append(self._unless_new(f"{at} = {names.value(encode(value))}", names))
        for place, target in self.target_states:
            assert place.states is not None
            sources = ", ".join(
                names.value(encode(source)) for source in place.states.sources(target)
            )
            test = f"{names.path(place.path)} IN ({sources})"
            tests.append(self._unless_new(test, names) if place.states.starts(target) else test)
        if layout.schema_version > 1:
            current = names.value({"N": str(layout.schema_version)})
            tests.append(self._unless_new(f"{names.name(SCHEMA_VERSION)} = {current}", names))
        if not self.upsert:
            tests.append(f"attribute_exists({names.name(layout.primary.attributes.partition)})")
        return tests

    def _unless_new(self, test: str, names: Names) -> str:
        """A test that is skipped for a new item of an upsert."""
        partition = self.entity_class.__layout__.primary.attributes.partition
        return f"attribute_not_exists({names.name(partition)}) OR {test}" if self.upsert else test

    def _check(self, layout: Layout) -> None:
        if not self.actions:
            raise ModelError(f"{self.describe()} changes nothing: pass actions, or set={{...}}")
        unique = {name for group in layout.unique for name in group}
        _refuse_overlaps(self.actions)
        for action in self.actions:
            place = action.attr.place
            if action.attr.layout is not layout:
                raise ModelError(f"{action.attr!r} is not a field of {layout.entity.__name__}")
            if place.name in unique:
                raise ModelError(
                    f"{place.name} is unique: change it with save(), which also moves its guard "
                    "item"
                )
            if place.key_only:
                raise ModelError(
                    f"{place.name} is part of the key, which cannot change: create another item"
                )
            if place is layout.version:
                raise ModelError(f"{place.name} is the version, which every write raises by itself")
            if place.states is not None and not action.is_plain_set:
                raise ModelError(
                    f"{place.name} has states: set it, so that the transition can be checked"
                )
        for place, target in self.target_states:
            assert place.states is not None
            if not place.states.sources(target):
                raise ModelError(
                    f"{place.name} can never become {target!r}: no transition leads there"
                )


@dataclass(frozen=True)
class Delete(Write[E]):
    """Delete one item. Deleting a missing item is fine, unless a condition forbids it."""

    key: ItemKey[E]
    when: Test = None
    member: ClassVar = "Delete"

    @property
    def entity_class(self) -> type[E]:
        return self.key.entity

    def request(self, now: float) -> Request:
        return _keyed(self.key, self.when)

    def describe(self) -> str:
        return f"delete {self.key}"


@dataclass(frozen=True)
class Check(Write[E]):
    """A condition on an item that a transaction checks without changing it."""

    key: ItemKey[E]
    when: Condition | bool
    member: ClassVar = "ConditionCheck"

    @property
    def entity_class(self) -> type[E]:
        return self.key.entity

    def request(self, now: float) -> Request:
        return _keyed(self.key, self.when)

    def describe(self) -> str:
        return f"check {self.key}"


def set_actions(entity: type[Entity], values: Mapping[str, Any]) -> tuple[Action, ...]:
    """`set={"status": "running"}` as actions. None removes the field."""
    layout = entity.__layout__
    return tuple(
        _set_action(field_of(layout, layout.place(name)), value) for name, value in values.items()
    )


def _set_action(attribute: Attr[Any], value: Any) -> Action:
    return attribute.remove() if value is None else attribute.set(value)


def _update_text(actions: tuple[Action, ...], more: Rebuilt, names: Names) -> str:
    sets = [f"{names.path(path)} = {names.value(value)}" for path, value in more.sets.items()]
    for path, value in more.fills.items():
        at = names.path(path)
        sets.append(f"{at} = if_not_exists({at}, {names.value(value)})")
    return _with(
        render_actions(actions, names),
        {"SET": sets, "REMOVE": [names.path(path) for path in more.removes]},
    )


def _with(text: str, more: Mapping[str, list[str]]) -> str:
    """An update expression with additions in its sections."""
    for section, parts in more.items():
        if not parts:
            continue
        joined = ", ".join(parts)
        if text.startswith(f"{section} "):
            text = f"{section} {joined}, {text.removeprefix(f'{section} ')}"
        elif f" {section} " in text:
            text = text.replace(f" {section} ", f" {section} {joined}, ", 1)
        else:
            text = f"{text} {section} {joined}".strip()
    return text


def _keyed(key: ItemKey[Any], when: Test) -> Request:
    """A request with only a key and a condition."""
    names, request = Names(), {"TableName": key.table.name, "Key": key.item}
    _put_condition(request, _tests(when, key.entity.__layout__, names), names)
    return request


def _refuse_overlaps(actions: tuple[Action, ...]) -> None:
    """Refuse two changes of one attribute: the result would be ambiguous."""
    changed = sorted(
        (action.attr for action in actions), key=lambda attr: [str(step) for step in attr.path]
    )
    for one, other in pairwise(changed):
        if other.path[: len(one.path)] == one.path:
            raise ModelError(
                f"the update changes {one!r} twice: by itself, or by something inside it"
            )


def _tests(when: Test, layout: Layout, names: Names) -> list[str]:
    if when is None:
        return []
    wanted = condition(when)
    check_fields(wanted, layout)
    return [wanted.render(names)]


def _transition(place: Place, status: Any, names: Names) -> str:
    """The item has this status, or one that allows it as the next."""
    assert place.states is not None
    before = [names.value(encode(source)) for source in (status, *place.states.sources(status))]
    return f"{names.path(place.path)} IN ({', '.join(before)})"


def _transition_if_there(place: Place, status: Any, names: Names) -> str:
    """The same, or the attribute is missing: a copied item may begin in any status."""
    return f"attribute_not_exists({names.path(place.path)}) OR {_transition(place, status, names)}"


def _put_condition(request: Request, tests: list[str], names: Names) -> None:
    if tests:
        request["ConditionExpression"] = (
            tests[0] if len(tests) == 1 else " AND ".join(f"({test})" for test in tests)
        )
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    names.put_into(request)


def _check_start(layout: Layout, entity: Entity) -> None:
    for place in layout.places.values():
        if place.states is not None and place.states.start:
            value = getattr(entity, place.name)
            if value not in place.states.start:
                allowed = " or ".join(map(repr, place.states.start))
                raise ModelError(
                    f"a new {layout.entity.__name__} has {place.name} {allowed}, not {value!r}"
                )
