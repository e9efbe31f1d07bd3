"""The interface of a source: its declarations, and its rows in the order of their key, from any
position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sortkey_systems.jobengine.sources.schema import Batch, Row, TableSchema


class SourceError(Exception):
    """A source cannot be opened or read. The message says which, and what to do."""


@dataclass(slots=True)
class Unread:
    """A part of a source that was not read, though it may hold rows or tables: similar cases
    together, without values.

    `kind` names the statement and its table, `place` the first case, such as `line 12`.
    """

    kind: str
    reason: str
    place: str
    count: int = 1

    @property
    def text(self) -> str:
        where = self.place if self.count == 1 else f"{self.count} times, first {self.place}"
        return f"{self.kind}: {self.reason} ({where})"


class Source(Protocol):
    """A database to migrate from. It is only read."""

    @property
    def name(self) -> str: ...

    @property
    def notes(self) -> Sequence[str]:
        """Oddities, one line each. Nothing is lost by them."""
        ...

    @property
    def unread(self) -> Sequence[Unread]:
        """Parts that may hold rows or tables and were not read."""
        ...

    def tables(self) -> list[TableSchema]:
        """Table names. Tables of the same name in two schemas are called `schema.table`."""
        ...

    def count(self, table: str) -> int: ...

    def batches(self, table: str, size: int, after: list[Any] | None = None) -> Iterator[Batch]:
        """All rows after a position, ordered by the primary key, or without one by their place in
        the table.
        """
        ...

    def related(self, table: str, column: str, values: Sequence[Any]) -> list[Row]:
        """The rows of a table whose column has one of some values, in a stable order."""
        ...

    def close(self) -> None: ...
