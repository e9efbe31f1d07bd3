"""SET and REMOVE of an UPDATE, as an update of the expressions.

PartiQL allows sums of sums, which the grammar of expressions does not; so the changes are made here, of the same parts.
"""

from __future__ import annotations

from collections.abc import Sequence as Many
from typing import Any

from sortkey.engine.partiql.conditions import path_parts
from sortkey.engine.partiql.syntax import Assignment, Call, Literal, Node, Operation, Reference
from sortkey.engine.partiql.values import MISSING_COMPARED, Parameters
from sortkey.errors import ValidationException
from sortkey.expressions.faults import Fault, path_required, wrong_operand_count, wrong_operand_type
from sortkey.expressions.functions import OPERAND_COUNTS, UPDATES
from sortkey.expressions.paths import Getter, Parts, distinct_paths, evaluation_order, getter
from sortkey.expressions.update_paths import Change
from sortkey.expressions.update_values import SETS, add, calculate, delete, required
from sortkey.expressions.updates import Update
from sortkey.values.attributes import AttributeValue, Item

_SET_FUNCTIONS = {"set_add": add, "set_delete": delete}


def read_update(assignments: Many[Assignment], parameters: Parameters) -> Update:
    """What the assignments do to an item, all of them to the item as it was."""
    targets = [path_parts(assignment.target) for assignment in assignments]
    try:
        changes = tuple(
            _change(target, assignment.value, parameters)
            for target, assignment in zip(targets, assignments, strict=True)
        )
        distinct_paths([*reversed(targets)], lambda parts: parts)  # PartiQL looks from the first to the last
        paths, tree = distinct_paths(targets, lambda parts: parts)
    except Fault as fault:
        raise ValidationException(str(fault)) from None
    names = frozenset(str(parts[0]) for parts in paths)
    return Update(tuple(paths), evaluation_order(tree), changes, only_removes=False, top_level=names)


def _change(target: Parts, value: Node | None, parameters: Parameters) -> Change:
    if value is None:
        return lambda item, old: None
    if isinstance(value, Call) and value.name in _SET_FUNCTIONS:
        return _set_change(target, value, parameters)
    find, _ = _operand(value, parameters)
    return lambda item, old: required(find(item))


def _set_change(target: Parts, call: Call, parameters: Parameters) -> Change:
    """SET s = set_add(s, <<…>>): only the attribute itself can be added to."""
    name = call.name.upper()
    if len(call.operands) != 2:
        raise ValidationException(f"{name} must have exactly two arguments at {call.place}")
    first, second = call.operands
    if not isinstance(first, Reference) or path_parts(first) != target:
        raise ValidationException(f"The first argument to {name} must equal the assignment value")
    operand = parameters.resolve(second)
    if operand is None or SETS.isdisjoint(operand):
        # AWS names the place of the first argument, though it is the second that is wrong.
        raise ValidationException(f"The second argument to {name} must be a value with type SET at {first.place}")
    combine: Any = _SET_FUNCTIONS[call.name]
    return lambda item, old: combine(old, operand)


def _operand(node: Node, parameters: Parameters) -> tuple[Getter, str | None]:
    """How to find an operand's value, and its type where that is known without the item."""
    match node:
        case Reference():
            return getter(path_parts(node)), None
        case Operation("+" | "-", (left, right)):
            return _sum(node.operator, left, right, parameters)
        case Operation("+" | "-" as operator):
            raise wrong_operand_count(operator, 1)
        case Operation(operator):
            raise ValidationException(f"Unsupported operator in Update Expression. Operator: {operator}")
        case Call():
            return _call(node, parameters)
        case Literal("MISSING"):
            raise ValidationException(MISSING_COMPARED)
        case _:
            value = parameters.resolve(node)
            if value is None:
                raise ValidationException("Unsupported operator in Update Expression. Operator: is")
            return (lambda item: value), next(iter(value))


def _sum(operator: str, left: Node, right: Node, parameters: Parameters) -> tuple[Getter, str | None]:
    finders: list[Getter] = []
    for node in (left, right):
        find, kind = _operand(node, parameters)
        if kind not in (None, "N"):
            raise wrong_operand_type(operator, kind)
        finders.append(find)
    first, second = finders
    return (lambda item: calculate(operator, required(first(item), "N"), required(second(item), "N"))), "N"


def _call(call: Call, parameters: Parameters) -> tuple[Getter, str | None]:
    name = call.name
    if name not in OPERAND_COUNTS:
        raise ValidationException(f"Unrecognized function: {name}")
    if name not in UPDATES:
        raise Fault(f"The function is not allowed in an update expression; function: {name}")
    operands = [_operand(operand, parameters) for operand in call.operands]
    if len(operands) != 2:
        raise wrong_operand_count(name, len(operands))
    (first, first_kind), (second, second_kind) = operands
    if name == "if_not_exists":
        if not isinstance(call.operands[0], Reference):
            raise path_required(name)
        return _if_not_exists(first, second), None
    for kind in (first_kind, second_kind):
        if kind not in (None, "L"):
            raise wrong_operand_type(name, kind)
    return (lambda item: {"L": required(first(item), "L")["L"] + required(second(item), "L")["L"]}), "L"


def _if_not_exists(find: Getter, otherwise: Getter) -> Getter:
    def choose(item: Item) -> AttributeValue | None:
        value = find(item)
        return otherwise(item) if value is None else value

    return choose
