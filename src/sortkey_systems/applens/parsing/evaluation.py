"""Evaluates expressions. A `Scope` resolves names; unknown values become symbols."""

from __future__ import annotations

import base64
import operator
from collections.abc import Callable, Iterable
from typing import Any, cast

from sortkey_systems.applens.parsing import syntax as s
from sortkey_systems.applens.parsing.budget import Budget
from sortkey_systems.applens.parsing.expression_text import render
from sortkey_systems.applens.parsing.functions import SIZE_MAX, as_text, call, within
from sortkey_systems.applens.parsing.hcl import parse_template
from sortkey_systems.applens.parsing.member_access import member, member_at
from sortkey_systems.applens.parsing.scope import Scope
from sortkey_systems.applens.parsing.symbols import (
    Absent,
    NotKnown,
    Reference,
    Symbol,
    deep,
    shown,
    top,
    with_references,
)


def evaluate(expression: s.Expression, scope: Scope) -> Any:
    """The value of an expression."""
    if type(expression) is s.Literal:
        return expression.value
    budget = scope.budget
    budget.spend()
    result = _EVALUATORS[type(expression)](expression, scope)
    if isinstance(result, Symbol):
        budget.spend(len(result.references))
    value: Any = result.value if isinstance(result, Symbol) else result
    if isinstance(value, list | dict):
        budget.spend(len(cast(list[Any], value)))
    elif isinstance(value, str):
        budget.spend_text(value)
    return result


def _name(expression: s.Name, scope: Scope) -> Any:
    name = expression.name
    return scope.names[name] if name in scope.names else scope.module.lookup(name)


def _attribute(expression: s.Attribute, scope: Scope) -> Any:
    return member(evaluate(expression.of, scope), expression.name, scope.budget)


def _index(expression: s.Index, scope: Scope) -> Any:
    return member(evaluate(expression.of, scope), evaluate(expression.key, scope), scope.budget)


def _splat(expression: s.Splat, scope: Scope) -> Any:
    over: Any = evaluate(expression.of, scope)
    keys = [
        step_key if isinstance(step_key, str) else evaluate(step_key, scope)
        for step_key in expression.steps
    ]
    value: Any = over.value if isinstance(over, Symbol) else over
    if isinstance(over, Symbol) and not isinstance(value, list):
        return Symbol(
            "${" + over.inner + "[*]" + "".join(f".{key}" for key in keys) + "}", over.references
        )
    items: list[Any] = [] if value is None else [value]
    if isinstance(value, list):
        items = cast(list[Any], value)
    elif isinstance(value, dict) and any(
        hasattr(member, "address") for member in cast(dict[str, Any], value).values()
    ):
        items = list(cast(dict[str, Any], value).values())
    return [member_at(item, keys, scope.budget) for item in items]


def _template(expression: s.Template, scope: Scope) -> Any:
    references = scope.references()
    texts: list[str] = []
    is_known, length = True, 0
    for part in expression.parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        if isinstance(part, s.Directive):
            is_known = False
            if part.operand is not None:
                shown(evaluate(part.operand, scope), references)
            texts.append("%{" + part.keyword + "}")
            continue
        value = evaluate(part, scope)
        try:
            texts.append(as_text(deep(value, references)))
        except (NotKnown, TypeError):
            is_known = False
            text = shown(value, references)
            texts.append(text if isinstance(text, str) else "${" + render(part) + "}")
        length += len(texts[-1])
        if length > SIZE_MAX:
            texts.clear()
    if length > SIZE_MAX:
        return Symbol("${…}", references)
    text = "".join(texts)
    return with_references(text, references) if is_known else Symbol(text, references)


def _directive(expression: s.Directive, scope: Scope) -> Any:
    return Symbol("%{" + expression.keyword + "}")


def _tuple(expression: s.Tuple, scope: Scope) -> Any:
    return [evaluate(item, scope) for item in expression.items]


def _object(expression: s.Object, scope: Scope) -> Any:
    members: dict[str, Any] = {}
    for name, value in expression.items:
        key = (
            name.name
            if isinstance(name, s.Name) and name.name not in scope.names
            else evaluate(name, scope)
        )
        members[str(shown(key, scope.references()))] = evaluate(value, scope)
    return members


def _for(loop: s.For, scope: Scope) -> Any:
    over = evaluate(loop.over, scope)
    references = scope.references()
    try:
        bound = (_bound(loop, pair, scope) for pair in _pairs(top(over, references)))
        scopes = (inner for inner in bound if _holds(loop, inner))
        if loop.key is None:
            return [evaluate(loop.value, inner) for inner in scopes]
        members: dict[str, Any] = {}
        for inner in scopes:
            key = str(top(evaluate(loop.key, inner), references))
            value = evaluate(loop.value, inner)
            if loop.grouped:
                members.setdefault(key, []).append(value)
            else:
                members[key] = value
        return members
    except NotKnown:
        shown(over, references)
        inner = scope.bind(**{name: Symbol("${" + name + "}", references) for name in loop.names})
        shown(evaluate(loop.value, inner), references)
        return Symbol("${" + render(loop) + "}", references)


