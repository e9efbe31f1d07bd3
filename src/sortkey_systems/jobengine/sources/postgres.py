"""A live PostgreSQL as a source, in one read-only transaction: rows do not change while they are
migrated.

Values have the types of the other sources: numbers, texts, bytes. Dates are ISO texts, also
`infinity`, which Python's dates do not have. `postgres_schema` reads the declarations.
"""

from __future__ import annotations

import importlib
import itertools
import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from sortkey_systems.jobengine.sources.addresses import PASSWORD_ADVICE
from sortkey_systems.jobengine.sources.postgres_schema import Declared, hidden_tables, read_schema
from sortkey_systems.jobengine.sources.schema import Batch, Row, TableSchema
from sortkey_systems.jobengine.sources.source import SourceError, Unread
from sortkey_systems.jobengine.sources.sqlite import quoted

AS_TEXT = (
    "date",
    "timestamp",
    "timestamptz",
    "time",
    "timetz",
    "interval",
    "json",
    "jsonb",
    "uuid",
    "money",
)
SETTINGS = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "SET TIME ZONE 'UTC'",
    "SET datestyle = ISO",
    "SET row_security = off",  # a policy that hides rows is an error, not a smaller table
)
PLACE = (("tableoid", "oid"), ("ctid", "tid"))
"""The physical location of a row: the order of a table without a key."""
BIGINT = 1 << 63


class PostgresSource:
    """Tables of all schemas that may be read. A table without a key is read in physical order."""

    notes: Sequence[str] = ()
    unread: Sequence[Unread]

    def __init__(self, address: str) -> None:
        try:
            self._psycopg: Any = importlib.import_module("psycopg")
        except ImportError:
            raise SourceError(
                "reading PostgreSQL needs psycopg: pip install 'psycopg[binary]'"
            ) from None
        try:
            self._db: Any = self._psycopg.connect(address)
        except self._psycopg.Error as error:
            message = " ".join(str(error).split())
            hint = (
                f": {PASSWORD_ADVICE}, then run the journey again" if "password" in message else ""
            )
            raise SourceError(f"PostgreSQL cannot be reached: {message}{hint}") from None
        as_text = importlib.import_module("psycopg.types.string").TextLoader
        for name in AS_TEXT:
            self._db.adapters.register_loader(name, as_text)
        self.name: str = self._db.info.dbname
        self._cursors = itertools.count(1)
        with self._answering():
            for setting in SETTINGS:
                self._db.execute(setting)
            self._by_name = read_schema(self._db)
            self.unread = hidden_tables(self._db)

    def tables(self) -> list[TableSchema]:
        return [self._by_name[name].schema for name in sorted(self._by_name)]

    def count(self, table: str) -> int:
        with self._answering():
            return self._db.execute(
                f"SELECT COUNT(*) FROM {self._declared(table).place}"
            ).fetchone()[0]

    def batches(self, table: str, size: int, after: list[Any] | None = None) -> Iterator[Batch]:
        """Uses a cursor on the server: the table is sorted once, however many batches it has."""
        declared = self._declared(table)
        order = _order(declared)
        names, width = declared.schema.names, len(order)
        columns = ", ".join(f"t.{name}" for name, _ in order)
        selected = ", ".join(f"t.{name}::text" for name, _ in order)
        marks = ", ".join(f"%s::{kind}" for _, kind in order)
        where = f"WHERE ({columns}) > ({marks})" if after is not None else ""
        query = f"SELECT {selected}, t.* FROM {declared.place} t {where} ORDER BY {columns}"
        with self._answering(), self._db.cursor(name=f"rows_{next(self._cursors)}") as cursor:
            cursor.execute(query, [str(value) for value in after or ()])
            while fetched := cursor.fetchmany(size):
                rows = [dict(zip(names, map(_plain, row[width:]), strict=True)) for row in fetched]
                yield Batch(rows, [_position(row[:width], order) for row in fetched])

    def related(self, table: str, column: str, values: Sequence[Any]) -> list[Row]:
        declared = self._declared(table)
        declared_column = declared.schema.column(column)
        family = declared_column.family if declared_column is not None else "other"
        comparable, operand, kind = _comparable(values, f"t.{quoted(column)}", family)
        order = ", ".join(f"t.{name}" for name, _ in _order(declared))
        query = f"SELECT t.* FROM {declared.place} t WHERE {operand} = ANY(%s::{kind}[]) ORDER BY {order}"
        with self._answering():
            rows = self._db.execute(query, [comparable]).fetchall()
        return [dict(zip(declared.schema.names, map(_plain, row), strict=True)) for row in rows]

    def close(self) -> None:
        self._db.close()

    def _declared(self, table: str) -> Declared:
        if table not in self._by_name:
            raise SourceError(f"{self.name} has no table {table!r}")
        return self._by_name[table]

    @contextmanager
    def _answering(self) -> Generator[None]:
        """Errors of the server, and lost connections, as SourceError."""
        try:
            yield
        except self._psycopg.Error as error:
            raise SourceError(
                f"PostgreSQL cannot be read: {' '.join(str(error).split())}"
            ) from None


def _order(declared: Declared) -> list[tuple[str, str]]:
    """The columns that a table is ordered by: expressions with their types."""
    key = declared.schema.primary_key
    return [(quoted(name), declared.types[name]) for name in key] if key else list(PLACE)


def _position(texts: Sequence[str], order: Sequence[tuple[str, str]]) -> list[Any]:
    """As texts, which lose nothing; whole numbers as such, as in the other sources."""
    kinds = ("integer", "bigint", "smallint")
    return [
        int(text) if kind in kinds else text for text, (_, kind) in zip(texts, order, strict=True)
    ]


def _comparable(values: Sequence[Any], column: str, family: str) -> tuple[list[Any], str, str]:
    """The values that a column can have, and how it is compared with them: a text is not a
    number.
    """
    if family == "integer":
        return [number for number in map(_whole, values) if number is not None], column, "bigint"
    if family == "decimal":
        numbers = [str(value) for value in values if isinstance(value, int | float | Decimal)]
        return numbers, f"{column}::numeric", "numeric"
    return [str(value) for value in values], f"{column}::text", "text"


def _whole(value: Any) -> int | None:
    try:
        number = int(value)
    except (TypeError, ValueError):
        return None
    return number if -BIGINT <= number < BIGINT and str(number) == str(value).strip() else None


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, int | float | str | bytes):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, list | dict):
        return json.dumps(value, default=str, ensure_ascii=False)
    return str(value)


def _number(value: Decimal) -> int | float | str:
    """A float only if it is exact."""
    if not value.is_finite():
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    return float(value) if Decimal(repr(float(value))) == value else str(value)
