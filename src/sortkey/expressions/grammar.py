"""The grammar: tokens to syntax trees. It does not know functions, reserved words or placeholders.

Recursive rules keep their own stack, so that no expression is too deep for Python's.

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
from sortkey.expressions.tokens import (
    ALIAS,
    COMPARATORS,
    END,
    INDEX,
    NAME,
    VALUE,
    syntax_error,
    tokenize,
)

EXPRESSION_BYTES_MAX = 4096
OPERATORS_MAX = 300
# AWS stops counting at the first that is too many.
TOO_MANY_OPERATORS = (
    f"The expression contains too many operators; operator count: {OPERATORS_MAX + 1}"
)

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
        raise Fault(
            f"Expression size has exceeded the maximum allowed size; expression size: {size}"
        )
    parser = _Parser(text)
    tree = rule(parser)
    parser.expect(END)
    return tree


class _Group:
    """A condition that is being read, in parentheses that open at `start`. If that is None, it is
    the whole condition.
    """

    __slots__ = ("_alternatives", "_start", "_terms", "negations")

    def __init__(self, start: int | None = None) -> None:
        self._start = start
        self._alternatives: list[Condition] = []
        self._terms: list[Condition] = []
        self.negations = 0

    @property
    def start(self) -> int:
        assert self._start is not None
        return self._start

    @property
    def is_empty(self) -> bool:
        """Whether it is in parentheses that are still empty."""
        return self._start is not None and not (self.negations or self._terms or self._alternatives)

    def add(self, term: Condition) -> None:
        for _ in range(self.negations):
            term = Not(term)
        self.negations = 0
        self._terms.append(term)

    def end_alternative(self) -> None:
        self._alternatives.append(
            self._terms[0] if len(self._terms) == 1 else And(tuple(self._terms))
        )
        self._terms = []

    def tree(self) -> Condition:
        return (
            self._alternatives[0] if len(self._alternatives) == 1 else Or(tuple(self._alternatives))
        )


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.position = 0
        self.kind = self.tokens[0].kind
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
        start = self.position
        self.expect("(")
        return start

    def close_group(self, start: int) -> None:
        end = self.position
        self.expect(")")
        self._closed_by[start] = end
        if self._closed_by.get(start + 1) == end - 1:
            raise Fault("The expression has redundant parentheses;")

    # Conditions

    def condition(self) -> Condition:
        """Open groups are on a list, not on Python's stack: there may be a thousand at once."""
        outer: list[_Group] = []
        group = _Group()
        while True:
            while self.kind == "NOT":
                self.take()
                group.negations += 1
            if self.kind == "(":
                outer.append(group)
                group = _Group(self.open_group())
                continue
            term = self._test(self._bare_operand(), group)
            while (tree := self._closed(group, term)) is not None:
                if not outer:
                    assert not isinstance(
                        tree, Path | Value
                    )  # outside of parentheses, `_test` refuses these
                    return tree
                self.close_group(group.start)
                group = outer.pop()
                # "(a)" in "(a) = :v" turns out to be an operand, and so may a call in parentheses.
                term = self._test(tree, group) if isinstance(tree, Path | Value | Call) else tree

    def _closed(self, group: _Group, term: Condition | Operand) -> Condition | Operand | None:
        """The complete group if `term` is its last one. None if another term follows."""
        if isinstance(term, Path | Value):
            return term
        group.add(term)
        if self.kind == "AND":
            self.take()
            return None
        group.end_alternative()
        if self.kind == "OR":
            self.take()
            return None
        return group.tree()

    def _test(self, operand: Operand, group: _Group) -> Condition | Operand:
        """The test that starts with an operand, or the operand itself if its group has nothing
        else.
        """
        if self.kind in COMPARATORS:
            return Comparison(self.take(), operand, self.operand())
        if self.kind == "BETWEEN":
            return self._between(operand)
        if self.kind == "IN":
            return self._membership(operand)
        if isinstance(operand, Call) or (self.kind == ")" and group.is_empty):
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
        return self._operand(groups=True)

    def _bare_operand(self) -> Operand:
        """An operand without parentheses. The operands of its calls may have them."""
        return self._operand(groups=False)

    def _operand(self, groups: bool) -> Operand:
        """Open groups and calls are on a list: the place of a parenthesis, or a function and its
        operands.
        """
        outer: list[int | tuple[str, list[Operand]]] = []
        while True:
            if self.kind == "(" and (groups or outer):
                outer.append(self.open_group())
                continue
            if self.kind == NAME and self.tokens[self.position + 1].kind == "(":
                outer.append((self.take(), []))
                self.take()
                continue
            operand: Operand = Value(self.take()) if self.kind == VALUE else self.path()
            while outer:
                match outer[-1]:
                    case int() as start:
                        self.close_group(start)
                    case (function, operands):
                        operands.append(operand)
                        if self.kind == ",":
                            self.take()
                            break
                        self.expect(")")
                        operand = Call(function, tuple(operands))
                outer.pop()
            else:
                return operand

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
        action = {
            "SET": self._set,
            "REMOVE": self._remove,
            "ADD": self._add,
            "DELETE": self._delete,
        }.get(keyword)
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
        open_groups: list[int] = []
        while self.kind == "(":
            open_groups.append(self.open_group())
        operand: Operand | Arithmetic = self._bare_operand()
        while True:
            if self.kind in ("+", "-") and not isinstance(operand, Arithmetic):
                operand = Arithmetic(self.take(), operand, self.operand())
            if not open_groups:
                return operand
            self.close_group(open_groups.pop())

    def _separated(self, rule: Callable[[], _Element]) -> tuple[_Element, ...]:
        elements = [rule()]
        while self.kind == ",":
            self.take()
            elements.append(rule())
        return tuple(elements)
