"""Statements: SELECT, INSERT, UPDATE, DELETE, EXISTS, and PartiQL that DynamoDB does not support.
Each text is parsed once.
"""

from __future__ import annotations

from functools import lru_cache

from sortkey.engine.partiql.grammar import ExpressionParser
from sortkey.engine.partiql.syntax import (
    Assignment,
    Call,
    Delete,
    Exists,
    Insert,
    Node,
    Operation,
    Ordering,
    Other,
    Place,
    Projected,
    Reference,
    Returning,
    Select,
    Source,
    Statement,
    Unsupported,
    Update,
    kind_of,
)
from sortkey.engine.partiql.tokens import END, NAME
from sortkey.errors import ValidationException
from sortkey.expressions.grammar import OPERATORS_MAX, TOO_MANY_OPERATORS

STAR_EXPECTED = "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause"
ONE_RETURNING = "Invalid syntax with multiple returning elements in RETURNING clause"
HIERARCHY = "Changing item's hierarchy while reading isn't supported"


@lru_cache(maxsize=1024)
def parse(statement: str) -> Statement:
    """The tree of a statement. Raises ValidationException if it is not PartiQL."""
    parser = _StatementParser(statement)
    tree = parser.statement_tree()
    parser.accept(";")
    parser.expect(END)
    if parser.operators > OPERATORS_MAX:
        raise ValidationException(TOO_MANY_OPERATORS)
    return tree


