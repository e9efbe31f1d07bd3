"""The port of search: an index of documents. Adapters, in `connect`, get normal forms and checked
queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sortkey.model.documents import DocumentWrite, Fields
from sortkey.runtime.search.matches import Match
from sortkey.runtime.search.queries import FacetValue, SearchQuery

DELETES_KEPT_SECONDS = 3600
"""How long an index remembers a deleted document. After that, a put of an older version is
accepted.
"""

Position = list[Any]
"""The end of a page as a JSON value, with a meaning that only its index knows."""

Marked = tuple[str, list[tuple[int, int]]]
"""A text, and the (start, end) positions of matching words in it, in characters."""


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """One document in an index."""

    id: str
    version: int
    fields: Fields
    score: float | None = None
    marked: dict[str, list[Marked]] = field(default_factory=dict[str, list[Marked]])


@dataclass(frozen=True, slots=True)
class Answer:
    """A page of results. `position` is None at the end."""

    documents: list[IndexedDocument]
    total: int
    facets: dict[str, list[FacetValue]]
    position: Position | None


@dataclass(frozen=True, slots=True)
class Written:
    """The result of writes: how many were accepted, and the ids of those that were outdated."""

    written: int
    late: list[str]


class SearchIndex(Protocol):
    """An index of one kind of documents, behind a name that can be moved to another index."""

    def ensure(self) -> list[str]:
        """Make the index match its declaration. Returns what was done, and what needs a reindex."""
        ...

    def write(self, writes: Sequence[DocumentWrite], /) -> Written:
        """Put and delete documents in order. Writes with an older version than the index has are
        ignored.
        """
        ...

    def flush(self) -> None:
        """Return when everything that was written survives a crash of this program."""
        ...

    def refresh(self) -> None:
        """Return when everything that was written can be found, and survives a crash of this
        program.
        """
        ...

    def query(self, query: SearchQuery, position: Position | None, /) -> Answer:
        """A page of a checked query, after a position from an answer to the same query."""
        ...

    def count(self, where: Match | None, /) -> int: ...

    def values(self, field: str, where: Match | None, /) -> list[str]:
        """Every different text of a field among the matching documents, in no order. Raises
        ModelError for a list or an undeclared field with more than the index can count.
        """
        ...

    def get(self, ids: Sequence[str], /) -> dict[str, IndexedDocument]:
        """Documents by id, also those that queries do not find yet. Missing ones are left out."""
        ...

    def known(self, ids: Sequence[str], /) -> dict[str, int]:
        """Only the versions of what `get` returns."""
        ...

    def versions(self, after: str | None, size: int, /) -> list[tuple[str, int]]:
        """Ids and versions of searchable documents in the order of ids, after a given one."""
        ...

    def replacement(self) -> SearchIndex:
        """The index that is being built to replace this one, new or resumed."""
        ...

    def note(self, progress: Any, /) -> None:
        """Store the progress of building this index, durably with what was written."""
        ...

    def noted(self) -> Any:
        """The last stored progress, None at the beginning."""
        ...

    def replace_with(self, built: Any, /) -> None:
        """Replace this index by another one atomically, and delete this one."""
        ...

    def close(self) -> None:
        """Release resources. What was written is kept. Closing twice is fine."""
        ...
