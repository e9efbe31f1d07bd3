"""The shapes of requests, read from model.json when they are first needed, with AWS's exceptions
laid over them.

tools/generate_shapes.py writes model.json. This module adds types.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from sortkey.engine.shapes import exceptions


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape. `members`, `key` and `element` name other shapes; `least` and `most` bound a
    length or a number.
    """

    name: str
    type: str
    members: dict[str, str]
    required: frozenset[str]
    key: str
    element: str
    least: int | None
    most: int | None
    pattern: str | None
    enum: tuple[str, ...]

    @property
    def has_constraints(self) -> bool:
        return (
            self.least is not None
            or self.most is not None
            or self.pattern is not None
            or bool(self.enum)
        )


def input_shape(operation: str) -> Shape:
    return shape(_model()["operations"][operation])


@cache
def shape(name: str) -> Shape:
    """The shape with that name. A bare type ("string") is a shape without constraints."""
    entry: dict[str, Any] = (
        exceptions.EXTRA_SHAPES.get(name) or _model()["shapes"].get(name) or {"type": name}
    )
    return Shape(
        name=name,
        type=entry["type"],
        members={
            member: _referred(name, member, kind)
            for member, kind in entry.get("members", {}).items()
        },
        required=frozenset(_required(name, entry)),
        key=_referred(name, "key", entry.get("key", "")),
        element=_referred(name, "element", entry.get("element", "")),
        least=entry.get("min"),
        most=entry.get("max"),
        pattern=entry.get("pattern"),
        enum=tuple(entry.get("enum", ())),
    )


def _referred(name: str, member: str, kind: str) -> str:
    return exceptions.MEMBERS.get((name, member), kind)


def _required(name: str, entry: dict[str, Any]) -> tuple[str, ...]:
    return (
        exceptions.REQUIRED[name]
        if name in exceptions.REQUIRED
        else tuple(entry.get("required", ()))
    )


@cache
def _model() -> dict[str, dict[str, Any]]:
    return orjson.loads(Path(__file__).with_name("model.json").read_bytes())
