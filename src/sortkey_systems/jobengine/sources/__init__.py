"""Where a journey's data comes from: a SQLite file, a SQL dump or a live PostgreSQL, behind one
interface.
"""

from __future__ import annotations

from pathlib import Path

from sortkey_systems.jobengine.sources.schema import (
    Batch,
    Column,
    Family,
    ForeignKey,
    Row,
    TableSchema,
)
from sortkey_systems.jobengine.sources.source import Source, SourceError, Unread
from sortkey_systems.jobengine.sources.sqlite import SqliteSource

__all__ = [
    "Batch",
    "Column",
    "Family",
    "ForeignKey",
    "Row",
    "Source",
    "SourceError",
    "SqliteSource",
    "TableSchema",
    "Unread",
    "open_source",
]


def open_source(address: str | Path, *, dialect: str | None = None) -> Source:
    """Open `shop.sqlite`, `shop.sql` (a dump; its dialect is seen, or named) or
    `postgresql://…`.
    """
    if str(address).startswith(("postgresql://", "postgres://")):
        from sortkey_systems.jobengine.sources.postgres import PostgresSource

        return PostgresSource(str(address))
    path = Path(address)
    if path.is_file() and not _is_sqlite(path):
        from sortkey_systems.jobengine.sources.dump import DumpSource

        return DumpSource(path, dialect=dialect)  # type: ignore[arg-type]
    return SqliteSource(path)


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16).startswith(b"SQLite format 3")
