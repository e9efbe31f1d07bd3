"""What search stands on: an index of documents. Adapters, in `connect`, get normal forms and
checked queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sortkey.model.documents import DocumentWrite, Fields
from sortkey.runtime.search.matches import Match
from sortkey.runtime.search.queries import FacetValue, SearchQuery

DELETES_KEPT_SECONDS = 3600
"""How long an index knows that a document is deleted: a put of an older version that comes later
than this is taken.
"""

Position = list[Any]
"""Where a page ended, as JSON can hold it. Only the index that made it knows what it means."""

Marked = tuple[str, list[tuple[int, int]]]
"""A text, and where in it the words stand that were searched for: from, to, in characters."""


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """One document of an answer."""

    id: str
    version: int
    fields: Fields
    score: float | None = None
    marked: dict[str, list[Marked]] = field(default_factory=dict[str, list[Marked]])


@dataclass(frozen=True, slots=True)
class Answer:
    """A page; `position` is None at the end."""

    documents: list[IndexedDocument]
    total: int
    facets: dict[str, list[FacetValue]]
    position: Position | None


@dataclass(frozen=True, slots=True)
class Written:
    """What came of writes: how many count, and the ids of those that came too late."""

    written: int
    late: list[str]


class SearchIndex(Protocol):
    """An index of one kind of documents, behind a name that can be moved to another index."""

    def ensure(self) -> list[str]:
        """Make the index fit its declaration. Says what was done, and what cannot be without a
        reindex.
        """
        ...

    def write(self, writes: Sequence[DocumentWrite], /) -> Written:
        """Put and delete documents, in order. What is older than what is there is late, and left
        out.
        """
        ...

    def flush(self) -> None:
        """Return when everything that was written survives a crash of this program."""
        ...

    def refresh(self) -> None:
        """Return when everything that was written is found, and survives a crash of this
        program.
        """
        ...

    def query(self, query: SearchQuery, position: Position | None, /) -> Answer:
        """A page of a checked query, behind a position that an answer to the same query had."""
        ...

    def count(self, where: Match | None, /) -> int: ...

    def get(self, ids: Sequence[str], /) -> dict[str, IndexedDocument]:
        """Documents by their ids, also those that no query finds yet. What is not there is left
        out.
        """
        ...

    def known(self, ids: Sequence[str], /) -> dict[str, int]:
        """The versions alone of what `get` gives."""
        ...

    def versions(self, after: str | None, size: int, /) -> list[tuple[str, int]]:
        """Ids and versions of what queries find, in the order of the ids, from behind one of them
        on.
        """
        ...

    def beside(self) -> SearchIndex:
        """The index that is being built to replace this one: begun now, or taken up where it was
        left.
        """
        ...

    def note(self, progress: Any, /) -> None:
        """Keep how far the building of this index has come; it survives a crash, and so does what
        was written.
        """
        ...

    def noted(self) -> Any:
        """What was kept last; None at the beginning."""
        ...

    def replace_with(self, built: Any, /) -> None:
        """Answer from an index that was built beside, from one moment to the next, and forget the
        present one.
        """
        ...

    def close(self) -> None:
        """Give up what it holds; what was written is kept. Closing twice is fine."""
        ...
