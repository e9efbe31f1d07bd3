"""Errors in an expression, before it is known which parameter has the expression.

`placeholders` adds a prefix such as "Invalid FilterExpression: " and raises the
ValidationException.
"""

from __future__ import annotations


class Fault(Exception):
    """An expression that AWS refuses. Its text is AWS's, without the parameter's name."""


def wrong_operand_type(operator: str, kind: str) -> Fault:
    return Fault(
        f"Incorrect operand type for operator or function; operator or function: {operator}, "
        f"operand type: {kind}"
    )


def wrong_operand_count(operator: str, count: int) -> Fault:
    return Fault(
        "Incorrect number of operands for operator or function; "
        f"operator or function: {operator}, number of operands: {count}"
    )


def operands_alike(operator: str, path: str) -> Fault:
    return Fault(
        "The first operand must be distinct from the remaining operands for this operator or "
        "function; "
        f"operator: {operator}, first operand: {path}"
    )


def path_required(operator: str) -> Fault:
    return Fault(f"Operator or function requires a document path; operator or function: {operator}")
