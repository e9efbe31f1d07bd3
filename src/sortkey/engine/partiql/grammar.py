"""Expressions of PartiQL, by recursive descent. It accepts more than DynamoDB does: PartiQL that
DynamoDB does not support is refused later, with a different message than a syntax error.

    or > and > not > = <> < <= > >= IS IN BETWEEN LIKE > || > + - > * / % > sign > path > primary

Depth is limited here, so that later walks over the tree can use recursion.
"""

from __future__ import annotations

from sortkey.engine.partiql.keywords import FUNCTIONS, TYPES
from sortkey.engine.partiql.syntax import (
    Call,
    Literal,
    Node,
    OddStep,
    Operation,
    Parameter,
    Place,
    Reference,
    Sequence,
    Struct,
    TypeTest,
    Unsupported,
)
from sortkey.engine.partiql.tokens import END, ION, NAME, NUMBER, STRING, Token, malformed, tokenize
from sortkey.errors import ValidationException

# A statement of 8 KB could hold thousands of parentheses, more than Python's stack; items nest 32
# levels at most.
NESTING_MAX = 40

_PRECEDENCE = {"||": 1, "+": 2, "-": 2, "*": 3, "/": 3, "%": 3}

WILDCARD = "Wildcard path component like a[*].b are not supported"
UNPIVOT = "Unpivot path component like a.*.b are not supported"
UNEXPECTED_STEP = "Unexpected path component"


