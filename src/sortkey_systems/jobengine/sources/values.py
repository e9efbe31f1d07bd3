"""The rows of INSERT and COPY statements. Plain literals are read directly, ten times as fast; the
rest by sqlglot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sortkey_systems.jobengine.sources.identifiers import NAME, Qualified, listed, qualified

_OVERRIDING = r"OVERRIDING\s+(?:SYSTEM|USER)\s+VALUE"
_HEAD = re.compile(
    rf"""INSERT\s+(?:IGNORE\s+|OR\s+\w+\s+)?(?:INTO\s+)?(?P<table>{NAME})\s*(?:\((?P<columns>[^()]*)\))?\s*"""
    rf"""(?:{_OVERRIDING}\s+)?VALUES\s*(?=\()""",
    re.IGNORECASE,
)
_OVERRIDDEN = re.compile(
    rf"(INSERT\s+INTO\s+{NAME}\s*(?:\([^()]*\))?\s*){_OVERRIDING}\b", re.IGNORECASE
)
_REPLACED = re.compile(r"REPLACE\s+(?:LOW_PRIORITY\s+|DELAYED\s+)?(?=INTO\b)", re.IGNORECASE)
_VALUE = r"""N?'(?:[^'\\]|'')*'|-?\d+(?:\.\d+)?|NULL|TRUE|FALSE"""
_ROW = re.compile(rf"\s*\(\s*((?:{_VALUE})(?:\s*,\s*(?:{_VALUE}))*)\s*\)\s*(,|\Z)", re.IGNORECASE)
_EACH = re.compile(rf"({_VALUE})\s*(?:,\s*|\Z)", re.IGNORECASE)
_COPY_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_UNISTR = re.compile(
    r"\\(?:\\|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|\+([0-9A-Fa-f]{6})|([0-9A-Fa-f]{4}))"
)

Values = list[Any]
DEFAULT = object()
"""Instead of a value: the column's default."""


class NotALiteral(ValueError):
    """A value has to be computed by the database."""


@dataclass(frozen=True, slots=True)
class Insert:
    """The rows of one statement. Without columns, the values are those of all columns in order."""

    table: Qualified
    columns: Sequence[str]
    rows: list[Values]


def standard(text: str) -> str:
    """An INSERT in standard form: a REPLACE is one, and values of identity columns are taken as
    given.
    """
    text = _REPLACED.sub("INSERT ", text, count=1) if text[:7].upper() == "REPLACE" else text
    match = _OVERRIDDEN.match(text)
    return match[1] + text[match.end() :] if match else text


def plain_insert(text: str) -> Insert | None:
    """An INSERT with only plain literals; None if it has anything else."""
    head = _HEAD.match(text)
    if head is None:
        return None
    rows, at = list[Values](), head.end()
    while at < len(text):
        row = _ROW.match(text, at)
        if row is None:
            return None
        rows.append([_plain(token) for token in _EACH.findall(row[1])])
        at = row.end()
    return Insert(qualified(head["table"]), listed(head["columns"] or ""), rows)


def parsed_insert(tree: exp.Insert, dialect: str) -> Insert | None:
    """The rows of a parsed INSERT; None if they are not given as values. Raises NotALiteral."""
    target: Any = tree.this
    columns = (
        [expression.name for expression in target.expressions]
        if isinstance(target, exp.Schema)
        else []
    )
    table: Any = target.this if isinstance(target, exp.Schema) else target
    values: Any = tree.expression
    if not isinstance(values, exp.Values):
        return None
    rows = [[_value(part, dialect) for part in _row_parts(row)] for row in values.expressions]
    return Insert((table.text("db"), table.name), columns, rows)


def copied_rows(lines: Iterator[str]) -> Iterator[Values]:
    """The rows of PostgreSQL's COPY text format."""
    for line in lines:
        yield [_copied(field) for field in line.rstrip("\r\n").split("\t")]


def _copied(field: str) -> str | None:
    if field == "\\N":
        return None
    if "\\" not in field:
        return field
    return _ESCAPED.sub(lambda match: _COPY_ESCAPES.get(match[1], match[1]), field)


def _plain(text: str) -> Any:
    if text[-1] == "'":
        return text[text.index("'") + 1 : -1].replace("''", "'")
    upper = text.upper()
    if upper in ("NULL", "TRUE", "FALSE"):
        return None if upper == "NULL" else int(upper == "TRUE")
    return _number(text)


def _number(text: str) -> int | float | str:
    try:
        whole = int(text)
    except ValueError:
        return float(text)
    # SQLite has 64 bits; what is longer is kept to the digit, as text.
    return whole if -(2**63) <= whole < 2**63 else text


def _row_parts(row: Any) -> list[Any]:
    return (
        row.expressions
        if isinstance(row, exp.Tuple)
        else [row.this if isinstance(row, exp.Paren) else row]
    )


def _value(node: Any, dialect: str) -> Any:
    """The value of a literal. Raises NotALiteral if only the database can compute it."""
    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.Boolean):
        return int(bool(node.this))
    if isinstance(node, exp.HexString):
        return bytes.fromhex(node.name.rjust(len(node.name) + len(node.name) % 2, "0"))
    if isinstance(node, exp.BitString):
        return int(node.name, 2) if dialect == "mysql" else node.name
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return _number("-" + node.this.name)
    if isinstance(node, exp.Literal):
        return node.name if node.is_string else _number(node.name)
    if isinstance(node, exp.ByteString):  # PostgreSQL's E'…'
        return node.name
    if isinstance(node, exp.Var) and node.name.upper() == "DEFAULT":
        return DEFAULT
    if isinstance(node, exp.Cast | exp.Paren | exp.National | exp.Introducer | exp.Convert):
        inner = node.expression if isinstance(node, exp.Introducer | exp.Convert) else node.this
        return inner if isinstance(inner, str) else _value(inner, dialect)
    return _computed(node, dialect)


def _computed(node: Any, dialect: str) -> str:
    """The functions that SQLite's shell writes for line breaks: replace('…', '\\n', char(10)) and
    unistr('…').
    """
    if isinstance(node, exp.Replace):
        parts = (
            _value(argument, dialect)
            for argument in (node.this, node.expression, node.args["replacement"])
        )
        text, old, new = (str(part) for part in parts)
        return text.replace(old, new)
    if isinstance(node, exp.Chr):
        return "".join(chr(int(expression.name)) for expression in node.expressions)
    if isinstance(node, exp.Anonymous) and node.name.lower() == "unistr":
        return _UNISTR.sub(_character, str(_value(node.expressions[0], dialect)))
    raise NotALiteral("a value has to be computed")


def _character(match: re.Match[str]) -> str:
    code = next((group for group in match.groups() if group), None)
    return chr(int(code, 16)) if code else "\\"
