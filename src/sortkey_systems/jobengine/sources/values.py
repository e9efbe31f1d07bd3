"""The rows of INSERT and COPY statements. Plain literals are read directly, ten times as fast; the rest by sqlglot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

_HEAD = re.compile(
    r"""INSERT\s+(?:IGNORE\s+|OR\s+\w+\s+)?(?:INTO\s+)?(?P<table>[^\s(]+)\s*(?:\((?P<columns>[^()]*)\))?\s*VALUES\s*(?=\()""",
    re.IGNORECASE,
)
_VALUE = r"""N?'(?:[^'\\]|'')*'|-?\d+(?:\.\d+)?|NULL|TRUE|FALSE"""
_ROW = re.compile(rf"\s*\(\s*((?:{_VALUE})(?:\s*,\s*(?:{_VALUE}))*)\s*\)\s*(,|\Z)", re.IGNORECASE)
_EACH = re.compile(rf"({_VALUE})\s*(?:,\s*|\Z)", re.IGNORECASE)
_COPY_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)

Values = list[Any]


def plain_insert(text: str) -> tuple[str, list[str], list[Values]] | None:
    """Table, columns and rows of an INSERT that only has plain literals; None where it has anything else."""
    head = _HEAD.match(text)
    if head is None:
        return None
    rows, at = list[Values](), head.end()
    while at < len(text):
        row = _ROW.match(text, at)
        if row is None:
            return None
        rows.append([_plain(each) for each in _EACH.findall(row[1])])
        at = row.end()
    columns = [_bare(name) for name in head["columns"].split(",")] if head["columns"] else []
    return _bare(head["table"].replace("].[", ".").split(".")[-1]), columns, rows


def parsed_insert(tree: exp.Insert) -> tuple[str, list[str], list[Values]] | None:
    """The same of a tree; None where the rows are not given as values."""
    target: Any = tree.this
    columns = [each.name for each in target.expressions] if isinstance(target, exp.Schema) else []
    table: Any = target.this if isinstance(target, exp.Schema) else target
    values: Any = tree.expression
    if not isinstance(values, exp.Values):
        return None
    rows = [[_value(each) for each in _row_parts(row)] for row in values.expressions]
    return table.name, columns, rows


def copied_rows(lines: Iterator[str]) -> Iterator[Values]:
    """The rows of PostgreSQL's COPY text format."""
    for line in lines:
        yield [_copied(field) for field in line.rstrip("\r\n").split("\t")]


def _copied(field: str) -> str | None:
    if field == "\\N":
        return None
    if "\\" not in field:
        return field
    return _ESCAPED.sub(lambda found: _COPY_ESCAPES.get(found[1], found[1]), field)


def _bare(name: str) -> str:
    return name.strip().strip('"`[]')


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
    return row.expressions if isinstance(row, exp.Tuple) else [row.this if isinstance(row, exp.Paren) else row]


def _value(node: Any) -> Any:
    """What a literal says; of an expression that must be computed, its text."""
    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.Boolean):
        return int(bool(node.this))
    if isinstance(node, exp.HexString):
        digits = f"{int(node.name):x}" if node.name.isdigit() else node.name
        return bytes.fromhex(digits.rjust(len(digits) + len(digits) % 2, "0"))
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return _number("-" + node.this.name)
    if isinstance(node, exp.Literal):
        return node.name if node.is_string else _number(node.name)
    if isinstance(node, exp.Cast | exp.Paren | exp.National | exp.Introducer):
        inner = node.expression if isinstance(node, exp.Introducer) else node.this
        return inner if isinstance(inner, str) else _value(inner)
    return node.sql()