class ExpressionParser:
    def __init__(self, statement: str) -> None:
        self.statement = statement
        self.tokens = tokenize(statement)
        self.position = 0
        self.parameters = 0
        self._depth = 0
        self.operators = 0

    # -- tokens

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    @property
    def kind(self) -> str:
        return self.tokens[self.position].kind

    def fail(self) -> ValidationException:
        return malformed(self.statement)

    def take(self) -> Token:
        token = self.token
        if token.kind != END:
            self.position += 1
        return token

    def expect(self, *kinds: str) -> Token:
        if self.kind not in kinds:
            raise self.fail()
        return self.take()

    def accept(self, *kinds: str) -> Token | None:
        return self.take() if self.kind in kinds else None

    # -- operators, loosest first

    def expression(self) -> Node:
        self._depth += 1
        if self._depth > NESTING_MAX:
            raise self.fail()
        terms = [self._conjunction()]
        place = self.token.place
        while self.accept("or"):
            terms.append(self._conjunction())
        self._depth -= 1
        return _joined("or", terms, place)

    def _conjunction(self) -> Node:
        terms = [self._negation()]
        place = self.token.place
        while self.accept("and"):
            terms.append(self._negation())
        return _joined("and", terms, place)

    def _negation(self) -> Node:
        negations: list[Token] = []
        while token := self.accept("not"):
            negations.append(token)
        node = self._comparison()
        for token in reversed(negations):
            node = self._operation(token, node)
        return node

    def _operation(self, token: Token, *operands: Node) -> Node:
        """An operation that can nest without parentheses. `parse` counts these and refuses too
        many.
        """
        self.operators += 1
        return Operation(token.kind, operands, token.place)

    def _comparison(self) -> Node:
        node = self._arithmetic()
        while True:
            if token := self.accept("=", "<>", "<", "<=", ">", ">="):
                node = Operation(token.kind, (node, self._arithmetic()), token.place)
            elif token := self.accept("is"):
                node = self._type_test(node, token)
            elif self.kind in ("in", "between", "like") or self._at_negated_test():
                node = self._test(node)
            else:
                return node

    def _at_negated_test(self) -> bool:
        return self.kind == "not" and self.tokens[self.position + 1].kind in (
            "in",
            "between",
            "like",
        )

    def _test(self, left: Node) -> Node:
        negation = self.accept("not")
        token = self.take()
        if token.kind == "in":
            node = Operation("in", (left, self._choices()), token.place)
        elif token.kind == "between":
            low = self._arithmetic()
            self.expect("and")
            node = Operation("between", (left, low, self._arithmetic()), token.place)
        else:
            pattern = self._arithmetic()
            if self.accept("escape"):
                self._arithmetic()
            node = Operation("like", (left, pattern), token.place)
        return node if negation is None else Operation("not", (node,), negation.place)

    def _choices(self) -> Node:
        """The choices after IN. Only there, one value in parentheses is a row."""
        if self.kind != "(" or self.tokens[self.position + 1].kind == "select":
            return self._arithmetic()
        place = self.take().place
        members = self._separated(")")
        if not members:
            raise self.fail()
        return Sequence("row", members, place)

    def _type_test(self, operand: Node, token: Token) -> Node:
        negation = self.accept("not")
        if self.kind not in TYPES:
            raise self.fail()
        test = TypeTest(operand, TYPES[self.take().kind], token.place)
        return test if negation is None else Operation("not", (test,), negation.place)

    def _arithmetic(self, loosest: int = 1) -> Node:
        """Operators that bind at least as tightly as `loosest`, from left to right."""
        node = self._signed()
        while (precedence := _PRECEDENCE.get(self.kind, 0)) >= loosest:
            node = self._operation(self.take(), node, self._arithmetic(precedence + 1))
        return node

    def _signed(self) -> Node:
        signs: list[Token] = []
        while token := self.accept("-", "+"):
            signs.append(token)
        node = self.path_or_primary()
        for sign in reversed(signs):
            node = self._with_sign(sign, node)
        return node

    def _with_sign(self, sign: Token, node: Node) -> Node:
        if not isinstance(node, Literal) or node.kind != "N":
            return self._operation(sign, node)
        if sign.kind == "+":
            return node
        negated = node.content[1:] if node.content[0] == "-" else "-" + node.content
        return Literal("N", negated, node.place)

    # -- paths

    def path_or_primary(self) -> Node:
        node = self._primary()
        if self.kind not in (".", "["):
            return node
        if not isinstance(node, Reference):
            raise self.fail()
        return self._steps(node, plain=False)

    def plain_path(self) -> Reference:
        """A path of only names and indexes, for targets of updates and projections."""
        token = self.expect(NAME)
        return self._steps(Reference((token.text,), token.place), plain=True)

    def _steps(self, node: Reference, *, plain: bool) -> Reference:
        steps = list(node.steps)
        while token := self.accept(".", "["):
            if token.kind == ".":
                steps.append(self._named_step(plain))
            else:
                steps.append(self._bracketed_step(plain))
                self.expect("]")
        return Reference(tuple(steps), node.place)

    def _named_step(self, plain: bool) -> str | OddStep:
        if self.kind == "*" and not plain:
            return OddStep(UNPIVOT, self.take().place)
        return self.expect(NAME).text

    def _bracketed_step(self, plain: bool) -> str | int | OddStep:
        token = self.token
        if token.kind == "*" and not plain:
            return OddStep(WILDCARD, self.take().place)
        node = self.expression()
        match node:
            case Literal("S", content):
                return content
            case Literal("N", content) if content.isdigit():
                return int(content)
            case _:
                return OddStep(UNEXPECTED_STEP, token.place)

    # -- primaries

    def _primary(self) -> Node:
        token = self.take()
        match token.kind:
            case _ if token.kind == NAME:
                return (
                    self._call(token) if self.kind == "(" else Reference((token.text,), token.place)
                )
            case _ if token.kind == STRING:
                return Literal("S", token.text, token.place)
            case _ if token.kind == NUMBER:
                return Literal("N", token.text, token.place)
            case _ if token.kind == ION:
                return Unsupported("ION", token.place)
            case "true" | "false":
                return Literal("BOOL", token.kind == "true", token.place)
            case "null":
                return Literal("NULL", True, token.place)
            case "missing":
                return Literal("MISSING", None, token.place)
            case "?":
                self.parameters += 1
                return Parameter(self.parameters - 1, token.place)
            case "@":
                return Reference((self.expect(NAME).text,), token.place)
            case _:
                return self._compound(token)

    def _compound(self, token: Token) -> Node:
        match token.kind:
            case "(":
                return self._parenthesised(token.place)
            case "[":
                return Sequence("list", self._separated("]"), token.place)
            case "<<":
                return Sequence("bag", self._separated(">>"), token.place)
            case "{":
                return self._struct(token.place)
            case "case":
                return self._case(token.place)
            case "cast":
                return self._cast()
            case "values":
                if self.kind != "(":
                    raise self.fail()
                return Sequence("bag", (self.expression(),), token.place)
            case "date" | "time":
                return Unsupported("UNKNOWN", self.expect(STRING).place)
            case "exists":
                return self._exists(token)
            case _ if token.kind in FUNCTIONS and self.kind == "(":
                return self._call(token)
            case _:
                raise self.fail()

    def _call(self, name: Token) -> Node:
        self.expect("(")
        if self.kind == "*":  # count(*)
            self.take()
            self.expect(")")
            return Call(name.text.lower(), (), name.place)
        return Call(name.text.lower(), self._separated(")"), name.place)

    def _exists(self, token: Token) -> Node:
        """EXISTS( … ) inside an expression. As a statement it is parsed elsewhere."""
        self.expect("(")
        inner = self.token
        self.expression_or_select()
        self.expect(")")
        return Unsupported("SELECT", inner.place)

    def expression_or_select(self) -> Node:
        if self.kind == "select":
            return self.subquery()
        return self.expression()

    def subquery(self) -> Node:
        raise NotImplementedError  # the parser of statements overrides this

    def _parenthesised(self, place: Place) -> Node:
        if self.kind == "select":
            node = self.subquery()
            self.expect(")")
            return node
        first = self.expression()
        if self.accept(")"):
            return first
        self.expect(",")
        return Sequence("row", (first, *self._separated(")")), place)

    def _separated(self, end: str) -> tuple[Node, ...]:
        if self.accept(end):
            return ()
        nodes = [self.expression_or_select()]
        while self.accept(","):
            nodes.append(self.expression())
        self.expect(end)
        return tuple(nodes)

    def _struct(self, place: Place) -> Node:
        pairs: list[tuple[Node, Node]] = []
        while self.kind != "}":
            key = self.expression()
            self.expect(":")
            pairs.append((key, self.expression()))
            if not self.accept(","):
                break
        self.expect("}")
        return Struct(tuple(pairs), place)

    def _case(self, place: Place) -> Node:
        if self.kind != "when":
            self.expression()
        self.expect("when")
        while True:
            self.expression()
            self.expect("then")
            self.expression()
            if not self.accept("when"):
                break
        if self.accept("else"):
            self.expression()
        self.expect("end")
        return Unsupported("CASE", place)

    def _cast(self) -> Node:
        place = self.expect("(").place
        self.expression()
        self.expect("as")
        self.take()
        self.expect(")")
        return Unsupported("cast", place)


def _joined(operator: str, terms: list[Node], place: Place) -> Node:
    """All terms are operands of one node, however many there are."""
    return terms[0] if len(terms) == 1 else Operation(operator, tuple(terms), place)
