"""SET and REMOVE of an UPDATE, as an update of the expressions.

PartiQL allows sums of sums, which the grammar of expressions does not. So the changes are built
here, from the same parts.
"""

from __future__ import annotations

from collections.abc import Sequence as Many
from typing import Any

from sortkey.engine.partiql.conditions import path_parts
from sortkey.engine.partiql.syntax import Assignment, Call, Literal, Node, Operation, Reference
from sortkey.engine.partiql.values import MISSING_COMPARED, Parameters
from sortkey.errors import ValidationException
from sortkey.expressions.faults import (
    Fault,
    operands_alike,
    path_required,
    wrong_operand_count,
    wrong_operand_type,
)
from sortkey.expressions.functions import OPERAND_COUNTS, UPDATES
from sortkey.expressions.paths import (
    Getter,
    Parts,
    check_levels,
    distinct_paths,
    evaluation_order,
    getter,
    show,
)
from sortkey.expressions.update_paths import Change
from sortkey.expressions.update_values import SETS, add, calculate, delete, required
from sortkey.expressions.updates import Update, if_not_exists, list_append

_SET_FUNCTIONS = {"set_add": add, "set_delete": delete}


def read_update(assignments: Many[Assignment], parameters: Parameters) -> Update:
    """The update of the assignments. All of them read the old item."""
    reader = _Reader(parameters)
    targets = [path_parts(assignment.target) for assignment in assignments]
    changes = [
        reader.change(target, assignment.value)
        for target, assignment in zip(targets, assignments, strict=True)
    ]
    try:
        # Backwards: unlike an expression, PartiQL checks its paths from the first to the last.
        paths, tree = distinct_paths(targets[::-1], lambda parts: parts)
        for fault in reader.faults:
            raise fault
    except Fault as fault:
        raise ValidationException(str(fault)) from None
    names = frozenset(str(parts[0]) for parts in paths)
    return Update(
        tuple(paths),
        evaluation_order(tree),
        tuple(changes[::-1]),
        only_removes=False,
        top_level=names,
    )


class _Reader:
    """Reads assignments. `faults` collects errors of operands, which AWS reports after everything
    else.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.faults: list[Fault] = []

    def change(self, target: Parts, value: Node | None) -> Change:
        if value is None:
            return lambda item, old: None
        if isinstance(value, Call) and value.name in _SET_FUNCTIONS:
            return self._set_change(target, value)
        find, _ = self._operand(value)
        return lambda item, old: required(find(item))

    def _set_change(self, target: Parts, call: Call) -> Change:
        """SET s = set_add(s, <<…>>): only the assigned attribute itself can be added to."""
        name = call.name.upper()
        if len(call.operands) != 2:
            raise ValidationException(f"{name} must have exactly two arguments at {call.place}")
        first, second = call.operands
        if not isinstance(first, Reference) or path_parts(first) != target:
            raise ValidationException(
                f"The first argument to {name} must equal the assignment value"
            )
        operand = self.parameters.resolve(second)
        if operand is None or SETS.isdisjoint(operand):
            # AWS names the place of the first argument, although the second is wrong.
            raise ValidationException(
                f"The second argument to {name} must be a value with type SET at {first.place}"
            )
        combine: Any = _SET_FUNCTIONS[call.name]
        return lambda item, old: combine(old, operand)

    def _operand(self, node: Node) -> tuple[Getter, str | None]:
        """A getter of an operand's value, and its type if it is known without the item."""
        match node:
            case Reference():
                return self._path(node), None
            case Operation("+" | "-"):
                return self._sum(node)
            case Operation(operator):
                raise ValidationException(
                    f"Unsupported operator in Update Expression. Operator: {operator}"
                )
            case Call():
                return self._call(node)
            case Literal("MISSING"):
                raise ValidationException(MISSING_COMPARED)
            case _:
                value = self.parameters.resolve(node)
                if value is None:
                    raise ValidationException("IS operator is not supported in update expressions")
                return (lambda item: value), next(iter(value))

    def _path(self, node: Reference) -> Getter:
        parts = path_parts(node)
        try:
            check_levels(parts)
        except Fault as fault:
            self.faults.append(fault)
        return getter(parts)

    def _sum(self, node: Node) -> tuple[Getter, str | None]:
        """A sum of sums nests on its left side. This is a loop because a recursion would be 300
        levels deep.
        """
        sums: list[Operation] = []
        while isinstance(node, Operation) and node.operator in ("+", "-"):
            sums.append(node)
            node = node.operands[0]
        operand = self._operand(node)
        for operation in reversed(sums):
            operand = self._sum_of(operation, operand)
        return operand

    def _sum_of(
        self, node: Operation, left: tuple[Getter, str | None]
    ) -> tuple[Getter, str | None]:
        operator = node.operator
        if len(node.operands) != 2:
            return self._refuse(wrong_operand_count(operator, len(node.operands)))
        right = self._operand(node.operands[1])
        self._check_kinds(operator, (left, right), "N")
        (first, _), (second, _) = left, right
        return (
            lambda item: calculate(
                operator, required(first(item), "N"), required(second(item), "N")
            )
        ), "N"

    def _call(self, call: Call) -> tuple[Getter, str | None]:
        name = call.name
        if name not in OPERAND_COUNTS:
            raise ValidationException(f"Unrecognized function: {name}")
        if name not in UPDATES:
            raise ValidationException(
                f"The function is not allowed in an update expression; function: {name}"
            )
        operands = [self._operand(operand) for operand in call.operands]
        if len(operands) != 2:
            return self._refuse(wrong_operand_count(name, len(operands)))
        (first, _), (second, _) = operands
        if name == "if_not_exists":
            self._check_default(*call.operands)
            return if_not_exists(first, second), None
        self._check_kinds(name, operands, "L")
        return list_append(first, second), "L"

    def _check_default(self, path: Node, default: Node) -> None:
        if not isinstance(path, Reference):
            self.faults.append(path_required("if_not_exists"))
        elif isinstance(default, Reference) and path_parts(default) == path_parts(path):
            self.faults.append(operands_alike("if_not_exists", show(path_parts(path))))

    def _check_kinds(
        self, operator: str, operands: Many[tuple[Getter, str | None]], allowed: str
    ) -> None:
        self.faults += [
            wrong_operand_type(operator, kind)
            for _, kind in operands
            if kind not in (None, allowed)
        ]

    def _refuse(self, fault: Fault) -> tuple[Getter, str | None]:
        self.faults.append(fault)
        return (lambda item: None), None
