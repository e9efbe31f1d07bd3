"""Update expressions: SET, REMOVE, ADD and DELETE, each evaluated against the old item."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sortkey.expressions.compiled import Compiled, compiled
from sortkey.expressions.functions import check_words
from sortkey.expressions.grammar import parse_update
from sortkey.expressions.paths import (
    Getter,
    Parts,
    PathTree,
    distinct_paths,
    evaluation_order,
    getter,
    top_level,
)
from sortkey.expressions.projections import select
from sortkey.expressions.scope import Scope, Values
from sortkey.expressions.syntax import Action, Arithmetic, Call, Operand, Path, Value
from sortkey.expressions.update_checks import check_sections, check_update
from sortkey.expressions.update_paths import Change, write
from sortkey.expressions.update_values import add, calculate, delete, required
from sortkey.values.attributes import AttributeValue, Item

MakeChange = Callable[[Values], Change]
MakeGetter = Callable[[Values], Getter]

_NO_ITEM: Item = {}


class Update(NamedTuple):
    """Call it with the old item, or None, for the new one. The old item is not changed.

    `paths` are those that it writes, `reads` those that it only reads. `only_removes` is true for
    an update that does not create a missing item. `assigned` are the values that whole attributes
    get directly from the request.
    """

    paths: tuple[Parts, ...]
    tree: PathTree
    changes: tuple[Change, ...]
    only_removes: bool
    top_level: frozenset[str]
    reads: tuple[Parts, ...] = ()
    assigned: tuple[tuple[str, AttributeValue], ...] = ()

    def __call__(self, item: Item | None) -> Item:
        return write(_NO_ITEM if item is None else item, self.tree, self.changes)

    def updated_old(self, old: Item | None) -> Item:
        """The result of ReturnValues UPDATED_OLD: the written paths in the old item."""
        return select(old, self.tree) if old else {}

    def updated_new(self, new: Item | None) -> Item:
        """The result of UPDATED_NEW: the written paths in the new item, including the place of a
        removed element.
        """
        return select(new, self.tree) if new else {}


def compile_update(text: str, scope: Scope) -> Compiled[Update]:
    source = parse_update(text)
    check_words(source)
    check_sections(source)
    actions = [action for section in source.sections for action in section.actions]
    paths, tree = distinct_paths([action.path for action in actions], scope.path)
    scope.paths.clear()
    check_update(actions, scope)
    reads = tuple(scope.paths)
    makers = [_change(action, scope) for action in actions]
    written_paths, names = tuple(paths), top_level(paths)
    tree = evaluation_order(tree)
    only_removes = all(action.keyword in ("REMOVE", "DELETE") for action in actions)
    literals = [
        (str(parts[0]), action.operand.name)
        for parts, action in zip(paths, actions, strict=True)
        if len(parts) == 1
        and action.keyword in ("SET", "ADD")
        and isinstance(action.operand, Value)
    ]

    def make(values: Values) -> Update:
        changes = tuple([maker(values) for maker in makers])
        assigned = tuple([(name, values[placeholder]) for name, placeholder in literals])
        return Update(written_paths, tree, changes, only_removes, names, reads, assigned)

    return compiled(scope, make)


def _change(action: Action, scope: Scope) -> MakeChange:
    match action:
        case Action("SET", _, Value(name)):
            return lambda values: put(values[name])
        case Action("SET", _, operand) if operand is not None:
            make_operand = _sum(operand, scope)
            return lambda values: _set(make_operand(values))
        case Action("ADD", _, Value(name)):
            return lambda values: _add(values[name])
        case Action("DELETE", _, Value(name)):
            return lambda values: _delete(values[name])
        case _:
            return lambda values: remove


def put(value: AttributeValue) -> Change:
    return lambda item, old: value


def remove(item: Item, old: AttributeValue | None) -> None:
    return None


def if_not_exists(find: Getter, otherwise: Getter) -> Getter:
    def choose(item: Item) -> AttributeValue | None:
        value = find(item)
        default = required(otherwise(item))  # DynamoDB evaluates it in any case
        return default if value is None else value

    return choose


def list_append(first: Getter, second: Getter) -> Getter:
    return lambda item: {"L": required(first(item), "L")["L"] + required(second(item), "L")["L"]}


def _set(find: Getter) -> Change:
    return lambda item, old: required(find(item))


def _add(operand: AttributeValue) -> Change:
    return lambda item, old: add(old, operand)


def _delete(operand: AttributeValue) -> Change:
    return lambda item, old: delete(old, operand)


def _sum(operand: Operand | Arithmetic, scope: Scope) -> MakeGetter:
    if not isinstance(operand, Arithmetic):
        return _operand(operand, scope)
    operator, make_left, make_right = (
        operand.operator,
        _operand(operand.left, scope),
        _operand(operand.right, scope),
    )

    def make(values: Values) -> Getter:
        left, right = make_left(values), make_right(values)
        return lambda item: calculate(
            operator, required(left(item), "N"), required(right(item), "N")
        )

    return make


def _operand(operand: Operand, scope: Scope) -> MakeGetter:
    match operand:
        case Path():
            find = getter(scope.path(operand))
            return lambda values: find
        case Value(name):
            return lambda values: _constant(values[name])
        case Call(function, operands):
            make_first, make_second = _operand(operands[0], scope), _operand(operands[1], scope)
            combine = if_not_exists if function == "if_not_exists" else list_append
            return lambda values: combine(make_first(values), make_second(values))


def _constant(value: AttributeValue) -> Getter:
    return lambda item: value
