"""The size of an attribute in a condition: `attr(Stage.tags).size() < 10`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.model.codec import encode
from sortkey.model.conditions import Condition

if TYPE_CHECKING:
    from sortkey.model.attributes import Attr


class Size:
    """The size of an attribute, to be compared with a number."""

    __slots__ = ("_attr",)

    def __init__(self, attribute: Attr[Any]) -> None:
        self._attr = attribute

    def __eq__(self, other: int) -> Condition:  # type: ignore[override]
        return self._compare("=", other)

    def __ne__(self, other: int) -> Condition:  # type: ignore[override]
        return self._compare("<>", other)

    def __lt__(self, other: int) -> Condition:
        return self._compare("<", other)

    def __le__(self, other: int) -> Condition:
        return self._compare("<=", other)

    def __gt__(self, other: int) -> Condition:
        return self._compare(">", other)

    def __ge__(self, other: int) -> Condition:
        return self._compare(">=", other)

    __hash__ = None  # type: ignore[assignment]

    def _compare(self, operator: str, other: int) -> Condition:
        path = self._attr.path
        return Condition(
            lambda names: f"size({names.path(path)}) {operator} {names.value(encode(other))}",
            [self._attr],
        )
