"""Condition and filter expressions, compiled to closures over split paths.

An expression is compiled for the types of its values, so the closures compare without checking the
types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sortkey.expressions.compiled import Compiled, compiled
from sortkey.expressions.condition_checks import (
    check_bounds,
    check_condition,
    check_type_name,
    kind_of,
)
from sortkey.expressions.functions import check_words
from sortkey.expressions.grammar import parse_condition
from sortkey.expressions.paths import Getter, Parts, getter, top_level
from sortkey.expressions.predicates import (
    COMPARABLE,
    ORDERINGS,
    contains,
    ordered,
    same,
    size_of,
    starts_with,
    within,
)
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
from sortkey.values.attributes import Item

Test = Callable[[Item], bool]
MakeTest = Callable[[Values], Test]
MakeGetter = Callable[[Values], Getter]

_NO_ITEM: Item = {}


class Condition(NamedTuple):
    """Call it with an item, or with None for a missing one. `test` is the same for an existing
    item.
    """

    test: Test
    paths: tuple[Parts, ...]
    top_level: frozenset[str]

    def __call__(self, item: Item | None) -> bool:
        return self.test(_NO_ITEM if item is None else item)


def compile_condition(text: str, scope: Scope) -> Compiled[Condition]:
    return compile_condition_tree(parse_condition(text), scope)


def compile_condition_tree(tree: Tree, scope: Scope) -> Compiled[Condition]:
    """The same for a tree of another grammar: PartiQL's WHERE."""
    check_words(tree)
    check_condition(tree, scope)
    make_test = _condition(tree, scope)
    paths = tuple(scope.paths)
    names = top_level(paths)
    return compiled(scope, lambda values: Condition(make_test(values), paths, names))


def _condition(tree: Tree, scope: Scope) -> MakeTest:
    match tree:
        case And(terms):
            return _every([_condition(term, scope) for term in terms])
        case Or(terms):
            return _some([_condition(term, scope) for term in terms])
        case Not(term):
            return _negated(_condition(term, scope))
        case Comparison():
            return _comparison(tree, scope)
        case Between():
            return _between(tree, scope)
        case Membership():
            return _membership(tree, scope)
        case Call():
            return _call(tree, scope)


def _every(makers: list[MakeTest]) -> MakeTest:
    def make(values: Values) -> Test:
        tests = [maker(values) for maker in makers]
        if len(tests) == 2:
            first, second = tests
            return lambda item: first(item) and second(item)

        def test(item: Item) -> bool:
            for part in tests:  # noqa: SIM110 a generator would cost twice as much
                if not part(item):
                    return False
            return True

        return test

    return make


def _some(makers: list[MakeTest]) -> MakeTest:
    def make(values: Values) -> Test:
        tests = [maker(values) for maker in makers]

        def test(item: Item) -> bool:
            for part in tests:  # noqa: SIM110
                if part(item):
                    return True
            return False

        return test

    return make


def _negated(maker: MakeTest) -> MakeTest:
    def make(values: Values) -> Test:
        test = maker(values)
        return lambda item: not test(item)

    return make


def _comparison(tree: Comparison, scope: Scope) -> MakeTest:
    if isinstance(tree.left, Path) and isinstance(tree.right, Value):
        return _path_with_value(tree.operator, scope.path(tree.left), tree.right.name, scope)
    operator, make_left, make_right = (
        tree.operator,
        _operand(tree.left, scope),
        _operand(tree.right, scope),
    )

    def make(values: Values) -> Test:
        left, right = make_left(values), make_right(values)
        if operator == "=":
            return lambda item: same(left(item), right(item))
        if operator == "<>":
            return lambda item: not same(left(item), right(item))
        return lambda item: ordered(operator, left(item), right(item))

    return make


