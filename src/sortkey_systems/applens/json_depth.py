"""JSON with limited nesting: the code that reads it recurses."""

from __future__ import annotations

import json
from typing import Any, cast

NESTING_MAX = 150
"""Nested objects and lists. A plan with twenty nested modules has about sixty levels."""


class NestedTooDeep(ValueError):
    """Valid JSON that is nested too deeply."""

    def __init__(self) -> None:
        super().__init__(f"nested more than {NESTING_MAX} deep")


def loads(text: str | bytes) -> Any:
    """Parse JSON. Raises ValueError if it is invalid, NestedTooDeep if it is nested too deeply."""
    try:
        document = json.loads(text)
    except RecursionError:
        raise NestedTooDeep from None
    brackets = (
        text.count("[") + text.count("{")
        if isinstance(text, str)
        else text.count(b"[") + text.count(b"{")
    )
    if brackets > NESTING_MAX and is_too_deep(document):
        raise NestedTooDeep
    return document


def is_too_deep(value: Any, most: int = NESTING_MAX) -> bool:
    """Whether lists and objects are nested deeper than `most`. It walks level by level, so it does
    not recurse.
    """
    level = [value]
    for _ in range(most + 1):
        level = [inner for container in level for inner in _inside(container)]
        if not level:
            return False
    return True


def _inside(value: Any) -> list[Any]:
    """The lists and objects directly inside a value."""
    if isinstance(value, dict):
        value = list(cast(dict[str, Any], value).values())
    if not isinstance(value, list):
        return []
    return [member for member in cast(list[Any], value) if isinstance(member, list | dict)]
