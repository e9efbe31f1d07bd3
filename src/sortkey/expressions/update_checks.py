"""AWS's checks of an update expression besides its paths: sections, then placeholders, operand
counts and types.
"""

from __future__ import annotations

from collections.abc import Sequence

from sortkey.expressions.condition_checks import check_distinct, operand_kind
from sortkey.expressions.faults import Fault, path_required, wrong_operand_count, wrong_operand_type
from sortkey.expressions.functions import OPERAND_COUNTS
from sortkey.expressions.grammar import OPERATORS_MAX, TOO_MANY_OPERATORS
from sortkey.expressions.scope import Scope
from sortkey.expressions.syntax import Action, Arithmetic, Call, Path, Update
from sortkey.expressions.update_values import SETS

# What AWS calls the types in messages about ADD and DELETE.
TYPE_TITLES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "SS": "STRING_SET",
    "NS": "NUMBER_SET",
    "BS": "BINARY_SET",
    "L": "LIST",
    "M": "MAP",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
}
_ALLOWED = {"ADD": SETS | {"N"}, "DELETE": SETS}


def check_sections(update: Update) -> None:
    keywords: set[str] = set()
    for section in update.sections:
        if section.keyword in keywords:
            raise Fault(
                f'The "{section.keyword}" section can only be used once in an update expression;'
            )
        keywords.add(section.keyword)


def check_update(actions: Sequence[Action], scope: Scope) -> None:
    """Look up and check the operands of all actions. AWS starts with the last action."""
    for action in reversed(actions):
        _check_action(action, scope)
    if sum(isinstance(action.operand, Arithmetic | Call) for action in actions) > OPERATORS_MAX:
        raise Fault(TOO_MANY_OPERATORS)


def _check_action(action: Action, scope: Scope) -> None:
    match action.operand:
        case None:
            pass
        case Arithmetic(operator, left, right):
            for kind in [operand_kind(side, scope, _call_kind) for side in (left, right)]:
                _check_kind(operator, kind, "N")
        case operand:
            kind = operand_kind(operand, scope, _call_kind)
            if kind is not None and action.keyword in _ALLOWED:
                _check_set_operand(action.keyword, kind)


def _check_set_operand(keyword: str, kind: str) -> None:
    if kind not in _ALLOWED[keyword]:
        raise Fault(
            f"Incorrect operand type for operator or function; operator: {keyword}, "
            f"operand type: {TYPE_TITLES[kind]}, typeSet: ALLOWED_FOR_{keyword}_OPERAND"
        )


def _call_kind(call: Call, kinds: list[str | None], scope: Scope) -> str | None:
    function, operands = call.function, call.operands
    if len(operands) != OPERAND_COUNTS[function]:
        raise wrong_operand_count(function, len(operands))
    if function == "if_not_exists":
        if not isinstance(operands[0], Path):
            raise path_required(function)
        check_distinct(function, operands, scope)
        return None
    for kind in kinds:
        _check_kind(function, kind, "L")
    return "L"


def _check_kind(operator: str, kind: str | None, allowed: str) -> None:
    if kind is not None and kind != allowed:
        raise wrong_operand_type(operator, kind)
