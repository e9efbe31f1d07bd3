"""The interface of a source: what it has, and its rows in the order of their key, from any position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from sortkey_systems.jobengine.sources.schema import Batch, Row, TableSchema


class SourceError(Exception):
    """A source cannot be opened or read; the message says which, and what to do."""


class Source(Protocol):
    """A database to migrate from. It is only read."""

    @property
    def name(self) -> str: ...

    @property
    def notes(self) -> Sequence[str]:
        """What was found and could not be read, a line each."""
        ...

    def tables(self) -> list[TableSchema]: ...

    def count(self, table: str) -> int: ...

    def batches(self, table: str, size: int, after: list[Any] | None = None) -> Iterator[Batch]:
        """All rows after a position, by the primary key, or where there is none by the place in the table."""
        ...

    def related(self, table: str, column: str, values: Sequence[Any]) -> list[Row]:
        """The rows of a table whose column has one of some values, in a stable order."""
        ...

    def close(self) -> None: ...
