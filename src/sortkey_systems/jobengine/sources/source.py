"""The interface of a source: what it has, and its rows in the order of their key, from any
position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sortkey_systems.jobengine.sources.schema import Batch, Row, TableSchema


class SourceError(Exception):
    """A source cannot be opened or read; the message says which, and what to do."""


@dataclass(slots=True)
class Unread:
    """What of a source was not read, though it may hold rows or tables: alike cases together, never
    with a value.

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
        """What is odd about it, a line each. Nothing is lost by it."""
        ...

    @property
    def unread(self) -> Sequence[Unread]:
        """What may hold rows or tables and was not read."""
        ...

    def tables(self) -> list[TableSchema]:
        """By name. Tables of two schemas that have one name are called `schema.table`."""
        ...

    def count(self, table: str) -> int: ...

    def batches(self, table: str, size: int, after: list[Any] | None = None) -> Iterator[Batch]:
        """All rows after a position, by the primary key, or where there is none by the place in the
        table.
        """
        ...

    def related(self, table: str, column: str, values: Sequence[Any]) -> list[Row]:
        """The rows of a table whose column has one of some values, in a stable order."""
        ...

    def close(self) -> None: ...
