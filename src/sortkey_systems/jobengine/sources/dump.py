"""A SQL dump as a source: read once, statement by statement, into a SQLite file that gives rows in
order.

What cannot be read is counted by kind, with the line of the first case, and the rest is read.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from pathlib import Path
from typing import Literal, get_args

from sortkey_systems.jobengine.sources.dump_loader import DumpLoader
from sortkey_systems.jobengine.sources.source import SourceError
from sortkey_systems.jobengine.sources.sqlite import SqliteSource

Dialect = Literal["postgres", "mysql", "sqlite", "tsql"]
_SNIFF_CHARACTERS = 64 * 1024
_MARKS: tuple[tuple[Dialect, str], ...] = (
    (
        "postgres",
        r"PostgreSQL database dump|^COPY .* FROM stdin|\bSERIAL\b|^SET "
        r"search_path|pg_catalog|OVERRIDING \w+ VALUE",
    ),
    ("mysql", r"MySQL dump|MariaDB dump|ENGINE=|AUTO_INCREMENT|`"),
    ("tsql", r"^GO\s*$|\bIDENTITY\(|\bNVARCHAR\b|\[dbo\]|SET IDENTITY_INSERT"),
)


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
        loader = DumpLoader(sqlite3.connect(staging, isolation_level=None), self.dialect)
        with dump.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
            loader.load(lines)
        tables = sorted(loader.tables, key=lambda dump_table: dump_table.schema.name)
        if not tables:
            self._folder.cleanup()
            raise SourceError(
                f"{path} has no CREATE TABLE that could be read in {self.dialect}: name its dialect"
            )
        schemas, staged = (
            [table.schema for table in tables],
            {table.schema.name: table.staged for table in tables},
        )
        super().__init__(staging, name=dump.stem, tables=schemas, notes=loader.notes, staged=staged)
        self.unread = loader.unread
        self._keyed = loader.keyed

    def close(self) -> None:
        super().close()
        self._folder.cleanup()

    def _order(self, table: str) -> list[str]:
        # A dump may violate its key; then rows are read in the order of the dump.
        return (
            super()._order(table)
            if table in self._keyed or table not in self._by_name
            else ["rowid"]
        )


def sniffed(dump: Path) -> Dialect:
    """The dialect, detected from the marks that tools and types leave in the first pages."""
    with dump.open(encoding="utf-8-sig", errors="replace") as text:
        start = text.read(_SNIFF_CHARACTERS)
    for dialect, marks in _MARKS:
        if re.search(marks, start, re.IGNORECASE | re.MULTILINE):
            return dialect
    return "sqlite"
