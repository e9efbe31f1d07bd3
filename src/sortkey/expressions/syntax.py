"""The syntax trees of the five kinds of expressions, before placeholders are looked up.

Parentheses are not kept. The shape of the tree shows where they were needed, so that a printer can
restore them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Path:
    """A document path. A part is a name, an alias with its "#", or an index into a list."""

    parts: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """A placeholder of a value, with its colon."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Comparison:
    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between:
    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class Membership:
    operand: Operand
    choices: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class And:
    terms: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    terms: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    term: Condition


@dataclass(frozen=True, slots=True)
class Action:
    """One change of an update: `keyword` is SET, REMOVE, ADD or DELETE; only REMOVE has no
    operand.
    """

    keyword: str
    path: Path
    operand: Operand | Arithmetic | None = None


@dataclass(frozen=True, slots=True)
class Section:
    keyword: str
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Update:
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Projection:
    paths: tuple[Path, ...]


Operand = Path | Value | Call
Condition = Comparison | Between | Membership | And | Or | Not | Call
Expression = Condition | Update | Projection
