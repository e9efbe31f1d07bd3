"""AWS's checks of a condition once its placeholders are known: operand counts and types, ranges,
limits.

The walk is depth first and from left to right. AWS reports the first fault in this order.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable

from sortkey.expressions.faults import (
    Fault,
    operands_alike,
    path_required,
    wrong_operand_count,
    wrong_operand_type,
)
from sortkey.expressions.functions import OPERAND_COUNTS
from sortkey.expressions.grammar import OPERATORS_MAX, TOO_MANY_OPERATORS
from sortkey.expressions.paths import Parts, show
from sortkey.expressions.scope import Scope
from sortkey.expressions.syntax import (
    Between,
    Call,
    Comparison,
    Condition,
    Membership,
    Operand,
    Path,
    Value,
)
from sortkey.expressions.walks import (
    Test,
    connectives,
    innermost_first,
    operands_of,
    outermost_first,
    tests_of,
)
from sortkey.values.attributes import AttributeValue
from sortkey.values.compare import order

CallKind = Callable[[Call, list[str | None], Scope], str | None]

CHOICES_MAX = 100

ORDERED = frozenset(("S", "N", "B"))
PREFIXED = frozenset(("S", "B"))
SIZED = frozenset(("S", "B", "SS", "NS", "BS", "L", "M"))
# In AWS's own order, that of a hash map.
TYPE_NAMES = ("N", "BS", "L", "B", "NULL", "M", "S", "SS", "NS", "BOOL")
# AWS shows this for a path in place of a type's name: all types of its expression language.
_ANY_TYPE = "{DECIMALSET,FLOAT,BS,DICT,DOUBLESET,HDS,L,BOOL,S,B,NS,DOUBLE,M,SS,FS,HD,N,DECIMAL,INTSET,NULL,INT}"


def check_condition(tree: Condition, scope: Scope) -> None:
    for test in tests_of(tree):
        _check(test, scope)
    if _operators(tree) > OPERATORS_MAX:
        raise Fault(TOO_MANY_OPERATORS)


def check_bounds(low: AttributeValue, high: AttributeValue) -> None:
    """The bounds of a BETWEEN when both are values."""
    operands = f"lower bound operand: {_show(low)}, upper bound operand: {_show(high)}"
    compared = order(low, high)
    if compared is None:
        raise Fault(
            f"The BETWEEN operator requires same data type for lower and upper bounds; {operands}"
        )
    if compared > 0:
        raise Fault(
            "The BETWEEN operator requires upper bound to be greater than or equal to lower "
            f"bound; {operands}"
        )


def check_type_name(value: AttributeValue) -> str:
    """The second operand of attribute_type, a string."""
    name = value["S"]
    if name not in TYPE_NAMES:
        raise Fault(
            f"Invalid attribute type name found; type: {name}, valid types: "
            f"{{{','.join(TYPE_NAMES)}}}"
        )
    return name


def kind_of(value: AttributeValue) -> str:
    return next(iter(value))


def _check(test: Test, scope: Scope) -> None:
    match test:
        case Comparison(operator, left, right):
            allowed = None if operator in ("=", "<>") else ORDERED
            _check_operands(operator, (left, right), scope, allowed)
        case Between(operand, low, high):
            _check_operands("BETWEEN", (operand, low, high), scope, ORDERED)
            if isinstance(low, Value) and isinstance(high, Value):
                check_bounds(scope.value(low.name), scope.value(high.name))
        case Membership(operand, choices):
            if len(choices) > CHOICES_MAX:
                raise Fault(
                    "The IN operator is provided with too many operands; number of operands: "
                    f"{len(choices)}"
                )
            _check_operands("IN", (operand, *choices), scope)
        case Call():
            operand_kind(test, scope, _size_kind)


def _check_call(call: Call, kinds: list[str | None], scope: Scope) -> None:
    function, operands = call.function, call.operands
    if len(operands) != OPERAND_COUNTS[function]:
        raise wrong_operand_count(function, len(operands))
    match function:
        case "attribute_exists" | "attribute_not_exists":
            if not isinstance(operands[0], Path):
                raise path_required(function)
        case "attribute_type":
            check_distinct(function, operands, scope)
            if kinds[1] != "S":
                raise wrong_operand_type(function, kinds[1] or _ANY_TYPE)
            if isinstance(operands[1], Value):
                check_type_name(scope.value(operands[1].name))
        case "begins_with":
            _check_kinds(function, kinds, PREFIXED)
            check_distinct(function, operands, scope)
        case "contains":
            check_distinct(function, operands, scope)
        case _:
            _check_kinds(function, kinds, SIZED)


def _check_operands(
    operator: str,
    operands: tuple[Operand, ...],
    scope: Scope,
    allowed: frozenset[str] | None = None,
) -> None:
    kinds = [operand_kind(operand, scope, _size_kind) for operand in operands]
    if allowed is not None:
        _check_kinds(operator, kinds, allowed)
    check_distinct(operator, operands, scope)


def operand_kind(operand: Operand, scope: Scope, call_kind: CallKind) -> str | None:
    """The type of an operand, if it is known without the item. Looks up its placeholders.

    `call_kind` checks a call with the types of its operands, and returns the call's type.
    """
    kinds: list[str | None] = []
    for part in innermost_first(operand):
        match part:
            case Value(name):
                kinds.append(kind_of(scope.value(name)))
            case Path():
                scope.path(part)
                kinds.append(None)
            case Call(_, operands):
                start = len(kinds) - len(operands)
                kinds[start:] = [call_kind(part, kinds[start:], scope)]
    return kinds.pop()


def _size_kind(call: Call, kinds: list[str | None], scope: Scope) -> str:
    _check_call(call, kinds, scope)
    return "N"  # size is the only call that is an operand


def _check_kinds(operator: str, kinds: list[str | None], allowed: frozenset[str]) -> None:
    for kind in kinds:
        if kind is not None and kind not in allowed:
            raise wrong_operand_type(operator, kind)


def check_distinct(operator: str, operands: tuple[Operand, ...], scope: Scope) -> None:
    first = operands[0]
    if not isinstance(first, Path):
        return
    parts: Parts = scope.path(first)
    for other in operands[1:]:
        if isinstance(other, Path) and scope.path(other) == parts:
            raise operands_alike(operator, show(parts))


def _operators(tree: Condition) -> int:
    return connectives(tree) + sum(map(_operators_of_test, tests_of(tree)))


def _operators_of_test(test: Test) -> int:
    calls = sum(isinstance(operand, Call) for operand in outermost_first(*operands_of(test)))
    return 1 + calls


def _show(value: AttributeValue) -> str:
    ((kind, content),) = value.items()
    if kind == "B":
        size = len(a2b_base64(content))
        content = f"java.nio.HeapByteBuffer[pos=0 lim={size} cap={size}]"
    return f"AttributeValue: {{{kind}:{content}}}"
