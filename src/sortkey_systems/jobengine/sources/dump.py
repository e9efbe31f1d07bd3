"""A SQL dump as a source: read once, statement by statement, into a SQLite file from which rows come in order.

What cannot be read is noted with its line, and the rest is read.
"""

from __future__ import annotations

import logging
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sortkey_systems.jobengine.sources.declarations import declare
from sortkey_systems.jobengine.sources.schema import TableSchema
from sortkey_systems.jobengine.sources.source import SourceError
from sortkey_systems.jobengine.sources.sqlite import SqliteSource, quoted
from sortkey_systems.jobengine.sources.statements import Statement, statements
from sortkey_systems.jobengine.sources.values import Values, copied_rows, parsed_insert, plain_insert

Dialect = Literal["postgres", "mysql", "sqlite", "tsql"]
NOTES_MAX = 100
COPY_ROWS = 1000
_SNIFF_CHARACTERS = 64 * 1024
_MARKS: tuple[tuple[Dialect, str], ...] = (
    ("postgres", r"PostgreSQL database dump|^COPY .* FROM stdin|\bSERIAL\b|^SET search_path|pg_catalog"),
    ("mysql", r"MySQL dump|MariaDB dump|ENGINE=|AUTO_INCREMENT|`"),
    ("tsql", r"^GO\s*$|\bIDENTITY\(|\bNVARCHAR\b|\[dbo\]|SET IDENTITY_INSERT"),
)
_WANTED = re.compile(r"\s*(CREATE|ALTER|INSERT|COPY)\b", re.IGNORECASE)
_NOT_WANTED = re.compile(
    r"\s*(CREATE\s+(OR\s+REPLACE\s+)?(FUNCTION|PROC|TRIGGER|VIEW|EXTENSION|SEQUENCE|SCHEMA|DATABASE|TYPE|USER|ROLE)"
    r"|ALTER\s+(DATABASE|SEQUENCE|FUNCTION|SCHEMA|TYPE|ROLE)"
    r"|ALTER\s+TABLE\s+.*\s(OWNER\s+TO|CHECK\s+CONSTRAINT|SET\s+DEFAULT|ADD\s+GENERATED|(DIS|EN)ABLE\s+KEYS)\b)",
    re.IGNORECASE | re.DOTALL,
)

# Statements that sqlglot takes as plain commands are none of ours, and it would warn of each.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


class DumpSource(SqliteSource):
    """A dump of DDL and inserts. The staging file is removed when the source is closed."""

    def __init__(self, path: str | Path, *, dialect: Dialect | None = None) -> None:
        dump = Path(path)
        if not dump.is_file():
            raise SourceError(f"{path} is not a file: give the path of a SQL dump")
        self.dialect: Dialect = dialect or sniffed(dump)
        if self.dialect not in get_args(Dialect):
            raise SourceError(f"dialect {dialect!r} is not one of {', '.join(get_args(Dialect))}")
        self._folder = tempfile.TemporaryDirectory(prefix="sortkey-dump-")
        staging = Path(self._folder.name) / "rows.sqlite"
        loading = _Loading(sqlite3.connect(staging, isolation_level=None), self.dialect)
        with dump.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
            loading.load(lines)
        tables = [loading.tables[name] for name in sorted(loading.tables)]
        if not tables:
            self._folder.cleanup()
            raise SourceError(f"{path} has no CREATE TABLE that could be read in {self.dialect}: name its dialect")
        super().__init__(staging, name=dump.stem, tables=tables, notes=loading.notes)
        self._keyed = loading.keyed

    def close(self) -> None:
        super().close()
        self._folder.cleanup()

    def _order(self, table: str) -> list[str]:
        # A dump may have what its key forbids; then only the order of the dump is one.
        return super()._order(table) if table in self._keyed or table not in self._by_name else ["rowid"]


def sniffed(dump: Path) -> Dialect:
    """The dialect, by the marks that tools and types leave in the first pages."""
    with dump.open(encoding="utf-8-sig", errors="replace") as text:
        start = text.read(_SNIFF_CHARACTERS)
    for dialect, marks in _MARKS:
        if re.search(marks, start, re.IGNORECASE | re.MULTILINE):
            return dialect
    return "sqlite"


