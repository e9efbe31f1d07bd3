"""The declarations of a source: tables, columns, keys and foreign keys, in one form for all kinds
of sources.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Family = Literal["integer", "decimal", "text", "boolean", "datetime", "binary", "other"]
"""The general type of a declared type, in any dialect."""

_FAMILIES: tuple[tuple[Family, tuple[str, ...]], ...] = (
    ("text", ("ENUM",)),  # before NUM
    ("boolean", ("BOOL", "BIT")),
    ("datetime", ("DATE", "TIME")),
    ("integer", ("INT", "SERIAL", "YEAR")),
    ("decimal", ("DEC", "NUM", "REAL", "FLOA", "DOUB", "MONEY")),
    ("binary", ("BLOB", "BINARY", "BYTEA", "IMAGE")),
    ("text", ("CHAR", "CLOB", "TEXT", "UUID", "JSON", "XML", "UNIQUEIDENTIFIER", "STRING")),
)


def family_of(declared: str) -> Family:
    """`VARCHAR(20)` → text. An interval is not a point in time."""
    name = declared.upper()
    if "INTERVAL" in name or "POINT" in name:
        return "other"
    for family, marks in _FAMILIES:
        if any(mark in name for mark in marks):
            return family
    return "other"


@dataclass(slots=True)
class Column:
    """One column as declared. `default` is the text of an expression; a computed column derives
    from others.
    """

    name: str
    declared: str = ""
    nullable: bool = True
    default: str | None = None
    is_computed: bool = False

    @property
    def family(self) -> Family:
        return family_of(self.declared)


@dataclass(slots=True)
class ForeignKey:
    """Columns of a table that refer to a row of another."""

    columns: list[str]
    table: str
    target_columns: list[str]


@dataclass(slots=True)
class TableSchema:
    """One table. `unique` and `indexes` are lists of lists of columns; `namespace` is the schema
    that it is in.
    """

    name: str
    columns: list[Column] = field(default_factory=list[Column])
    primary_key: list[str] = field(default_factory=list[str])
    foreign_keys: list[ForeignKey] = field(default_factory=list[ForeignKey])
    unique: list[list[str]] = field(default_factory=list[list[str]])
    indexes: list[list[str]] = field(default_factory=list[list[str]])
    checks: list[str] = field(default_factory=list[str])
    namespace: str = ""

    def column(self, name: str) -> Column | None:
        return next(
            (column for column in self.columns if column.name.lower() == name.lower()), None
        )

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


Row = dict[str, Any]
"""Values are None, int, float, str or bytes. Dates are texts, as in SQLite."""


@dataclass(slots=True)
class Batch:
    """Some rows, each with its position: the values by which the table is ordered, as JSON."""

    rows: list[Row]
    positions: list[list[Any]]

    @property
    def last(self) -> list[Any] | None:
        return self.positions[-1] if self.positions else None
