"""Key conditions: which partition of a table or index a query reads, and which range of it.

A condition is split into terms when it is compiled. `resolve` matches the terms to a key schema.
Errors that AWS reports only after all expressions are valid are kept in `problem` until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sortkey.errors import ValidationException
from sortkey.expressions.compiled import Compiled, compiled
from sortkey.expressions.condition_checks import check_bounds, check_condition
from sortkey.expressions.conditions import Condition
from sortkey.expressions.functions import check_words
from sortkey.expressions.grammar import parse_condition
from sortkey.expressions.key_ranges import KeyRange, KeyTerm, resolve_terms
from sortkey.expressions.paths import Parts, check_key_paths
from sortkey.expressions.scope import Scope, Values
from sortkey.expressions.syntax import (
    And,
    Between,
    Call,
    Comparison,
    Membership,
    Not,
    Operand,
    Or,
    Path,
    Value,
)
from sortkey.expressions.syntax import Condition as Tree

_FLIPPED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_INVALID = "Invalid condition in KeyConditionExpression: "


class KeyCondition(NamedTuple):
    """Terms, one per attribute. `problem` says why a condition cannot be on a key."""

    terms: tuple[KeyTerm, ...]
    paths: tuple[Parts, ...]
    problem: str | None = None

    def resolve(
        self,
        hash_names: Sequence[str],
        range_names: Sequence[str],
        types: Mapping[str, str],
        index: str | None = None,
    ) -> KeyRange:
        """The key range in a table, or in the index with that name, whose key attributes have these
        types ("S", "N", "B").
        """
        if self.problem is not None:
            check_key_paths(self.paths, (*hash_names, *range_names))
            raise ValidationException(self.problem)
        return resolve_terms(self.terms, hash_names, range_names, types, index)


def check_filter(
    condition: Condition, key_names: Iterable[str], title: str = "Filter Expression"
) -> None:
    """A query's filter must not use key attributes, which belong in the key condition."""
    names = list(key_names)
    check_key_paths(condition.paths, names)
    for name in names:
        if name in condition.top_level:
            raise ValidationException(
                f"{title} can only contain non-primary key attributes: Primary key attribute: "
                f"{name}"
            )


def compile_key_condition(text: str, scope: Scope) -> Compiled[KeyCondition]:
    tree = parse_condition(text)
    check_words(tree)
    check_condition(tree, scope)
    paths = tuple(scope.paths)
    try:
        templates = _templates(tree, scope)
    except _Problem as problem:
        broken = KeyCondition((), paths, str(problem))
        return compiled(scope, lambda values: broken)

    def make(values: Values) -> KeyCondition:
        return KeyCondition(tuple([_filled(template, values) for template in templates]), paths)

    return compiled(scope, make)


class _Problem(Exception):
    """Why a condition cannot be on a key, in AWS's words without a prefix."""


@dataclass(frozen=True, slots=True)
class _Template:
    name: str
    operator: str
    placeholders: tuple[str, ...]


def _filled(template: _Template, values: Values) -> KeyTerm:
    operands = tuple([values[placeholder] for placeholder in template.placeholders])
    if template.operator == "BETWEEN":
        check_bounds(*operands)
    return KeyTerm(template.name, template.operator, operands)


def _templates(tree: Tree, scope: Scope) -> list[_Template]:
    templates: dict[str, _Template] = {}
    for term in _conjuncts(tree):
        template = _template(term, scope)
        if templates.setdefault(template.name, template) is not template:
            raise _Problem("KeyConditionExpressions must only contain one condition per key")
    return list(templates.values())


def _conjuncts(tree: Tree) -> list[Tree]:
    if not isinstance(tree, And):
        return [tree]
    return [conjunct for term in tree.terms for conjunct in _conjuncts(term)]


def _template(tree: Tree, scope: Scope) -> _Template:
    match tree:
        case Or() | Not():
            raise _invalid_operator("OR" if isinstance(tree, Or) else "NOT")
        case Membership():
            raise _invalid_operator("IN")
        case Comparison("<>", _, _):
            raise _invalid_operator("<>")
        case Call(function, operands):
            if function != "begins_with":
                raise _invalid_operator(function)
            return _keyed_first(function, operands, scope)
        case Between(operand, low, high):
            return _keyed_first("BETWEEN", (operand, low, high), scope)
        case Comparison(operator, Path() as path, right):
            return _term(operator, path, (right,), scope)
        case Comparison(operator, left, Path() as path):
            _placeholders((left,))  # errors are reported from left to right
            return _term(_FLIPPED[operator], path, (left,), scope)
        case Comparison(_, left, right):
            _placeholders((left, right))
            raise _Problem(_INVALID + "No key attribute specified")
        case And():
            raise AssertionError("a conjunction was split before")


def _keyed_first(operator: str, operands: tuple[Operand, ...], scope: Scope) -> _Template:
    first, *others = operands
    if isinstance(first, Path):
        return _term(operator, first, tuple(others), scope)
    _placeholders((first,))
    raise _Problem(
        f"{_INVALID}{operator} operator must have the key attribute as its first operand"
    )


def _term(operator: str, path: Path, operands: tuple[Operand, ...], scope: Scope) -> _Template:
    parts = scope.path(path)
    if parts[1:]:
        raise _Problem("KeyConditionExpressions cannot have conditions on nested attributes")
    return _Template(str(parts[0]), operator, _placeholders(operands))


def _placeholders(operands: Iterable[Operand]) -> tuple[str, ...]:
    names: list[str] = []
    for operand in operands:
        match operand:
            case Value(name):
                names.append(name)
            case Call():
                raise _Problem("KeyConditionExpressions cannot contain nested operations")
            case Path():
                raise _Problem(_INVALID + "Multiple attribute names used in one condition")
    return tuple(names)


def _invalid_operator(operator: str) -> _Problem:
    return _Problem(f"Invalid operator used in KeyConditionExpression: {operator}")
