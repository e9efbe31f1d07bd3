"""What a stored item lacks compared with its current entity: keys of new indexes, computed fields,
a newer version. Pure.

The update that adds it is conditional on the values it was computed from, so it never overwrites an
unseen change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.codec import decode
from sortkey.model.entity import Entity
from sortkey.model.expressions import Names
from sortkey.model.layout import Layout, Path
from sortkey.model.version_upgrades import SCHEMA_VERSION, version_of
from sortkey.values.attributes import AttributeValue, Item


@dataclass(slots=True)
class Rewrite:
    """An update of one item. `read` are the values that must be unchanged, None for absent ones."""

    layout: Layout
    item: Item
    target: Item
    sets: dict[Path, AttributeValue] = field(default_factory=dict["Path", AttributeValue])
    removes: list[Path] = field(default_factory=list["Path"])
    read: dict[Path, AttributeValue | None] = field(
        default_factory=dict["Path", "AttributeValue | None"]
    )

    def change(self, path: Path, value: AttributeValue | None) -> None:
        self.read[path] = at(self.item, path)
        if value is not None:
            self.sets[path] = value
        elif path not in self.removes:
            self.removes.append(path)

    def request(self) -> dict[str, Any]:
        """The UpdateItem request. It returns the whole item, also when it is refused."""
        names, key = Names(), self.layout.key_in(self.item)
        tests = [f"attribute_exists({names.name(self.layout.table.key[0])})"]
        for path, value in self.read.items():
            where = names.path(path)
            tests.append(
                f"attribute_not_exists({where})"
                if value is None
                else f"{where} = {names.value(value)}"
            )
        sections: list[str] = []
        if self.sets:
            sections.append(
                "SET "
                + ", ".join(
                    f"{names.path(path)} = {names.value(value)}"
                    for path, value in self.sets.items()
                )
            )
        if self.removes:
            sections.append("REMOVE " + ", ".join(names.path(path) for path in self.removes))
        request: dict[str, Any] = {
            "TableName": self.layout.table.name,
            "Key": key,
            "UpdateExpression": " ".join(sections),
            "ConditionExpression": " AND ".join(tests),
            "ReturnValues": "ALL_NEW",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        names.put_into(request)
        return request


def rewrite_of(entity: type[Entity], item: Item) -> Rewrite | None:
    """The update that an item needs, or None. Raises InvalidItem and ModelError for an invalid
    item.
    """
    layout = entity.__layout__
    if is_newer(layout, item):
        return None
    if is_older(layout, item):
        return upgrade_of(entity, item)
    rewrite = Rewrite(layout, item, entity.from_item(item).to_item())
    for path, sources in _derived(layout):
        old, new = at(item, path), at(rewrite.target, path)
        if not _same(old, new):
            _make_anew(rewrite, path, sources)
    for path in _plain_keys(layout):
        if at(item, path) is None and (new := at(rewrite.target, path)) is not None:
            rewrite.change(path, new)
    return rewrite if rewrite.sets or rewrite.removes else None


def upgrade_of(entity: type[Entity], item: Item) -> Rewrite:
    """The update that brings an item of an older version up to date. Its condition is the whole
    item as it was read.
    """
    layout, target = entity.__layout__, entity.from_item(item).to_item()
    if layout.key_in(item) != layout.key_in(target):
        raise ModelError(
            f"the upgrade of {entity.__name__} changes its key, which is not possible: create "
            "another item"
        )
    rewrite = Rewrite(layout, item, target)
    for name in (*item, *(name for name in target if name not in item)):
        if name in layout.table.key:
            continue
        rewrite.read[(name,)] = item.get(name)
        if item.get(name) != target.get(name):
            rewrite.change((name,), target.get(name))
    return rewrite


def taken_in(entity: type[Entity], done: Rewrite, now: Item) -> Rewrite | None:
    """The update for attributes that an upgrade has missed: an older program added them after the
    read.

    They are still in the item, but no field has them. The upgrade runs again with them, on the item
    as it was before.
    """
    missed = {
        name: value
        for name, value in now.items()
        if name not in done.item and name not in done.target
    }
    if not missed:
        return None
    target = entity.from_item({**done.item, **missed}).to_item()
    again = Rewrite(done.layout, now, target)
    for name in (*now, *(name for name in target if name not in now)):
        if target.get(name) != now.get(name):
            again.change((name,), target.get(name))
    return again if again.sets or again.removes else None


def is_older(layout: Layout, item: Mapping[str, AttributeValue]) -> bool:
    return version_of(item) < layout.schema_version


def is_newer(layout: Layout, item: Mapping[str, AttributeValue]) -> bool:
    """Whether an item was written by a newer program. It is left alone then."""
    return SCHEMA_VERSION not in layout.by_attribute and version_of(item) > layout.schema_version


def has_derived(layout: Layout) -> bool:
    """Whether items of this entity have derived attributes."""
    return (
        layout.schema_version > 1
        or any(True for _ in _derived(layout))
        or any(True for _ in _plain_keys(layout))
    )


def at(item: Mapping[str, Any], path: Path) -> AttributeValue | None:
    """The value at a path of an item, or None."""
    value: Any = {"M": item}
    for step in path:
        value = value.get("M", {}).get(step)
        if value is None:
            return None
    return value


def _derived(layout: Layout) -> Iterator[tuple[Path, list[Path]]]:
    """Index keys and computed fields, with their source fields except those of the table's key."""
    for derived in layout.derived:
        places = [layout.by_attribute[name] for name in derived.names]
        yield (
            derived.path,
            [p.path for p in places if not p.key_only and p.path[0] not in layout.table.key],
        )


def _plain_keys(layout: Layout) -> Iterator[Path]:
    """Fields that are index keys by themselves."""
    for key in layout.keys.values():
        for attribute, template in key.templates:
            if (
                key.index is not None
                and attribute not in layout.table.key
                and layout.is_plain(attribute, template)
            ):
                yield (attribute,)


def _make_anew(rewrite: Rewrite, path: Path, sources: list[Path]) -> None:
    if len(path) > 1 and at(rewrite.item, path[:1]) is None:
        path = path[:1]  # the envelope is missing: write all of it
    rewrite.change(path, at(rewrite.target, path))
    for source in sources:
        if source[: len(path)] == path:
            continue
        old, new = at(rewrite.item, source), at(rewrite.target, source)
        rewrite.read[source] = old
        if old is None and new is not None and at(rewrite.item, source[:-1]) is not None:
            rewrite.sets[source] = new  # a default in the key: later updates compare it


def _same(one: AttributeValue | None, other: AttributeValue | None) -> bool:
    """Whether two values are equal, regardless of the notation of numbers and the order of sets."""
    if one is None or other is None or one == other:
        return one is other or one == other
    return one.keys() == other.keys() and decode(one) == decode(other)
