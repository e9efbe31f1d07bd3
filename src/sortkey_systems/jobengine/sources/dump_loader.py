"""Reads a dump, statement by statement, into a SQLite file without types, and counts what it could
not read.
"""

from __future__ import annotations

import logging
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sortkey_systems.jobengine.sources.declarations import declare
from sortkey_systems.jobengine.sources.dump_tables import DumpTable, DumpTables, name_of
from sortkey_systems.jobengine.sources.identifiers import NAME, listed, qualified
from sortkey_systems.jobengine.sources.source import Unread
from sortkey_systems.jobengine.sources.sqlite import quoted
from sortkey_systems.jobengine.sources.statement_kinds import is_harmless, kind_of, plain
from sortkey_systems.jobengine.sources.statements import Statement, statements
from sortkey_systems.jobengine.sources.values import (
    DEFAULT,
    Insert,
    Values,
    copied_rows,
    parsed_insert,
    plain_insert,
)
from sortkey_systems.jobengine.sources.values import standard as standard_insert

COPY_ROWS = 1000
_SCHEMA = re.compile(rf"(?:SET\s+search_path\s*(?:=|TO)|USE)\s+({NAME})", re.IGNORECASE)
_COPY = re.compile(
    rf"COPY\s+({NAME})\s*(?:\((.*?)\))?\s+FROM\s+stdin\s*(.*)", re.IGNORECASE | re.DOTALL
)
_INDEX = re.compile(r"CREATE\s+(?:\w+\s+){0,2}?INDEX\b", re.IGNORECASE)
_READ = re.compile(r"(?:CREATE|ALTER|INSERT|REPLACE|COPY|DROP\s+TABLE)\b", re.IGNORECASE)

# sqlglot warns of every statement that it takes as a plain command; those are counted here.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


