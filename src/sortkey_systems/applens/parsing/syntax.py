"""The syntax tree of Terraform's language: bodies, blocks and expressions. `evaluation` gives it
meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, cast


class HclError(Exception):
    """Text that is not valid HCL, with the line of the first error."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class Expression:
    """Anything that has a value."""

    __slots__ = ()


@dataclass(slots=True)
class Literal(Expression):
    value: Any


@dataclass(slots=True)
class Template(Expression):
    """Text with `${…}` in it. A `%{…}` directive stands as a `Directive`."""

    parts: list[str | Expression]


@dataclass(slots=True)
class Directive(Expression):
    """`%{ if … }` and similar: kept for its references, not run."""

    keyword: str
    operand: Expression | None


@dataclass(slots=True)
class Name(Expression):
    name: str


@dataclass(slots=True)
class Attribute(Expression):
    of: Expression
    name: str


@dataclass(slots=True)
class Index(Expression):
    of: Expression
    key: Expression


@dataclass(slots=True)
class Splat(Expression):
    """`list[*].a.b`: the steps are applied to each element."""

    of: Expression
    steps: list[str | Expression]


@dataclass(slots=True)
class Tuple(Expression):
    items: list[Expression]


@dataclass(slots=True)
class Object(Expression):
    items: list[tuple[Expression, Expression]]


@dataclass(slots=True)
class For(Expression):
    """`[for k, v in over : value if condition]`, or with `{}`, where `key` is given."""

    names: list[str]
    over: Expression
    key: Expression | None
    value: Expression
    condition: Expression | None
    grouped: bool


@dataclass(slots=True)
class Conditional(Expression):
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(slots=True)
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True)
class Unary(Expression):
    operator: str
    operand: Expression


@dataclass(slots=True)
class Call(Expression):
    function: str
    arguments: list[Expression]
    expand: bool


@dataclass(slots=True)
class Argument:
    """`name = expression` in a body."""

    expression: Expression
    line: int


@dataclass(slots=True)
class Body:
    arguments: dict[str, Argument] = field(default_factory=dict[str, Argument])
    blocks: list[Block] = field(default_factory=list["Block"])


@dataclass(slots=True)
class Block:
    type: str
    labels: list[str]
    body: Body
    line: int
    file: str = ""


def texts(node: Any) -> Iterator[str]:
    """The literal texts in a part of the tree, without those in `sensitive(…)`."""
    if isinstance(node, Call) and node.function == "sensitive":
        return
    if isinstance(node, Literal):
        yield from [node.value] if isinstance(node.value, str) else []
    elif isinstance(node, Template):
        for part in node.parts:
            yield from [part] if isinstance(part, str) else texts(part)
    elif isinstance(node, dict):
        for member in cast(dict[Any, Any], node).values():
            yield from texts(member)
    elif isinstance(node, list | tuple):
        for member in cast(list[Any], node):
            yield from texts(member)
    elif is_dataclass(node):
        for member in fields(node):
            yield from texts(getattr(node, member.name))
