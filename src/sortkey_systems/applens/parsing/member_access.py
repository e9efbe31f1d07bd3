"""Members of values: `of.key`, `of[key]`, and several steps in a row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Protocol, cast

from sortkey_systems.applens.parsing.budget import Budget
from sortkey_systems.applens.parsing.symbols import (
    MISSING,
    Absent,
    Hidden,
    References,
    Symbol,
    shown,
)

_WHOLE = re.compile(r"-?\d{1,15}(?:\.0)?", re.ASCII)
"""The key of an element, as a number or a text."""


class HasAttributes(Protocol):
    """A resource, a module, or one of Terraform's namespaces, such as `var`."""

    def attribute(self, name: str) -> Any: ...


def member(of: Any, key: Any, budget: Budget) -> Any:
    """`of.key` and `of[key]`."""
    if isinstance(key, Symbol):
        if not key.known:
            references = of.references if isinstance(of, Symbol) else ()
            return Symbol(
                "${" + (of.inner if isinstance(of, Symbol) else "…") + f"[{key.inner}]}}",
                references,
            )
        key = key.value
    if isinstance(of, Absent):
        return of
    if isinstance(of, Hidden):
        return of.part(key)
    if isinstance(of, Symbol):
        return _member_of_symbol(of, key, budget)
    if isinstance(of, dict):
        values = cast(dict[Any, Any], of)
        return values[key] if key in values else values.get(str(key), Absent(f"${{{key}}}"))
    if isinstance(of, list):
        items = cast(list[Any], of)
        at = int(float(key)) if _WHOLE.fullmatch(str(key)) else None
        if at is not None and -len(items) <= at < len(items):
            return items[at]
        return (
            items[0].attribute(key)
            if at is None and items and hasattr(items[0], "attribute")
            else Absent("${null}")
        )
    if hasattr(of, "attribute"):
        if isinstance(key, int | float):  # [0] of a resource without count, used as if it had one
            return of
        return cast(HasAttributes, of).attribute(str(key))
    return Absent(f"${{{key}}}")


def _member_of_symbol(of: Symbol, key: Any, budget: Budget) -> Any:
    within: Any = of.value
    if type(within) in (list, dict):
        inner = member(within, key, budget)
        if isinstance(inner, Absent) or (isinstance(inner, Symbol) and inner.references):
            return inner
        references = References(budget)
        references.extend(of.references)
        value = shown(inner, references)
        return Symbol(str(value), references, MISSING if isinstance(inner, Symbol) else value)
    return Symbol(
        "${" + of.inner + (f"[{key}]" if isinstance(key, int) else f".{key}") + "}", of.references
    )


def member_at(of: Any, keys: Iterable[Any], budget: Budget) -> Any:
    """The member at the end of a path of keys."""
    budget.spend()
    for key in keys:
        of = member(of, key, budget)
    return of