class DumpLoader:
    """Loads one dump. `tables` are those it declares, `keyed` the names of those whose rows have
    unique keys.
    """

    def __init__(self, db: sqlite3.Connection, dialect: str) -> None:
        self.db, self.dialect = db, dialect
        self.tables = DumpTables(dialect)
        self.keyed: set[str] = set()
        self.notes: list[str] = []
        self._staged: set[str] = set()
        self._unread: dict[tuple[str, str], Unread] = {}

    @property
    def unread(self) -> list[Unread]:
        """Statements that may carry rows or tables, similar ones together, in the order of the
        dump.
        """
        return list(self._unread.values())

    def load(self, lines: Iterable[str]) -> None:
        self.db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        self.db.execute("BEGIN")
        for statement in statements(lines, self.dialect):
            text = plain(statement.text)
            try:
                self._take(text, statement)
            except SqlglotError:
                self._count(text, statement, "it cannot be parsed")
            except sqlite3.Error:
                self._count(text, statement, "its rows do not fit the table")
            except ValueError as error:
                self._count(text, statement, str(error))
        for table in self.tables:
            self._stage(table)
        self.tables.settle()
        self._index()
        self.db.execute("COMMIT")
        self.db.close()

    def _take(self, text: str, statement: Statement) -> None:
        if not text:
            return
        if self.dialect in ("postgres", "mysql") and (schema := _SCHEMA.match(text)):
            self.tables.enter(qualified(schema[1])[1])
        elif is_harmless(text):
            return
        elif not _READ.match(text):
            raise ValueError("it may change or add rows")
        elif statement.data is not None:
            self._copy(text, statement.data)
        elif (insert := plain_insert(text := standard_insert(text))) is not None:
            self._insert(insert)
        elif _INDEX.match(text):
            self._declare_index(text, statement)
        else:
            self._parse(text, statement)

    def _parse(self, text: str, statement: Statement) -> None:
        # A batch of T-SQL may have several statements, with no mark between them.
        for tree in sqlglot.parse(text, read=self.dialect):
            if isinstance(tree, exp.Insert):
                insert = parsed_insert(tree, self.dialect)
                if insert is None:
                    raise ValueError("its rows are not given as values")
                self._insert(insert)
            elif isinstance(tree, exp.Drop):
                self._drop(tree)
            elif tree is not None and not declare(tree, self.tables, self.dialect):
                self._count(text, statement, "it is not understood")

    def _declare_index(self, text: str, statement: Statement) -> None:
        """An index has no rows: one that cannot be parsed is only noted."""
        try:
            self._parse(text, statement)
        except SqlglotError:
            self.notes.append(f"line {statement.line}: an index was not understood")

    def _drop(self, tree: exp.Drop) -> None:
        for name in tree.args.get("tables") or [tree.this]:
            table = self.tables.find(name_of(name))
            if table is not None:
                self.tables.remove(table)
                self.db.execute(f"DROP TABLE IF EXISTS {table.staged}")

    # -- rows

    def _copy(self, text: str, data: Iterator[str]) -> None:
        head = _COPY.match(text)
        if head is None or head[3]:
            raise ValueError("only COPY in the text format is read")
        table, columns = self._known(qualified(head[1])), listed(head[2] or "")
        rows = copied_rows(data)
        while part := list(islice(rows, COPY_ROWS)):
            self._write(table, columns, [self._numbered(table, columns, row) for row in part])

    def _numbered(self, table: DumpTable, columns: Sequence[str], row: Values) -> Values:
        """COPY has texts only; numbers become numbers again, by their declared type."""
        schema = table.schema
        families = [
            column.family if (column := schema.column(name)) else "other"
            for name in (columns or schema.names)
        ]
        if len(families) != len(row):
            raise ValueError("a row has more or fewer values than columns")
        return [_typed(value, family) for value, family in zip(row, families, strict=True)]

    def _insert(self, insert: Insert) -> None:
        self._write(self._known(insert.table), insert.columns, insert.rows)

    def _known(self, name: tuple[str, str]) -> DumpTable:
        table = self.tables.find(name)
        if table is None:
            raise ValueError("the table was not created")
        return table

    def _write(self, table: DumpTable, columns: Sequence[str], rows: list[Values]) -> None:
        """All rows or none."""
        names = columns or table.schema.names
        if any(len(row) != len(names) for row in rows):
            raise ValueError("a row has more or fewer values than columns")
        self._stage(table)
        into, marks = ", ".join(map(quoted, names)), ", ".join("?" * len(names))
        filled = [self._with_defaults(table, names, row) if DEFAULT in row else row for row in rows]
        self.db.executemany(f"INSERT INTO {table.staged} ({into}) VALUES ({marks})", filled)

    def _with_defaults(self, table: DumpTable, names: Sequence[str], row: Values) -> Values:
        """A computed column is not stored; the value of a sequence or a clock is not known."""
        columns = [table.schema.column(name) for name in names]
        if any(
            value is DEFAULT and not (column and column.is_computed)
            for column, value in zip(columns, row, strict=True)
        ):
            raise ValueError("a value has to be computed")
        return [None if value is DEFAULT else value for value in row]

    def _stage(self, table: DumpTable) -> None:
        """Without types: SQLite would turn '007' in a column of numbers into 7."""
        if table.staged not in self._staged:
            columns = ", ".join(map(quoted, table.schema.names))
            self.db.execute(f"CREATE TABLE {table.staged} ({columns})")
            self._staged.add(table.staged)

    def _index(self) -> None:
        for table in self.tables:
            for number, key in enumerate(table.schema.foreign_keys):
                parts = ", ".join(map(quoted, key.columns))
                self.db.execute(
                    f"CREATE INDEX f{number}_{table.staged} ON {table.staged} ({parts})"
                )
            if table.schema.primary_key:
                self._index_key(table)

    def _index_key(self, table: DumpTable) -> None:
        parts = ", ".join(map(quoted, table.schema.primary_key))
        try:
            self.db.execute(f"CREATE UNIQUE INDEX k_{table.staged} ON {table.staged} ({parts})")
            self.keyed.add(table.schema.name)
        except sqlite3.IntegrityError:
            self.notes.append(f"{table.schema.name}: the primary key is not unique in the rows")

    def _count(self, text: str, statement: Statement, reason: str) -> None:
        kind = kind_of(text)
        counted = self._unread.get((kind, reason))
        if counted is None:
            self._unread[kind, reason] = Unread(kind, reason, f"line {statement.line}")
        else:
            counted.count += 1


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
