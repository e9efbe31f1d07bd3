"""The one grammar: tokens to syntax trees, by recursive descent. It knows no function, reserved word or placeholder.

condition   = conjunction { OR conjunction }          conjunction = negation { AND negation }
negation    = NOT negation | test | "(" condition ")"
test        = operand comparator operand | operand BETWEEN operand AND operand
            | operand IN "(" operand { "," operand } ")" | call
operand     = path | value | call | "(" operand ")"
call        = name "(" operand { "," operand } ")"
path        = name { "." name | "[" index "]" }
projection  = path { "," path }
update      = section { section }
section     = SET path "=" sum { "," … } | REMOVE path { "," … } | ADD path value { "," … } | DELETE path value …
sum         = operand [ ("+" | "-") operand ] | "(" sum ")"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sortkey.expressions.faults import Fault
from sortkey.expressions.syntax import (
    Action,
    And,
    Arithmetic,
    Between,
    Call,
    Comparison,
    Condition,
    Membership,
    Not,
    Operand,
    Or,
    Path,
    Projection,
    Section,
    Update,
    Value,
)
from sortkey.expressions.tokens import ALIAS, COMPARATORS, END, INDEX, NAME, VALUE, syntax_error, tokenize

EXPRESSION_BYTES_MAX = 4096
OPERATORS_MAX = 300
# AWS stops counting at the first that is too many.
TOO_MANY_OPERATORS = f"The expression contains too many operators; operator count: {OPERATORS_MAX + 1}"
# Deeper parentheses hold no more than 300 operators only when some of them are redundant.
_NESTING_MAX = 320

_REDUNDANT = "The expression has redundant parentheses;"

_OPERATORS = COMPARATORS | {"AND", "OR", "NOT", "BETWEEN", "IN"}

_Tree = TypeVar("_Tree")
_Element = TypeVar("_Element")


def parse_condition(text: str) -> Condition:
    return _parse(text, _Parser.condition)


def parse_projection(text: str) -> Projection:
    return _parse(text, _Parser.projection)


def parse_update(text: str) -> Update:
    return _parse(text, _Parser.update)


def _parse(text: str, rule: Callable[[_Parser], _Tree]) -> _Tree:
    if not text:
        raise Fault("The expression can not be empty;")
    size = len(text.encode())
    if size > EXPRESSION_BYTES_MAX:
        raise Fault(f"Expression size has exceeded the maximum allowed size; expression size: {size}")
    parser = _Parser(text)
    tree = rule(parser)
    parser.expect(END)
    return tree


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.position = 0
        self.kind = self.tokens[0].kind
        self._open = 0
        self._closed_by: dict[int, int] = {}

    def fail(self) -> Fault:
        return syntax_error(self.text, self.tokens, self.position)

    def take(self) -> str:
        text = self.tokens[self.position].text
        if self.kind != END:
            self.position += 1
            self.kind = self.tokens[self.position].kind
        return text

    def expect(self, kind: str) -> str:
        if self.kind != kind:
            raise self.fail()
        return self.take()

    def open_group(self) -> int:
        self._open += 1
        if self._open > _NESTING_MAX:
            raise self._too_deep()
        start = self.position
        self.expect("(")
        return start

    def close_group(self, start: int) -> None:
        end = self.position
        self.expect(")")
        self._open -= 1
        self._closed_by[start] = end
        if self._closed_by.get(start + 1) == end - 1:
            raise Fault(_REDUNDANT)

    def _too_deep(self) -> Fault:
        operators = sum(token.kind in _OPERATORS for token in self.tokens)
        return Fault(TOO_MANY_OPERATORS if operators > OPERATORS_MAX else _REDUNDANT)

    # Conditions

    def condition(self) -> Condition:
        tree = self._condition_or_operand(grouped=False)
        assert not isinstance(tree, Path | Value)  # an operand alone is a syntax error outside of parentheses
        return tree

    def _condition_or_operand(self, grouped: bool) -> Condition | Operand:
        """A condition; or, where the parentheses around it are those of an operand, as in "(a) = :v", the operand."""
        alternatives: list[Condition] = []
        terms: list[Condition] = []
        while True:
            negations = 0
            while self.kind == "NOT":
                self.take()
                negations += 1
            alone = grouped and not (negations or terms or alternatives)
            term = self._test(alone)
            if isinstance(term, Path | Value):
                return term
            for _ in range(negations):
                term = Not(term)
            terms.append(term)
            if self.kind == "AND":
                self.take()
                continue
            alternatives.append(terms[0] if len(terms) == 1 else And(tuple(terms)))
            terms = []
            if self.kind != "OR":
                return alternatives[0] if len(alternatives) == 1 else Or(tuple(alternatives))
            self.take()

    def _test(self, alone: bool) -> Condition | Operand:
        if self.kind == "(":
            start = self.open_group()
            tree = self._condition_or_operand(grouped=True)
            self.close_group(start)
            if not isinstance(tree, Path | Value | Call):
                return tree
            operand = tree
        else:
            operand = self._simple_operand()
        if self.kind in COMPARATORS:
            return Comparison(self.take(), operand, self.operand())
        if self.kind == "BETWEEN":
            return self._between(operand)
        if self.kind == "IN":
            return self._membership(operand)
        if isinstance(operand, Call) or (alone and self.kind == ")"):
            return operand
        raise self.fail()

    def _between(self, operand: Operand) -> Between:
        self.take()
        low = self.operand()
        self.expect("AND")
        return Between(operand, low, self.operand())

    def _membership(self, operand: Operand) -> Membership:
        self.take()
        self.expect("(")
        choices = self._separated(self.operand)
        self.expect(")")
        return Membership(operand, choices)

    # Operands

    def operand(self) -> Operand:
        if self.kind != "(":
            return self._simple_operand()
        start = self.open_group()
        operand = self.operand()
        self.close_group(start)
        return operand

    def _simple_operand(self) -> Operand:
        if self.kind == VALUE:
            return Value(self.take())
        if self.kind == NAME and self.tokens[self.position + 1].kind == "(":
            function = self.take()
            self.take()
            operands = self._separated(self.operand)
            self.expect(")")
            return Call(function, operands)
        return self.path()

    def path(self) -> Path:
        parts: list[str | int] = [self._name()]
        while True:
            if self.kind == ".":
                self.take()
                parts.append(self._name())
            elif self.kind == "[":
                self.take()
                parts.append(int(self.expect(INDEX)))
                self.expect("]")
            else:
                return Path(tuple(parts))

    def _name(self) -> str:
        if self.kind not in (NAME, ALIAS):
            raise self.fail()
        return self.take()

    # Projections and updates

    def projection(self) -> Projection:
        return Projection(self._separated(self.path))

    def update(self) -> Update:
        sections = [self._section()]
        while self.kind != END:
            sections.append(self._section())
        return Update(tuple(sections))

    def _section(self) -> Section:
        keyword = self.kind
        action = {"SET": self._set, "REMOVE": self._remove, "ADD": self._add, "DELETE": self._delete}.get(keyword)
        if action is None:
            raise self.fail()
        self.take()
        return Section(keyword, self._separated(action))

    def _set(self) -> Action:
        path = self.path()
        self.expect("=")
        return Action("SET", path, self._sum())

    def _remove(self) -> Action:
        return Action("REMOVE", self.path())

    def _add(self) -> Action:
        return Action("ADD", self.path(), Value(self.expect(VALUE)))

    def _delete(self) -> Action:
        return Action("DELETE", self.path(), Value(self.expect(VALUE)))

    def _sum(self) -> Operand | Arithmetic:
        if self.kind == "(":
            start = self.open_group()
            left = self._sum()
            self.close_group(start)
            if isinstance(left, Arithmetic):
                return left
        else:
            left = self._simple_operand()
        if self.kind in ("+", "-"):
            return Arithmetic(self.take(), left, self.operand())
        return left

    def _separated(self, rule: Callable[[], _Element]) -> tuple[_Element, ...]:
        elements = [rule()]
        while self.kind == ",":
            self.take()
            elements.append(rule())
        return tuple(elements)
