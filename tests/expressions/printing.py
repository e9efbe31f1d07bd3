"""Syntax tree to text: the shortest text in canonical spelling that parses to the same tree."""

from __future__ import annotations

from sortkey.expressions.syntax import (
    Action,
    And,
    Arithmetic,
    Between,
    Call,
    Comparison,
    Condition,
    Expression,
    Membership,
    Not,
    Operand,
    Or,
    Path,
    Projection,
    Update,
    Value,
)


def print_expression(tree: Expression) -> str:
    match tree:
        case Update(sections):
            return " ".join(f"{s.keyword} {', '.join(map(_action, s.actions))}" for s in sections)
        case Projection(paths):
            return ", ".join(map(_operand, paths))
        case _:
            return _condition(tree)


def _condition(tree: Condition) -> str:
    match tree:
        case Or(terms):
            return " OR ".join(_grouped(term, Or) for term in terms)
        case And(terms):
            return " AND ".join(_grouped(term, And, Or) for term in terms)
        case Not(term):
            return f"NOT {_grouped(term, And, Or)}"
        case Comparison(operator, left, right):
            return f"{_operand(left)} {operator} {_operand(right)}"
        case Between(operand, low, high):
            return f"{_operand(operand)} BETWEEN {_operand(low)} AND {_operand(high)}"
        case Membership(operand, choices):
            return f"{_operand(operand)} IN ({', '.join(map(_operand, choices))})"
        case Call():
            return _operand(tree)


def _grouped(tree: Condition, *looser: type) -> str:
    return f"({_condition(tree)})" if isinstance(tree, looser) else _condition(tree)


def _operand(tree: Operand) -> str:
    match tree:
        case Value(name):
            return name
        case Call(function, operands):
            return f"{function}({', '.join(map(_operand, operands))})"
        case Path(parts):
            text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
            return text[1:]


def _action(action: Action) -> str:
    path = _operand(action.path)
    match action.operand:
        case None:
            return path
        case Arithmetic(operator, left, right):
            return f"{path} = {_operand(left)} {operator} {_operand(right)}"
        case operand if action.keyword == "SET":
            return f"{path} = {_operand(operand)}"
        case operand:
            return f"{path} {_operand(operand)}"