def _pairs(over: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(over, dict):
        return cast(dict[Any, Any], over).items()
    if isinstance(over, list):
        return enumerate(cast(list[Any], over))
    raise NotKnown(str(over))


def _bound(loop: s.For, pair: tuple[Any, Any], scope: Scope) -> Scope:
    scope.budget.spend()
    return scope.bind(
        **dict(zip(loop.names, pair if len(loop.names) > 1 else pair[1:], strict=False))
    )


def _holds(loop: s.For, scope: Scope) -> bool:
    return loop.condition is None or top(evaluate(loop.condition, scope), []) in (True, "true")


def _conditional(expression: s.Conditional, scope: Scope) -> Any:
    condition = evaluate(expression.condition, scope)
    references = scope.references()
    try:
        return evaluate(
            expression.then
            if top(condition, references) in (True, "true")
            else expression.otherwise,
            scope,
        )
    except NotKnown:
        for branch in (expression.then, expression.otherwise):
            shown(evaluate(branch, scope), references)
        return Symbol("${" + render(expression) + "}", references)


def _equal(left: Any, right: Any) -> bool:
    return left == right and isinstance(left, bool) == isinstance(right, bool)


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda left, right: left / right,
    "%": operator.mod,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": _equal,
    "!=": lambda left, right: not _equal(left, right),
}
_ABSORBING = {"&&": False, "||": True}


def _binary(expression: s.Binary, scope: Scope) -> Any:
    sides = evaluate(expression.left, scope), evaluate(expression.right, scope)
    references = scope.references()
    symbol = expression.operator
    try:
        if symbol in _ABSORBING:
            return _logical(symbol, sides, references)
        left, right = (deep(side, references) for side in sides)
        if symbol in "+-*/%" and (isinstance(left, str) or isinstance(right, str)):
            left, right = float(left), float(right)
        if symbol == "*" and not all(isinstance(side, int | float) for side in (left, right)):
            raise NotKnown(symbol)
        return with_references(within(_OPERATORS[symbol](left, right)), references)
    except (NotKnown, TypeError, ValueError, ZeroDivisionError, OverflowError):
        shown(list(sides), references)
        return Symbol("${" + render(expression) + "}", references)


def _logical(symbol: str, sides: tuple[Any, Any], references: list[Reference]) -> Any:
    absorbing = _ABSORBING[symbol]
    values = [side.value if isinstance(side, Symbol) else side for side in sides]
    if absorbing in values:
        return absorbing
    left, right = (top(side, references) for side in sides)
    return bool(left and right) if symbol == "&&" else bool(left or right)


def _unary(expression: s.Unary, scope: Scope) -> Any:
    references = scope.references()
    value = evaluate(expression.operand, scope)
    try:
        operand = deep(value, references)
        return with_references(not operand if expression.operator == "!" else -operand, references)
    except (NotKnown, TypeError):
        shown(value, references)
        return Symbol("${" + render(expression) + "}", references)


def _call(expression: s.Call, scope: Scope) -> Any:
    name = expression.function
    if name in ("try", "can"):
        return _try(expression, scope)
    arguments = [evaluate(argument, scope) for argument in expression.arguments]
    if expression.expand and arguments:
        last = arguments[-1].value if isinstance(arguments[-1], Symbol) else arguments[-1]
        if isinstance(last, list):
            arguments[-1:] = cast(list[Any], last)
    if name in _READERS and arguments:
        try:
            return _read(name, arguments, scope)
        except (NotKnown, s.HclError):
            pass
    return call(name, arguments, scope.budget, lambda: render(expression))


_READERS = {"file", "filebase64", "templatefile"}


def _read(name: str, arguments: list[Any], scope: Scope) -> Any:
    """A file of the tree, or a template rendered with its values. Raises `NotKnown` if it is
    missing.
    """
    text = scope.module.read_file(str(shown(arguments[0], scope.references())))
    if text is None:
        raise NotKnown(name)
    if name == "templatefile":
        return rendered(text, arguments[1] if len(arguments) > 1 else {}, scope.budget)
    return base64.b64encode(text.encode()).decode() if name == "filebase64" else text


def rendered(template: str, values: Any, budget: Budget) -> Any:
    """A rendered template. Raises `NotKnown`, and `HclError` if it cannot be parsed."""
    names = top(values, [])
    if not isinstance(names, dict):
        raise NotKnown("the values of a template")
    return evaluate(parse_template(template), Scope(_Nobody(), cast(dict[str, Any], names), budget))


class _Nobody:
    """Templates in files only see the values passed to them."""

    def lookup(self, name: str) -> Any:
        return Symbol("${" + name + "}")

    def read_file(self, path: str) -> str | None:
        return None


def _try(expression: s.Call, scope: Scope) -> Any:
    values = [evaluate(argument, scope) for argument in expression.arguments]
    if expression.function == "can" and values:
        unsure = (
            isinstance(values[0], Symbol)
            and not values[0].known
            and not isinstance(values[0], Absent)
        )
        return (
            Symbol("${" + render(expression) + "}") if unsure else not isinstance(values[0], Absent)
        )
    return next((value for value in values if not isinstance(value, Absent)), None)


_EVALUATORS: dict[type[s.Expression], Callable[[Any, Scope], Any]] = {
    s.Name: _name,
    s.Attribute: _attribute,
    s.Index: _index,
    s.Splat: _splat,
    s.Template: _template,
    s.Directive: _directive,
    s.Tuple: _tuple,
    s.Object: _object,
    s.For: _for,
    s.Conditional: _conditional,
    s.Binary: _binary,
    s.Unary: _unary,
    s.Call: _call,
}