class _StatementParser(ExpressionParser):
    def statement_tree(self) -> Statement:
        match self.kind:
            case "select":
                return self._select()
            case "insert":
                return self._insert()
            case "update":
                return self._update()
            case "delete":
                return self._delete()
            case "from":
                return self._from_update()
            case "exists":
                return self._exists_statement()
            case "drop" | "create" | "exec":
                return self._definition()
            case _:
                return _other(self.expression())

    # -- SELECT

    def _select(self) -> Select:
        place = self.expect("select").place
        refusal = "Unsupported token in expression: DISTINCT" if self.accept("distinct") else None
        self.accept("all")
        projection = None
        if self.accept("value"):
            self.expression()
            refusal = refusal or "Select projection doesn't support value or pivot keywords"
        elif not self.accept("*"):
            projection = self._projection()
        self.expect("from")
        source = self._source(joins=True)
        if self.accept("let"):
            self._let()
        where = self.expression() if self.accept("where") else None
        refusal = self._grouping(refusal)
        order = self._order() if self.accept("order") else ()
        refusal = self._limit(refusal)
        return Select(projection, source, where, order, refusal, place)

    def subquery(self) -> Node:
        return Unsupported("SELECT", self._select().place)

    def _projection(self) -> tuple[Projected, ...]:
        projected = [self._projected()]
        while self.accept(","):
            projected.append(self._projected())
        return tuple(projected)

    def _projected(self) -> Projected:
        if self.kind == "*":
            raise self.fail()
        node = self.expression()
        if isinstance(node, Reference) and "[*]" in self.statement and _has_wildcard(node):
            raise self.fail()
        if self.accept("as"):
            self.expect(NAME)
            return Projected(node, aliased=True)
        return Projected(node, aliased=self.accept(NAME) is not None)

    def _let(self) -> None:
        while True:
            self.expression()
            self.expect("as")
            self.expect(NAME)
            if not self.accept(","):
                return

    def _grouping(self, refusal: str | None) -> str | None:
        if self.accept("group"):
            self.expect("by")
            self.expression()
            while self.accept(","):
                self.expression()
            refusal = refusal or "Unsupported clause: GROUP BY"
        if self.accept("having"):
            refusal = self._unsupported_clause("HAVING", refusal)
        return refusal

    def _limit(self, refusal: str | None) -> str | None:
        if self.accept("limit"):
            refusal = self._unsupported_clause("LIMIT", refusal)
        return refusal

    def _unsupported_clause(self, word: str, refusal: str | None) -> str:
        place = self.token.place
        self.expression()
        return refusal or f"Unsupported clause: {word} at {place}"

    def _order(self) -> tuple[Ordering, ...]:
        self.expect("by")
        ordering: list[Ordering] = []
        while True:
            node = self.expression()
            direction = self.accept("asc", "desc")
            ordering.append(Ordering(node, direction is not None and direction.kind == "desc"))
            if not self.accept(","):
                return tuple(ordering)

    def _source(self, *, joins: bool) -> Source:
        joined = joins and self.accept("unpivot") is not None
        node = self.expression() if joins else self.path_or_primary()
        aliased = self._alias()
        while joins and self.kind in (",", "join", "inner", "left", "right", "full", "cross"):
            joined = True
            self._join()
        return Source(node, aliased, joined)

    def _alias(self) -> bool:
        aliased = False
        for word in ("as", "at", "by"):
            if self.accept(word):
                self.expect(NAME)
                aliased = True
            elif word == "as" and self.accept(NAME):
                aliased = True
        return aliased

    def _join(self) -> None:
        if self.accept(","):
            self.path_or_primary()
            self._alias()
            return
        crossed = self.accept("cross")
        self.accept("inner", "left", "right", "full")
        self.accept("outer")
        self.expect("join")
        self.path_or_primary()
        self._alias()
        if not crossed:
            self.expect("on")
            self.expression()

    # -- INSERT

    def _insert(self) -> Statement:
        place = self.expect("insert").place
        self.expect("into")
        source = Source(self.plain_path())
        if not self.accept("value"):
            self.expression()
            return Other("InsertOp")
        value = self.expression()
        return Insert(source, value, self._insert_clauses(place))

    def _insert_clauses(self, place: Place) -> str | None:
        refusal = None
        if self.accept("at"):
            self.expression()
            refusal = f"AT is not supported in insert statements. at {place}"
        if self.accept("on"):
            self.expect("conflict")
            self.expect("where")
            self.expression()
            self.expect("do")
            self.expect("nothing")
            refusal = refusal or "Unsupported clause: ON CONFLICT"
        if self._returning() is not None:
            refusal = refusal or "RETURNING is not supported in INSERT"
        return refusal

    # -- UPDATE and DELETE

    def _update(self) -> Statement:
        self.expect("update")
        source = self._source(joins=False)
        assignments = self._assignments()
        where = self.expression() if self.accept("where") else None
        return Update(source, assignments, where, self._returning())

    def _from_update(self) -> Statement:
        """FROM table WHERE … SET …, the older spelling of an update."""
        self.expect("from")
        source = self._source(joins=False)
        where = self.expression() if self.accept("where") else None
        return Update(source, self._assignments(), where, self._returning())

    def _assignments(self) -> tuple[Assignment, ...]:
        assignments: list[Assignment] = []
        while token := self.accept("set", "remove"):
            if token.kind == "remove":
                assignments.append(Assignment(self.plain_path(), None))
                continue
            assignments.append(self._assignment())
            while self.accept(","):
                assignments.append(self._assignment())
        if not assignments:
            raise self.fail()
        return tuple(assignments)

    def _assignment(self) -> Assignment:
        target = self.plain_path()
        self.expect("=")
        return Assignment(target, self.expression())

    def _delete(self) -> Statement:
        self.expect("delete")
        self.expect("from")
        source = self._source(joins=False)
        where = self.expression() if self.accept("where") else None
        return Delete(source, where, self._returning())

    def _returning(self) -> Returning | None:
        if not self.accept("returning"):
            return None
        elements: list[Returning] = []
        while True:
            what = self.expect("all", "modified").kind.upper()
            when = self.expect("old", "new").kind.upper()
            refusal = None
            if not self.accept("*"):
                self.expression()
                refusal = STAR_EXPECTED
            elements.append(Returning(what, when, refusal))
            if not self.accept(","):
                break
        first = elements[0]
        return first if len(elements) == 1 else Returning(first.what, first.when, ONE_RETURNING)

    # -- the rest

    def _exists_statement(self) -> Statement:
        start = self.position
        self.take()
        self.expect("(")
        if self.kind == "select":
            select = self._select()
            if self.accept(")") and self.tokens[self.position].kind in (END, ";"):
                return Exists(select)
        self.position = start
        return _other(self.expression())

    def _definition(self) -> Statement:
        word = self.take().kind
        if word == "exec":
            self.expect(NAME)
            while self.kind not in (END, ";"):
                self.take()
            return Other("Exec")
        what = self.expect("table", "index").kind.capitalize()
        while self.kind not in (END, ";"):
            self.take()
        return Other(word.capitalize() + what)


def _other(node: Node) -> Statement:
    """An expression is not a statement. AWS treats calls and operators like an EXISTS."""
    return Other(kind_of(node), calls=isinstance(node, Call | Operation | Unsupported))


def _has_wildcard(node: Reference) -> bool:
    return any(
        not isinstance(step, str | int) and step.words.startswith("Wildcard") for step in node.steps
    )
