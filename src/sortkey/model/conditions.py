"""Conditions: tests of an item, made by the service. They are built from fields, in
`attributes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from sortkey.errors import ModelError
from sortkey.model.expressions import Names

if TYPE_CHECKING:
    from sortkey.model.attributes import Attr
    from sortkey.model.layout import Layout

Render = Callable[[Names], str]


class Condition:
    """A test of an item. Combine with `&`, `|` and `~`."""

    __slots__ = ("_render", "attrs")

    def __init__(self, render: Render, attrs: Sequence[Attr[Any]]) -> None:
        self._render = render
        self.attrs = tuple(attrs)

    def render(self, names: Names) -> str:
        return self._render(names)

    def __and__(self, other: Condition | bool) -> Condition:
        return _joined("AND", self, condition(other))

    def __or__(self, other: Condition | bool) -> Condition:
        return _joined("OR", self, condition(other))

    def __invert__(self) -> Condition:
        return Condition(lambda names: f"NOT ({self.render(names)})", self.attrs)

    def __bool__(self) -> NoReturn:
        raise ModelError(
            "a condition is tested by the store, not here: combine with & and |, negate with not_()"
        )

    def __repr__(self) -> str:
        names = Names()
        return names.readable(self.render(names))


def condition(test: Condition | bool) -> Condition:
    """The condition behind what type checkers see as a bool."""
    if isinstance(test, Condition):
        return test
    raise ModelError(
        f"{test!r} is not a condition: compare a field of the class, as Stage.status == 'pending'"
    )


def not_(test: Condition | bool) -> Condition:
    return ~condition(test)


def check_fields(test: Condition, layout: Layout) -> None:
    """Refuse a condition on an attribute that the entity's items do not have: it would be the same
    for all of them.
    """
    for attr in test.attrs:
        if attr.layout is not layout:
            raise ModelError(f"{attr!r} is not a field of {layout.entity.__name__}")
        if attr.place.key_only:
            raise ModelError(
                f"{attr!r} exists only in keys, which conditions cannot test: make it part of the "
                "query"
            )


def _joined(word: str, left: Condition, right: Condition) -> Condition:
    return Condition(
        lambda names: f"({left.render(names)}) {word} ({right.render(names)})",
        [*left.attrs, *right.attrs],
    )