@dataclass(slots=True)
class _Loading:
    db: sqlite3.Connection
    dialect: Dialect
    tables: dict[str, TableSchema] = field(default_factory=dict[str, TableSchema])
    made: set[str] = field(default_factory=set[str])
    keyed: set[str] = field(default_factory=set[str])
    notes: list[str] = field(default_factory=list[str])

    def load(self, lines: Iterable[str]) -> None:
        self.db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        self.db.execute("BEGIN")
        for statement in statements(lines, self.dialect):
            try:
                self._take(statement)
            except (SqlglotError, sqlite3.Error, ValueError) as error:
                self._note(statement, str(error).splitlines()[0])
        for name in self.tables:
            self._stage(name)
        self._index()
        self.db.execute("COMMIT")
        self.db.close()

    def _take(self, statement: Statement) -> None:
        if not _WANTED.match(statement.text) or _NOT_WANTED.match(statement.text):
            return
        if statement.data is not None:
            self._copy(statement, statement.data)
        elif (found := plain_insert(statement.text)) is not None:
            self._insert(*found)
        else:
            self._parse(statement)

    def _parse(self, statement: Statement) -> None:
        # A batch of T-SQL may have several statements, with no mark between them.
        for tree in sqlglot.parse(statement.text, read=self.dialect):
            if isinstance(tree, exp.Insert):
                rows = parsed_insert(tree)
                if rows is None:
                    self._note(statement, "an INSERT without VALUES")
                else:
                    self._insert(*rows)
            elif tree is not None and not declare(tree, self.tables, self.dialect):
                self._note(statement, f"not understood: {statement.text[:80]!r}")

    def _copy(self, statement: Statement, data: Iterator[str]) -> None:
        head = re.match(r"COPY\s+([^\s(]+)\s*(?:\((.*?)\))?\s+FROM", statement.text, re.IGNORECASE | re.DOTALL)
        if head is None:
            self._note(statement, f"not understood: {statement.text[:80]!r}")
            return
        table = head[1].split(".")[-1].strip('"')
        columns = [name.strip().strip('"') for name in head[2].split(",")] if head[2] else []
        rows = copied_rows(data)
        while part := list(islice(rows, COPY_ROWS)):
            self._insert(table, columns, [self._numbered(table, columns, row) for row in part])

    def _numbered(self, table: str, columns: list[str], row: Values) -> Values:
        """COPY has texts only; numbers become numbers again, by their declared type."""
        schema = self.tables.get(table)
        if schema is None:
            return row
        names = columns or schema.names
        families = [column.family if (column := schema.column(name)) else "other" for name in names]
        return [_typed(value, family) for value, family in zip(row, families, strict=True)]

    def _insert(self, table: str, columns: list[str], rows: list[Values]) -> None:
        if table not in self.tables:
            raise ValueError(f"rows for {table!r}, which was not created")
        self._stage(table)
        names = columns or self.tables[table].names
        into = ", ".join(quoted(name) for name in names)
        marks = ", ".join("?" * len(names))
        self.db.executemany(f"INSERT INTO {quoted(table)} ({into}) VALUES ({marks})", rows)

    def _stage(self, table: str) -> None:
        """Without types: SQLite would turn '007' in a column of numbers into 7."""
        if table not in self.made:
            columns = ", ".join(quoted(name) for name in self.tables[table].names)
            self.db.execute(f"CREATE TABLE {quoted(table)} ({columns})")
            self.made.add(table)

    def _index(self) -> None:
        for number, table in enumerate(self.tables.values()):
            for key in table.foreign_keys:
                owner = self.tables.get(key.table)
                key.target_columns = key.target_columns or (owner.primary_key if owner else [])
                parts = ", ".join(map(quoted, key.columns))
                self.db.execute(f"CREATE INDEX {quoted(f'f{number}_{key.columns}')} ON {quoted(table.name)} ({parts})")
            if table.primary_key:
                self._index_key(number, table)

    def _index_key(self, number: int, table: TableSchema) -> None:
        parts = ", ".join(quoted(name) for name in table.primary_key)
        try:
            self.db.execute(f"CREATE UNIQUE INDEX k{number} ON {quoted(table.name)} ({parts})")
            self.keyed.add(table.name)
        except sqlite3.IntegrityError:
            self.notes.append(f"{table.name}: the primary key is not unique in the rows")

    def _note(self, statement: Statement, text: str) -> None:
        if len(self.notes) < NOTES_MAX:
            self.notes.append(f"line {statement.line}: {text}")


def _typed(value: Any, family: str) -> Any:
    if not isinstance(value, str):
        return value
    try:
        if family == "integer":
            return int(value)
        if family == "decimal":
            return float(value)
    except ValueError:
        return value
    return int(value == "t") if family == "boolean" and value in ("t", "f") else value
