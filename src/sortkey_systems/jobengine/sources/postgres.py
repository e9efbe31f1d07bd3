"""A live PostgreSQL as a source, in one read-only transaction: rows do not change while they are migrated."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from sortkey_systems.jobengine.sources.schema import Batch, Column, ForeignKey, Row, TableSchema
from sortkey_systems.jobengine.sources.source import SourceError
from sortkey_systems.jobengine.sources.sqlite import quoted

COLUMNS = """
SELECT table_name, column_name, data_type, is_nullable = 'YES', column_default FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name IN (
  SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE')
ORDER BY table_name, ordinal_position"""

CONSTRAINTS = """
SELECT c.conrelid::regclass::text, c.contype, COALESCE(t.relname, ''), pg_get_constraintdef(c.oid),
  ARRAY(SELECT a.attname::text FROM unnest(c.conkey) WITH ORDINALITY k(n, o)
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.n ORDER BY k.o),
  ARRAY(SELECT a.attname::text FROM unnest(c.confkey) WITH ORDINALITY k(n, o)
        JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.n ORDER BY k.o)
FROM pg_constraint c LEFT JOIN pg_class t ON t.oid = c.confrelid
WHERE c.connamespace = current_schema()::regnamespace AND c.conrelid <> 0 ORDER BY c.conname"""


class PostgresSource:
    """Tables of the current schema. A table without a key is read in the order of its place on disk."""

    notes: Sequence[str] = ()

    def __init__(self, address: str) -> None:
        try:
            psycopg: Any = importlib.import_module("psycopg")
        except ImportError:
            raise SourceError("reading PostgreSQL needs psycopg: pip install 'psycopg[binary]'") from None
        try:
            self._db: Any = psycopg.connect(address)
        except psycopg.OperationalError as error:
            raise SourceError(f"PostgreSQL cannot be reached: {error}") from None
        self._db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        self.name: str = self._db.info.dbname
        self._by_name = _tables(self._db)

    def tables(self) -> list[TableSchema]:
        return [self._by_name[name] for name in sorted(self._by_name)]

    def count(self, table: str) -> int:
        return self._db.execute(f"SELECT COUNT(*) FROM {quoted(table)}").fetchone()[0]

    def batches(self, table: str, size: int, after: list[Any] | None = None) -> Iterator[Batch]:
        order, casts = self._order(table)
        width = len(order)
        shown = ", ".join(f"{part}{cast}" for part, cast in zip(order, casts, strict=True))
        while True:
            marks = ", ".join("%s" if not cast else "%s::tid" for cast in casts)
            where = f"WHERE ({', '.join(order)}) > ({marks})" if after is not None else ""
            found = self._db.execute(
                f"SELECT {shown}, t.* FROM {quoted(table)} t {where} ORDER BY {', '.join(order)} LIMIT %s",
                [*(after or ()), size],
            ).fetchall()
            if not found:
                return
            names = self._by_name[table].names
            rows = [dict(zip(names, map(_plain, each[width:]), strict=True)) for each in found]
            yield (batch := Batch(rows, [[_plain(part) for part in each[:width]] for each in found]))
            after = batch.last

    def related(self, table: str, column: str, values: Sequence[Any]) -> list[Row]:
        order, _ = self._order(table)
        found = self._db.execute(
            f"SELECT * FROM {quoted(table)} WHERE {quoted(column)} = ANY(%s) ORDER BY {', '.join(order)}",
            [list(values)],
        )
        names = self._by_name[table].names
        return [dict(zip(names, map(_plain, each), strict=True)) for each in found]

    def close(self) -> None:
        self._db.close()

    def _order(self, table: str) -> tuple[list[str], list[str]]:
        if table not in self._by_name:
            raise SourceError(f"{self.name} has no table {table!r}")
        key = self._by_name[table].primary_key
        return ([quoted(name) for name in key], [""] * len(key)) if key else (["ctid"], ["::text"])


def _tables(db: Any) -> dict[str, TableSchema]:
    tables: dict[str, TableSchema] = {}
    for table, name, declared, nullable, default in db.execute(COLUMNS):
        tables.setdefault(table, TableSchema(table)).columns.append(Column(name, declared, nullable, default))
    for owner, kind, target, definition, columns, targets in db.execute(CONSTRAINTS):
        table = tables.get(owner.split(".")[-1].strip('"'))
        if table is None:
            continue
        if kind == "p":
            table.primary_key = list(columns)
        elif kind == "u":
            table.unique.append(list(columns))
        elif kind == "f":
            table.foreign_keys.append(ForeignKey(list(columns), target, list(targets)))
        elif kind == "c":
            table.checks.append(definition)
    return tables


def _plain(value: Any) -> Any:
    """As the other sources have it: numbers, texts, bytes."""
    if value is None or isinstance(value, int | float | str | bytes):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return value.total_seconds() if isinstance(value, timedelta) else str(value)
