"""JSON that is not nested deeper than what reads it can follow: our own walks through it
recurse.
"""

from __future__ import annotations

import json
from typing import Any, cast

NESTING_MAX = 150
"""Objects and lists inside of each other. A plan of twenty modules in each other has about sixty.
"""


class NestedTooDeep(ValueError):
    """JSON that is in order, but nested deeper than is read."""

    def __init__(self) -> None:
        super().__init__(f"nested more than {NESTING_MAX} deep")


def loads(text: str | bytes) -> Any:
    """What a JSON text says. Raises ValueError for one that is none, NestedTooDeep for one that
    goes too deep.
    """
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
    """Whether lists and objects are nested deeper than `most`. Level by level, so that it does not
    recurse itself.
    """
    level = [value]
    for _ in range(most + 1):
        level = [inner for container in level for inner in _inside(container)]
        if not level:
            return False
    return True


def _inside(value: Any) -> list[Any]:
    """The lists and objects right inside of one."""
    if isinstance(value, dict):
        value = list(cast(dict[str, Any], value).values())
    if not isinstance(value, list):
        return []
    return [member for member in cast(list[Any], value) if isinstance(member, list | dict)]
