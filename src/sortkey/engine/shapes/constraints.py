"""Finds all violated constraints of a request's shape, with AWS's order and messages.

Only requests that fail the compiled tests get here, so this favours readability. Attribute
values are opaque.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sortkey.engine.shapes import exceptions, java
from sortkey.engine.shapes.model import Shape, shape

ERRORS_MAX = 10  # AWS stops counting here


def broken_constraints(of: Shape, request: dict[str, Any]) -> list[str]:
    """The errors of a request, each "Value … at '…' failed to satisfy constraint: …"."""
    errors: list[str] = []
    _structure(of, request, "", errors)
    return errors[:ERRORS_MAX]


def broken_name(name: str, path: str) -> list[str]:
    """The errors of a table's name that is neither a name nor an ARN."""
    errors: list[str] = []
    _own(shape("TableNameOrArn"), name, path, errors)
    return errors


def summary(errors: list[str]) -> str:
    plural = "" if len(errors) == 1 else "s"
    return f"{len(errors)} validation error{plural} detected: " + "; ".join(errors)


@dataclass(frozen=True, slots=True)
class _Constraint:
    text: str
    holds: Callable[[Any], bool]


@cache
def _constraints(name: str) -> tuple[_Constraint, ...]:
    of = shape(name)
    what, measure = _measure(of)
    constraints: list[_Constraint] = []
    if (most := of.most) is not None:
        text = f"Member must have {what} less than or equal to {most}"
        constraints.append(_Constraint(text, lambda value: measure(value) <= most))
    if (least := of.least) is not None:
        text = f"Member must have {what} greater than or equal to {least}"
        constraints.append(_Constraint(text, lambda value: measure(value) >= least))
    if of.pattern is not None:
        constraints.append(
            _Constraint(
                f"Member must satisfy regular expression pattern: {of.pattern}", _matcher(of)
            )
        )
    if of.enum:
        values_text = ", ".join(java.enum_order(of.enum))
        constraints.append(
            _Constraint(
                f"Member must satisfy enum value set: [{values_text}]", of.enum.__contains__
            )
        )
    if name in exceptions.PATTERN_FIRST:
        constraints.sort(key=lambda constraint: "pattern" not in constraint.text)
    return tuple(constraints)


def _measure(of: Shape) -> tuple[str, Callable[[Any], int]]:
    if of.type == "string":
        return "length", java.length
    return ("length", len) if of.type in ("list", "map") else ("value", lambda value: value)


def _matcher(of: Shape) -> Callable[[str], bool]:
    pattern = of.pattern or ""
    compiled = re.compile(exceptions.PATTERNS.get(pattern, pattern), re.ASCII)
    # A text that is too long is not matched: some of the patterns take cubic time.
    most = of.most if of.most is not None else 65536
    return lambda text: len(text) > most or compiled.fullmatch(text) is not None


def _own(of: Shape, value: Any, path: str, errors: list[str]) -> None:
    """The constraints of the value itself."""
    for constraint in _constraints_for(of, value):
        if not constraint.holds(value):
            errors.append(_error(of, value, path, constraint.text))


def _constraints_for(of: Shape, value: Any) -> tuple[_Constraint, ...]:
    if of.name == "TableNameOrArn" and value.startswith("arn:"):
        return _constraints("TableArn")
    return _constraints(of.name)


def _error(of: Shape, value: Any, path: str, text: str) -> str:
    echoed = "null" if value is None else f"'{java.to_string(of, value)}'"
    return f"Value {echoed} at '{path}' failed to satisfy constraint: {text}"


def _structure(of: Shape, value: dict[str, Any], path: str, errors: list[str]) -> None:
    for name in java.member_order(tuple(of.members)):
        member = shape(of.members[name])
        member_path = f"{path}.{java.lower_first(name)}" if path else java.lower_first(name)
        content = value.get(name)
        if content is not None:
            _own(member, content, member_path, errors)
            _inside(member, content, member_path, errors)
        elif name in of.required:
            errors.append(_error(member, None, member_path, "Member must not be null"))
        if len(errors) >= ERRORS_MAX:
            return


def _inside(of: Shape, value: Any, path: str, errors: list[str]) -> None:
    """The content of the value, unless that is attribute values."""
    if of.name == "AttributeValue" or of.element == "AttributeValue":
        return
    if of.type == "structure":
        _structure(of, value, path, errors)
    elif of.type == "list":
        _elements(of, value, value, "Member must satisfy constraint", path, errors)
        for number, element in enumerate(value, start=1):
            _element(of, element, f"{path}.{number}.member", errors)
    elif of.type == "map":
        _elements(of, value, value.values(), "Map value must satisfy constraint", path, errors)
        for key, element in value.items():
            _element(of, element, f"{path}.{key}.member", errors)


def _elements(
    of: Shape, value: Any, elements: Any, prefix: str, path: str, errors: list[str]
) -> None:
    """For the constraints of keys and elements, AWS names the collection, not the element, and
    lists all of them.
    """
    if of.key and any(
        not constraint.holds(key)
        for key in value
        for constraint in _constraints_for(shape(of.key), key)
    ):
        errors.append(
            _error(of, value, path, f"Map keys must satisfy constraint: {_texts(of.key)}")
        )
    element = shape(of.element)
    present = [member for member in elements if member is not None]
    if any(
        not constraint.holds(member)
        for member in present
        for constraint in _constraints(element.name)
    ):
        errors.append(_error(of, value, path, f"{prefix}: {_texts(of.element)}"))


def _texts(name: str) -> str:
    return "[" + ", ".join(constraint.text for constraint in _constraints(name)) + "]"


def _element(of: Shape, element: Any, path: str, errors: list[str]) -> None:
    if len(errors) >= ERRORS_MAX:
        return
    if element is not None:
        _inside(shape(of.element), element, path, errors)
    elif of.type == "list":
        errors.append(_error(of, None, path, "Member must not be null"))