def _path_with_value(operator: str, parts: Parts, placeholder: str, scope: Scope) -> MakeTest:
    find = getter(parts)
    if operator == "=":
        return lambda values: _equal(find, parts, values[placeholder])
    if operator == "<>":
        return lambda values: _unequal(find, values[placeholder])
    kind = kind_of(scope.value(placeholder))
    comparable, compare = COMPARABLE[kind], ORDERINGS[operator]

    def make(values: Values) -> Test:
        bound = comparable(values[placeholder][kind])

        def test(item: Item) -> bool:
            value = find(item)
            if value is None:
                return False
            content = value.get(kind)
            return content is not None and compare(comparable(content), bound)

        return test

    return make


def _equal(find: Getter, parts: Parts, expected: object) -> Test:
    if len(parts) == 1:
        name = str(parts[0])
        return lambda item: item.get(name) == expected
    return lambda item: find(item) == expected


def _unequal(find: Getter, expected: object) -> Test:
    return lambda item: find(item) != expected


def _between(tree: Between, scope: Scope) -> MakeTest:
    low, high = tree.low, tree.high
    make_operand = _operand(tree.operand, scope)
    if not (isinstance(low, Value) and isinstance(high, Value)):
        make_low, make_high = _operand(low, scope), _operand(high, scope)

        def make_general(values: Values) -> Test:
            find, find_low, find_high = make_operand(values), make_low(values), make_high(values)
            return lambda item: within(find(item), find_low(item), find_high(item))

        return make_general
    low_name, high_name, kind = low.name, high.name, kind_of(scope.value(low.name))
    comparable = COMPARABLE[kind]

    def make(values: Values) -> Test:
        check_bounds(values[low_name], values[high_name])
        find = make_operand(values)
        first, last = comparable(values[low_name][kind]), comparable(values[high_name][kind])

        def test(item: Item) -> bool:
            value = find(item)
            content = None if value is None else value.get(kind)
            return content is not None and first <= comparable(content) <= last

        return test

    return make


def _membership(tree: Membership, scope: Scope) -> MakeTest:
    make_operand = _operand(tree.operand, scope)
    if all(isinstance(choice, Value) for choice in tree.choices):
        names = [choice.name for choice in tree.choices if isinstance(choice, Value)]

        def make(values: Values) -> Test:
            find, choices = make_operand(values), [values[name] for name in names]
            return lambda item: find(item) in choices

        return make
    makers = [_operand(choice, scope) for choice in tree.choices]

    def make_general(values: Values) -> Test:
        find, finders = make_operand(values), [maker(values) for maker in makers]
        return lambda item: any(same(find(item), finder(item)) for finder in finders)

    return make_general


def _call(call: Call, scope: Scope) -> MakeTest:
    makers = [_operand(operand, scope) for operand in call.operands]
    match call.function:
        case "attribute_exists":
            return lambda values: _exists(makers[0](values))
        case "attribute_not_exists":
            return lambda values: _missing(makers[0](values))
        case "attribute_type":
            return lambda values: _has_type(makers[0](values), makers[1](values))
        case "begins_with":
            return lambda values: _starts_with(makers[0](values), makers[1](values))
        case _:
            return lambda values: _contains(makers[0](values), makers[1](values))


def _exists(find: Getter) -> Test:
    return lambda item: find(item) is not None


def _missing(find: Getter) -> Test:
    return lambda item: find(item) is None


def _has_type(find: Getter, find_type: Getter) -> Test:
    kind = check_type_name(find_type(_NO_ITEM) or {"S": ""})  # a value, so the same for every item
    return lambda item: kind in (find(item) or ())


def _starts_with(find: Getter, find_prefix: Getter) -> Test:
    return lambda item: starts_with(find(item), find_prefix(item))


def _contains(find: Getter, find_element: Getter) -> Test:
    return lambda item: contains(find(item), find_element(item))


def _operand(operand: Operand, scope: Scope) -> MakeGetter:
    match operand:
        case Path():
            find = getter(scope.path(operand))
            return lambda values: find
        case Value(name):
            return lambda values: _constant(values, name)
        case Call(_, operands):
            make_operand = _operand(operands[0], scope)
            return lambda values: _sized(make_operand(values))


def _constant(values: Values, name: str) -> Getter:
    value = values[name]
    return lambda item: value


def _sized(find: Getter) -> Getter:
    return lambda item: size_of(find(item))
