"""A SQLite file as a source. It is opened read-only, so that a migration cannot damage it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sortkey_systems.jobengine.sources.schema import Batch, Column, ForeignKey, Row, TableSchema
from sortkey_systems.jobengine.sources.source import SourceError, Unread

RELATED_VALUES_MAX = 500
"""Values in one query: old versions of SQLite bind at most 999."""


class SqliteSource:
    """Tables of a SQLite file. A table without a key is read in the order of its rowid."""

    def __init__(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        tables: list[TableSchema] | None = None,
        notes: Sequence[str] = (),
        staged: Mapping[str, str] | None = None,
    ) -> None:
        """`tables` are given if the file has only the rows, and the declarations come from
        elsewhere. Then `staged` has the name in the file of each table.
        """
        self.path = Path(path)
        self.name = name or self.path.stem
        self.notes, self.unread = notes, list[Unread]()
        self._staged = staged or {}
        if not self.path.is_file():
            raise SourceError(f"{path} is not a file: give the path of a SQLite database")
        self._db = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False
        )
        # Texts in other encodings are common in old files; a lost letter is better than a lost
        # table.
        self._db.text_factory = _text
        try:
            self._tables = (
                tables
                if tables is not None
                else [_table(self._db, name) for name in _table_names(self._db)]
            )
        except sqlite3.DatabaseError as error:
            raise SourceError(f"{path} is not a SQLite database: {error}") from None
        self._by_name = {table.name: table for table in self._tables}

    def tables(self) -> list[TableSchema]:
        return self._tables

    def count(self, table: str) -> int:
        return self._db.execute(f"SELECT COUNT(*) FROM {self._place(table)}").fetchone()[0]

    def batches(self, table: str, size: int, after: list[Any] | None = None) -> Iterator[Batch]:
        order = self._order(table)
        width = len(order)
        while True:
            where = (
                f"WHERE ({', '.join(order)}) > ({', '.join('?' * width)})"
                if after is not None
                else ""
            )
            selected = self._db.execute(
                f"SELECT {', '.join(order)}, * FROM {self._place(table)} {where} ORDER BY "
                f"{', '.join(order)} LIMIT ?",
                [*(after or ()), size],
            ).fetchall()
            if not selected:
                return
            names = self._by_name[table].names
            rows = [dict(zip(names, row[width:], strict=True)) for row in selected]
            yield (batch := Batch(rows, [list(row[:width]) for row in selected]))
            if len(selected) < size:
                return
            after = batch.last

    def related(self, table: str, column: str, values: Sequence[Any]) -> list[Row]:
        names, rows = self._by_name[table].names, list[Row]()
        for start in range(0, len(values), RELATED_VALUES_MAX):
            part = values[start : start + RELATED_VALUES_MAX]
            selected = self._db.execute(
                f"SELECT * FROM {self._place(table)} WHERE {quoted(column)} IN "
                f"({', '.join('?' * len(part))})"
                f" ORDER BY {', '.join(self._order(table))}",
                list(part),
            )
            rows += [dict(zip(names, row, strict=True)) for row in selected]
        return rows

    def close(self) -> None:
        self._db.close()

    def _place(self, table: str) -> str:
        return quoted(self._staged.get(table, table))

    def _order(self, table: str) -> list[str]:
        if table not in self._by_name:
            raise SourceError(f"{self.name} has no table {table!r}")
        schema = self._by_name[table]
        # SQLite allows NULL in a primary key that is not an integer, and no comparison passes over
        # NULL.
        columns = [schema.column(name) for name in schema.primary_key]
        is_safe = bool(columns) and all(
            column is not None and _is_position(column) for column in columns
        )
        return [quoted(name) for name in schema.primary_key] if is_safe else [_rowid(schema)]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_position(column: Column) -> bool:
    """Whether values survive JSON, and can be compared to find the next rows."""
    return not column.nullable and column.family != "binary"


def _rowid(table: TableSchema) -> str:
    """A row id name that no column uses."""
    return next(name for name in ("rowid", "_rowid_", "oid") if table.column(name) is None)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")


def _table_names(db: sqlite3.Connection) -> list[str]:
    rows = db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE "
        "'!'"
    )
    return sorted(name for (name,) in rows)


def _table(db: sqlite3.Connection, name: str) -> TableSchema:
    columns = db.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
    keyed = sorted((position, column) for _, column, _, _, _, position in columns if position)
    # An INTEGER PRIMARY KEY is the rowid, and never NULL though nothing declares it so.
    is_rowid = len(keyed) == 1 and any(
        column[5] and column[2].upper() == "INTEGER" for column in columns
    )
    table = TableSchema(name, primary_key=[column for _, column in keyed])
    for _, column, declared, not_null, default, position in columns:
        table.columns.append(
            Column(column, declared, not (not_null or (position and is_rowid)), default)
        )
    table.foreign_keys = _foreign_keys(db, name)
    for _, index, is_unique, origin, is_partial in db.execute(
        f"PRAGMA index_list({quoted(name)})"
    ).fetchall():
        parts = [
            part
            for _, _, part in db.execute(f"PRAGMA index_info({quoted(index)})")
            if part is not None
        ]
        if origin != "pk" and parts:
            (table.unique if is_unique and not is_partial else table.indexes).append(parts)
    table.unique.sort()
    table.indexes.sort()
    return table


def _foreign_keys(db: sqlite3.Connection, name: str) -> list[ForeignKey]:
    keys: dict[int, ForeignKey] = {}
    for number, _, table, column, target, *_ in db.execute(
        f"PRAGMA foreign_key_list({quoted(name)})"
    ).fetchall():
        key = keys.setdefault(number, ForeignKey([], table, []))
        key.columns.append(column)
        key.target_columns += (
            [target] if target else _key_of(db, table)[len(key.target_columns) :][:1]
        )
    return [keys[number] for number in sorted(keys, reverse=True)]


def _key_of(db: sqlite3.Connection, table: str) -> list[str]:
    """The target of a foreign key that names no columns: the primary key."""
    columns = db.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
    return [name for _, name in sorted((column[5], column[1]) for column in columns if column[5])]
