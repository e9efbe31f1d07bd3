"""Tests compiled from shapes: true for a request that is certainly valid, in about a microsecond.

False is not final: the request then goes to `serialization` and `constraints`, which find out what
is wrong, if anything. A test may raise TypeError for a value of a wrong type, which counts as
false.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sortkey.engine.shapes import java
from sortkey.engine.shapes.model import Shape, shape

Test = Callable[[Any], Any]

_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
_NAME_OR_ARN = re.compile(r"[a-zA-Z0-9_.-]{3,255}|arn:[!-~]{1,1020}")


def compile_test(of: Shape) -> Test:
    if of.name == "AttributeValue":
        return _is_dict  # opaque: the values are checked where they are read
    if of.name in ("TableArn", "TableNameOrArn"):
        return _NAME_OR_ARN.fullmatch
    return _COMPILERS[of.type](of)


def _structure(of: Shape) -> Test:
    test_of = {name: compile_test(shape(kind)) for name, kind in of.members.items()}.get
    required = of.required

    def test(value: Any) -> bool:
        if type(value) is not dict or not value.keys() >= required:  # pyright: ignore[reportUnknownMemberType]
            return False
        for name, member in value.items():  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            member_test = test_of(name)  # pyright: ignore[reportUnknownArgumentType]
            if member_test is not None and not member_test(member):
                return False
        return True

    return test


def _list(of: Shape) -> Test:
    least, most = _bounds(of)
    if of.element == "AttributeValue":
        return lambda value: type(value) is list and least <= len(value) <= most  # pyright: ignore[reportUnknownArgumentType]
    element = compile_test(shape(of.element))
    return lambda value: (
        type(value) is list
        and least <= len(value) <= most  # pyright: ignore[reportUnknownArgumentType]
        and all(map(element, value))  # pyright: ignore[reportUnknownArgumentType]
    )


def _map(of: Shape) -> Test:
    if of.element == "AttributeValue":
        return _is_dict
    least, most = _bounds(of)
    key, element = compile_test(shape(of.key)), compile_test(shape(of.element))

    def test(value: dict[str, Any]) -> bool:
        if type(value) is not dict or not least <= len(value) <= most:
            return False
        return all(map(element, value.values())) and all(map(key, value))

    return test


def _string(of: Shape) -> Test:
    if of.enum:
        return frozenset(of.enum).__contains__
    if of.pattern is not None:
        # Rare enough for the slow path, except names of indexes.
        return _NAME.fullmatch if of.name in ("IndexName", "TableName") else _never
    if not of.has_constraints:
        return _is_string
    least, most = _bounds(of)
    return lambda value: type(value) is str and least <= len(value) and java.length(value) <= most


def _integer(of: Shape) -> Test:
    limit = 1 << (31 if of.type == "integer" else 63)
    least = -limit if of.least is None else of.least
    most = limit - 1 if of.most is None else of.most
    return lambda value: type(value) is int and least <= value <= most


def _number(of: Shape) -> Test:
    return lambda value: type(value) is float or type(value) is int


def _boolean(of: Shape) -> Test:
    return lambda value: value is True or value is False


def _blob(of: Shape) -> Test:
    return _never


def _bounds(of: Shape) -> tuple[int, int]:
    return of.least or 0, (1 << 62) if of.most is None else of.most


def _is_dict(value: Any) -> bool:
    return type(value) is dict


def _is_string(value: Any) -> bool:
    return type(value) is str


def _never(value: Any) -> bool:
    return False


_COMPILERS: dict[str, Callable[[Shape], Test]] = {
    "structure": _structure,
    "list": _list,
    "map": _map,
    "string": _string,
    "integer": _integer,
    "long": _integer,
    "double": _number,
    "timestamp": _number,
    "boolean": _boolean,
    "blob": _blob,
}
