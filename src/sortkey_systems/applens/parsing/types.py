"""Type constraints of variables, as far as they change values: `optional(bool, false)` fills in
missing members.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from sortkey_systems.applens.parsing import syntax as s
from sortkey_systems.applens.parsing.budget import Budget
from sortkey_systems.applens.parsing.symbols import Symbol

Evaluate = Callable[[s.Expression], Any]


def with_defaults(
    constraint: s.Expression | None, value: Any, evaluate: Evaluate, budget: Budget
) -> Any:
    """The value with the defaults of its type. Unknown values are not changed."""
    budget.spend()
    if not isinstance(constraint, s.Call) or not constraint.arguments or isinstance(value, Symbol):
        return value
    inner = constraint.arguments[0]
    kind = constraint.function
    if kind == "optional":
        return with_defaults(inner, value, evaluate, budget)
    if kind == "map" and isinstance(value, dict):
        entries = cast(dict[str, Any], value).items()
        return {name: with_defaults(inner, member, evaluate, budget) for name, member in entries}
    if kind in ("list", "set") and isinstance(value, list):
        return [with_defaults(inner, member, evaluate, budget) for member in cast(list[Any], value)]
    if kind == "object" and isinstance(value, dict) and isinstance(inner, s.Object):
        return _filled(inner, cast(dict[str, Any], value), evaluate, budget)
    return cast(Any, value)


def _filled(
    constraint: s.Object, value: dict[str, Any], evaluate: Evaluate, budget: Budget
) -> dict[str, Any]:
    filled = dict(value)
    for key, kind in constraint.items:
        name = key.name if isinstance(key, s.Name) else str(getattr(key, "value", ""))
        if filled.get(name) is None and isinstance(kind, s.Call) and kind.function == "optional":
            filled[name] = evaluate(kind.arguments[1]) if len(kind.arguments) > 1 else None
        if filled.get(name) is not None:
            filled[name] = with_defaults(kind, filled[name], evaluate, budget)
    return filled
