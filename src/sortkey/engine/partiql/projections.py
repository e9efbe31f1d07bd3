"""The projection of a SELECT. Unlike an expression it flattens: `a.b` is returned as `b`."""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey.engine.partiql.conditions import path_parts
from sortkey.engine.partiql.grammar import UNEXPECTED_STEP, UNPIVOT
from sortkey.engine.partiql.statements import HIERARCHY
from sortkey.engine.partiql.syntax import OddStep, Projected, Reference
from sortkey.errors import ValidationException
from sortkey.expressions.faults import Fault
from sortkey.expressions.paths import Parts, distinct_paths, getter
from sortkey.values.attributes import Item


@dataclass(frozen=True, slots=True)
class Lifted:
    """Used like a projection expression: call it with an item."""

    columns: tuple[tuple[str, Parts], ...]
    top_level: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "top_level", frozenset(str(parts[0]) for _, parts in self.columns))

    def __call__(self, item: Item) -> Item:
        selected: Item = {}
        for name, parts in self.columns:
            value = getter(parts)(item) if len(parts) > 1 else item.get(name)
            if value is not None:
                selected[name] = value
        return selected


def read_projection(projected: tuple[Projected, ...] | None) -> Lifted | None:
    """The projection of a SELECT; None for "*"."""
    if projected is None:
        return None
    if any(element.aliased for element in projected):
        raise ValidationException("Aliasing is not supported")
    columns: dict[str, Parts] = {}
    for element in projected:
        parts = _parts(element)
        name = _column(parts)
        if name in columns:
            raise ValidationException(f"Duplicate identifiers in select clause: {name}")
        columns[name] = parts
    try:
        distinct_paths(
            [*reversed(columns.values())], lambda parts: parts
        )  # PartiQL checks from the first to the last
    except Fault as fault:
        raise ValidationException(str(fault)) from None
    return Lifted(tuple(columns.items()))


def _parts(projected: Projected) -> Parts:
    node = projected.node
    if not isinstance(node, Reference):
        raise ValidationException(f"{UNEXPECTED_STEP} at {node.place}")
    if any(isinstance(step, OddStep) and step.words == UNPIVOT for step in node.steps):
        raise ValidationException(HIERARCHY)
    return path_parts(node)


def _column(parts: Parts) -> str:
    """The last name of the path, with the indexes after it."""
    last = max(number for number, part in enumerate(parts) if isinstance(part, str))
    return str(parts[last]) + "".join(f"[{index}]" for index in parts[last + 1 :])
