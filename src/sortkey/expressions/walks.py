"""Walks over syntax trees that keep their own stack, so that a deeply nested expression cannot
exhaust Python's.

An expression of 4 KB may nest a thousand levels deep, and AWS reports its errors like any other's.
The limit on operators bounds the depth only after these checks.
"""

from __future__ import annotations

from collections.abc import Iterator

from sortkey.expressions.syntax import (
    And,
    Between,
    Call,
    Comparison,
    Condition,
    Membership,
    Not,
    Operand,
    Or,
)

Test = Comparison | Between | Membership | Call


def tests_of(tree: Condition) -> Iterator[Test]:
    """The tests that AND, OR and NOT join, from left to right."""
    waiting = [tree]
    while waiting:
        match waiting.pop():
            case And(terms) | Or(terms):
                waiting.extend(reversed(terms))
            case Not(term):
                waiting.append(term)
            case test:
                yield test


def connectives(tree: Condition) -> int:
    """How often AND, OR and NOT are written in a condition."""
    count = 0
    waiting = [tree]
    while waiting:
        match waiting.pop():
            case And(terms) | Or(terms):
                count += len(terms) - 1
                waiting.extend(terms)
            case Not(term):
                count += 1
                waiting.append(term)
            case _:
                pass
    return count


def operands_of(test: Test) -> tuple[Operand, ...]:
    """The operands of a test, in the order in which they are written."""
    match test:
        case Comparison(_, left, right):
            return left, right
        case Between(operand, low, high):
            return operand, low, high
        case Membership(operand, choices):
            return operand, *choices
        case Call(_, operands):
            return operands


def outermost_first(*operands: Operand) -> Iterator[Operand]:
    """Operands and those of their calls, as written: a call before its own operands."""
    waiting = list(reversed(operands))
    while waiting:
        operand = waiting.pop()
        yield operand
        if isinstance(operand, Call):
            waiting.extend(reversed(operand.operands))


def innermost_first(operand: Operand) -> Iterator[Operand]:
    """An operand and those of its calls, as evaluated: a call after its own operands."""
    waiting = [(operand, False)]
    while waiting:
        part, is_entered = waiting.pop()
        if isinstance(part, Call) and not is_entered:
            waiting.append((part, True))
            waiting.extend((inner, False) for inner in reversed(part.operands))
        else:
            yield part
