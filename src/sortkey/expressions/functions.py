"""The functions of expressions: where each is allowed, and how many operands it takes.

`check_words` is AWS's first check of a parsed expression, before any placeholder: functions,
reserved words, indexes.
"""

from __future__ import annotations

from sortkey.expressions.faults import Fault
from sortkey.expressions.reserved import RESERVED_WORDS
from sortkey.expressions.syntax import (
    Arithmetic,
    Call,
    Expression,
    Operand,
    Path,
    Projection,
    Update,
)
from sortkey.expressions.walks import Test, operands_of, outermost_first, tests_of

TESTS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
}
UPDATES = {"if_not_exists": 2, "list_append": 2}
OPERAND_COUNTS = {**TESTS, **UPDATES, "size": 1}
INDEX_MAX = 2**31 - 1


def check_words(tree: Expression) -> None:
    match tree:
        case Update(sections):
            for section in sections:
                for action in section.actions:
                    _check_path(action.path)
                    if action.operand is not None:
                        _check_sum(action.operand)
        case Projection(paths):
            for path in paths:
                _check_path(path)
        case _:
            for test in tests_of(tree):
                _check_test(test)


def _check_test(test: Test) -> None:
    if isinstance(test, Call):
        _check_known(test.function, "condition")
        if test.function not in TESTS:
            raise _misplaced(test.function)
    for operand in outermost_first(*operands_of(test)):
        if isinstance(operand, Path):
            _check_path(operand)
        elif isinstance(operand, Call):
            _check_known(operand.function, "condition")
            if operand.function != "size":
                raise _misplaced(operand.function)


def _check_sum(operand: Operand | Arithmetic) -> None:
    if isinstance(operand, Arithmetic):
        _check_update_operands(operand.left, operand.right)
    elif isinstance(operand, Call):
        _check_known(operand.function, "update")
        _check_update_operands(*operand.operands)
    else:
        _check_update_operands(operand)


def _check_update_operands(*operands: Operand) -> None:
    """Check operands of a sum or a function: list_append is not allowed at any depth."""
    for operand in outermost_first(*operands):
        if isinstance(operand, Path):
            _check_path(operand)
        elif isinstance(operand, Call):
            _check_known(operand.function, "update")
            if operand.function == "list_append":
                raise _misplaced(operand.function)


def _check_known(function: str, kind: str) -> None:
    if function not in OPERAND_COUNTS:
        raise Fault(f"Invalid function name; function: {function}")
    if (function in UPDATES) != (kind == "update"):
        article = "an" if kind == "update" else "a"
        raise Fault(
            f"The function is not allowed in {article} {kind} expression; function: {function}"
        )


def _check_path(path: Path) -> None:
    for part in path.parts:
        if isinstance(part, int):
            if part > INDEX_MAX:
                raise Fault(f"List index is not within the allowable range; index: [{part}]")
        elif part[0] != "#" and part.upper() in RESERVED_WORDS:
            raise Fault(f"Attribute name is a reserved keyword; reserved keyword: {part}")


def _misplaced(function: str) -> Fault:
    return Fault(
        f"The function is not allowed to be used this way in an expression; function: {function}"
    )
