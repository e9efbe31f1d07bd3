"""A condition that an item is unchanged since it was read."""

from __future__ import annotations

from collections.abc import Iterable

from sortkey.model.codec import encode
from sortkey.model.conditions import Condition
from sortkey.model.entity import Entity
from sortkey.model.expressions import Names
from sortkey.model.insides import default_of
from sortkey.model.layout import Layout, Place


def as_read(layout: Layout, entity: Entity, places: Iterable[Place]) -> Condition:
    """The item exists, and these fields have the entity's values."""
    fields = [(place, getattr(entity, place.name)) for place in places if not place.key_only]

    def render(names: Names) -> str:
        tests = [f"attribute_exists({names.name(layout.primary.attributes.partition)})"]
        tests += [_still(layout, place, value, names) for place, value in fields]
        return " AND ".join(tests)

    return Condition(render, [])


def _still(layout: Layout, place: Place, value: object, names: Names) -> str:
    """A missing attribute also counts if the field has its default: other programs may leave it
    out.
    """
    at = names.path(place.path)
    stored = None if value is None else layout.stored(place.attribute, value)
    tests: list[str] = []
    if value is None or value == default_of(place.info):
        tests.append(f"attribute_not_exists({at})")
    if not layout.is_left_out(place, stored):
        tests.append(f"{at} = {names.value(encode(stored))}")
    return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"
