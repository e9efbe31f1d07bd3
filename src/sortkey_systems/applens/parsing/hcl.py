"""Parser of HCL, Terraform's native syntax: recursive descent with precedence climbing."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from sortkey_systems.applens.parsing import syntax as s
from sortkey_systems.applens.parsing.tokens import Hole, Part, Token, parts_of, tokens_of

_PRECEDENCE = {
    "||": 1,
    "&&": 2,
    "==": 3,
    "!=": 3,
    "<": 4,
    ">": 4,
    "<=": 4,
    ">=": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "%": 6,
}
DEPTH_MAX = 100
"""Nested brackets, blocks, calls and templates."""
CHAIN_MAX = 250
"""Operators, or steps as in `a.b[0].c`, in sequence."""
DIGITS_MAX = 400
"""Digits of a number. Terraform has 512 bits and an exponent."""
_NAMES_OF_KINDS = {
    "newline": "the end of the line",
    "end": "the end",
    "name": "a name",
    "number": "a number",
    "text": "a text",
    "template": "a template",
}
_WORDS = {"true": True, "false": False, "null": None}


def parse(text: str, file: str = "") -> s.Body:
    """The body of a `.tf` or `.tfvars` file. Raises `HclError` with the line."""
    return _Parser(tokens_of(text), file).body("end")


def parse_template(text: str) -> s.Expression:
    """A string of `.tf.json`, which is a template."""
    return _template(parts_of(text)) if "${" in text or "%{" in text else s.Literal(text)


def parse_expression(text: str) -> s.Expression:
    """A standalone expression."""
    return _parsed([token for token in tokens_of(text) if token.kind != "newline"])


def _parsed(tokens: list[Token], depth: int = 0) -> s.Expression:
    parser = _Parser(tokens, depth=depth)
    parsed = parser.expression()
    parser.expect("end")
    return parsed


def _template(parts: Sequence[Part], depth: int = 0) -> s.Expression:
    template = [part if isinstance(part, str) else _hole(part, depth) for part in parts]
    if all(isinstance(part, str) for part in template):
        return s.Literal("".join(part for part in template if isinstance(part, str)))
    if (
        len(template) == 1
        and isinstance(template[0], s.Expression)
        and not isinstance(template[0], s.Directive)
    ):
        return template[0]  # "${x}" is x, not its text
    return s.Template(template)


def _hole(hole: Hole, depth: int) -> s.Expression:
    tokens = [token for token in hole.tokens if token.kind != "~"]
    if hole.mark == "$":
        return _parsed(tokens, depth)
    keyword = str(tokens[0].value)
    if keyword == "if":
        return s.Directive(keyword, _parsed(tokens[1:], depth))
    if keyword == "for":
        at = next((i for i, token in enumerate(tokens) if token.value == "in"), len(tokens) - 2)
        return s.Directive(keyword, _parsed(tokens[at + 1 :], depth))
    return s.Directive(keyword, None)


class _Parser:
    def __init__(self, tokens: list[Token], file: str = "", depth: int = 0) -> None:
        self.tokens = tokens
        self.at = 0
        self.file = file
        self.depth = depth
        self.flat = 0  # newlines are ignored inside brackets

    def kind(self) -> str:
        if self.flat:
            self.skip_lines()
        return self.tokens[self.at].kind

    def skip_lines(self) -> None:
        while self.tokens[self.at].kind == "newline":
            self.at += 1

    def take(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def accept(self, kind: str) -> bool:
        if self.kind() == kind:
            self.at += 1
            return True
        return False

    def expect(self, kind: str) -> Token:
        if self.kind() != kind:
            raise self.wrong(f"{kind!r} is missing before")
        return self.take()

    def wrong(self, what: str) -> s.HclError:
        """The token is named by its kind, because its text may be a secret."""
        token = self.tokens[min(self.at, len(self.tokens) - 1)]
        return s.HclError(f"{what} {_NAMES_OF_KINDS.get(token.kind, token.kind)}", token.line)

    def body(self, closing: str, opening_line: int = 0) -> s.Body:
        body, flat, self.flat = s.Body(), self.flat, 0
        while True:
            self.skip_lines()
            if self.kind() == closing:
                self.take()
                self.flat = flat
                return body
            if self.kind() == "end":
                raise s.HclError(
                    f"the block opened on line {opening_line} is not closed", opening_line
                )
            if self.kind() not in ("name", "text"):
                raise self.wrong("an argument or a block should stand at")
            self._member(body)

    def _member(self, body: s.Body) -> None:
        name = self.take()
        word = str(name.value)
        if self.accept("="):
            if word in body.arguments:
                raise s.HclError(f"the argument {word!r} is given twice", name.line)
            body.arguments[word] = s.Argument(self.expression(), name.line)
            if self.kind() not in ("newline", "end", "}"):
                raise self.wrong(f"the argument {word!r} should end before")
            return
        labels: list[str] = []
        while self.kind() in ("name", "text"):
            self._longer(len(labels))
            labels.append(str(self.take().value))
        self.expect("{")
        with_depth = self._deeper()
        body.blocks.append(s.Block(word, labels, self.body("}", name.line), name.line, self.file))
        self.depth = with_depth

    def _deeper(self) -> int:
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise self.wrong(f"nested more than {DEPTH_MAX} deep at")
        return self.depth - 1

    def _longer(self, length: int) -> int:
        if length >= CHAIN_MAX:
            raise self.wrong(f"more than {CHAIN_MAX} operators or steps in a row at")
        return length + 1

    def expression(self) -> s.Expression:
        depth = self._deeper()
        condition = self._binary(1)
        if self.accept("?"):
            self.flat += 1
            then = self.expression()
            self.expect(":")
            self.kind()
            self.flat -= 1
            condition = s.Conditional(condition, then, self.expression())
        self.depth = depth
        return condition

    def _binary(self, lowest: int) -> s.Expression:
        left = self._unary()
        length = 0
        while (strength := _PRECEDENCE.get(self.kind(), 0)) >= lowest:
            length = self._longer(length)
            operator = self.take().kind
            self.skip_lines()
            left = s.Binary(operator, left, self._binary(strength + 1))
        return left

    def _unary(self) -> s.Expression:
        if self.kind() in ("-", "!"):
            operator = self.take().kind
            depth = self._deeper()
            operation = s.Unary(operator, self._unary())
            self.depth = depth
            return operation
        return self._steps(self._term())

    def _term(self) -> s.Expression:
        kind = self.kind()
        token = self.take()
        if kind == "text":
            return s.Literal(token.value)
        if kind == "template" and not isinstance(token.value, str):
            return _template(token.value, self.depth)
        if kind == "number":
            return s.Literal(self._number(str(token.value), token.line))
        if kind == "name":
            word = str(token.value)
            if self.tokens[self.at].kind == "(":
                return self._call(word)
            return s.Literal(_WORDS[word]) if word in _WORDS else s.Name(word)
        if kind in ("(", "[", "{"):
            return self._bracket(kind)
        self.at -= 1
        raise self.wrong("a value should stand at")

    def _number(self, text: str, line: int) -> int | float:
        if len(text) > DIGITS_MAX or not isfinite(float(text)):
            raise s.HclError(f"the number {text[:20]}… is too large", line)
        return int(text) if text.isdigit() else float(text)

    def _bracket(self, kind: str) -> s.Expression:
        self.flat += 1
        if kind == "(":
            inner = self.expression()
            self._close(")")
        elif self.kind() == "name" and self.tokens[self.at].value == "for":
            inner = self._for(kind)
        elif kind == "[":
            inner = s.Tuple(self._list("]"))
        else:
            inner = self._object()
        return inner

    def _close(self, kind: str) -> None:
        """The position after the closing bracket. Newlines count again from there."""
        if self.kind() != kind:
            raise self.wrong(f"{kind!r} is missing before")
        self.flat -= 1
        self.at += 1

    def _list(self, closing: str) -> list[s.Expression]:
        items: list[s.Expression] = []
        while self.kind() != closing:
            items.append(self.expression())
            if not self.accept(","):
                break
        self._close(closing)
        return items

    def _call(self, function: str) -> s.Expression:
        self.take()
        self.flat += 1
        arguments: list[s.Expression] = []
        expand = False
        while self.kind() != ")":
            arguments.append(self.expression())
            expand = self.accept("...")
            if expand or not self.accept(","):
                break
        self._close(")")
        return s.Call(function, arguments, expand)

    def _object(self) -> s.Expression:
        items: list[tuple[s.Expression, s.Expression]] = []
        flat, self.flat = self.flat, 0
        self.skip_lines()
        while self.kind() != "}":
            name = self._key()
            if not self.accept("=") and not self.accept(":"):
                raise self.wrong("'=' is missing before")
            self.skip_lines()
            items.append((name, self.expression()))
            if self.kind() not in (",", "newline", "}"):
                raise self.wrong("',' is missing before")
            self.accept(",")
            self.skip_lines()
        self.flat = flat
        self._close("}")
        return s.Object(items)

    def _key(self) -> s.Expression:
        token = self.tokens[self.at]
        if token.kind == "name" and self.tokens[self.at + 1].kind in ("=", ":"):
            self.at += 1
            return s.Literal(token.value)
        return self._binary(1)

    def _for(self, kind: str) -> s.Expression:
        self.take()
        names = [str(self.expect("name").value)]
        while self.accept(","):
            names.append(str(self.expect("name").value))
        if self.expect("name").value != "in":
            raise self.wrong("'in' is missing before")
        over = self.expression()
        self.expect(":")
        first, value = self.expression(), None
        if kind == "{":
            self.expect("=>")
            value = self.expression()
        grouped = self.accept("...")
        condition = None
        if self.kind() == "name" and self.tokens[self.at].value == "if":
            self.take()
            condition = self.expression()
        self._close("}" if kind == "{" else "]")
        return s.For(names, over, first if value else None, value or first, condition, grouped)

    def _steps(self, expression: s.Expression) -> s.Expression:
        """What follows a term: `.name`, `.0`, `[key]`, `[*]`, `.*`."""
        length = 0
        while True:
            length = self._longer(length)
            step = self._step()
            if step is None:
                return expression
            if step == "*":
                return s.Splat(expression, self._splat_steps())
            expression = (
                s.Attribute(expression, step)
                if isinstance(step, str)
                else s.Index(expression, step)
            )

    def _splat_steps(self) -> list[str | s.Expression]:
        steps: list[str | s.Expression] = []
        while (step := self._step()) is not None:
            self._longer(len(steps))
            steps.append(step)
        return steps

    def _step(self) -> str | s.Expression | None:
        kind = self.kind()
        if kind == ".":
            self.take()
            if self.accept("*"):
                return "*"
            if self.kind() == "number":
                return s.Literal(int(str(self.take().value).split(".")[0]))
            return str(self.expect("name").value)
        if kind != "[":
            return None
        self.take()
        self.flat += 1
        if self.kind() == "*":
            self.take()
            self._close("]")
            return "*"
        key = self.expression()
        self._close("]")
        return key
