"""The syntax tree of a statement. Every node has its place, because AWS's messages name it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from typing import Literal as OneOf


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a token: line and column from one, and its length in characters."""

    line: int
    column: int
    length: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}:{self.length}"


# -- expressions


@dataclass(frozen=True, slots=True)
class Literal:
    """A scalar. `kind` is S, N, BOOL, NULL or MISSING. A number is still unparsed text."""

    kind: str
    content: Any
    place: Place


@dataclass(frozen=True, slots=True)
class Parameter:
    """A question mark, by its number."""

    position: int
    place: Place


@dataclass(frozen=True, slots=True)
class OddStep:
    """A step of a path that DynamoDB does not have: "[*]", ".*", or any expression in brackets."""

    words: str
    place: Place


@dataclass(frozen=True, slots=True)
class Reference:
    """An attribute, or a path into it."""

    steps: tuple[str | int | OddStep, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    operands: tuple[Node, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator in lower case ("and", "between", "=", "+", …) with its operands. Its place is the
    operator's.
    """

    operator: str
    operands: tuple[Node, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class TypeTest:
    """`operand IS type`; IS NOT has a "not" around it."""

    operand: Node
    type: str
    place: Place


@dataclass(frozen=True, slots=True)
class Sequence:
    """`[…]`, `<<…>>` or `(…, …)`."""

    kind: OneOf["list", "bag", "row"]
    members: tuple[Node, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Struct:
    pairs: tuple[tuple[Node, Node], ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Unsupported:
    """PartiQL that DynamoDB does not support (CASE, CAST, subqueries, …), by AWS's word for it."""

    word: str
    place: Place


Node = (
    Literal | Parameter | Reference | Call | Operation | TypeTest | Sequence | Struct | Unsupported
)

# -- statements


@dataclass(frozen=True, slots=True)
class Source:
    """The part after FROM, INTO or UPDATE."""

    node: Node
    aliased: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Ordering:
    node: Node
    descending: bool


@dataclass(frozen=True, slots=True)
class Projected:
    node: Node
    aliased: bool


@dataclass(frozen=True, slots=True)
class Select:
    """`projection` is None for "*". `refusal` is AWS's message for the first unsupported clause."""

    projection: tuple[Projected, ...] | None
    source: Source
    where: Node | None
    order: tuple[Ordering, ...]
    refusal: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class Insert:
    source: Source
    value: Node
    refusal: str | None


@dataclass(frozen=True, slots=True)
class Assignment:
    """SET target = value; REMOVE has no value."""

    target: Reference
    value: Node | None


@dataclass(frozen=True, slots=True)
class Returning:
    """RETURNING ALL|MODIFIED OLD|NEW *. `refusal` is AWS's message for another form."""

    what: str
    when: str
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Update:
    source: Source
    assignments: tuple[Assignment, ...]
    where: Node | None
    returning: Returning | None


@dataclass(frozen=True, slots=True)
class Delete:
    source: Source
    where: Node | None
    returning: Returning | None


@dataclass(frozen=True, slots=True)
class Exists:
    """EXISTS(SELECT …), which is only allowed in a transaction of writes."""

    select: Select


@dataclass(frozen=True, slots=True)
class Other:
    """A statement that DynamoDB does not support. `calls`: AWS treats it like an EXISTS."""

    word: str
    calls: bool = False


Statement = Select | Insert | Update | Delete | Exists | Other


def kind_of(node: Node) -> str:
    """AWS's name for a node in its messages."""
    match node:
        case Literal():
            return "Literal"
        case Parameter():
            return "Parameter"
        case Reference(steps):
            return "VariableReference" if len(steps) == 1 else "Path"
        case Call() | Operation():
            return "NAry"
        case TypeTest():
            return "Typed"
        case Sequence():
            return "Seq"
        case Struct():
            return "Struct"
        case Unsupported(word):
            return word
