"""`Search`: writes and finds documents in any index. Checks, cursors and highlights are here."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Generic, TypeVar

from sortkey.model.documents import Document, DocumentWrite
from sortkey.runtime import cursors
from sortkey.runtime.search.highlights import snippet
from sortkey.runtime.search.matches import Match
from sortkey.runtime.search.port import IndexedDocument, SearchIndex, Written
from sortkey.runtime.search.queries import Hit, SearchPage, SearchQuery
from sortkey.runtime.search.query_checks import check_texts, checked, checked_match

T = TypeVar("T")
BATCH = 500
"""Documents per batch."""


class Search(Generic[T]):
    """The documents of one declaration. Threads may share one.

    Cursors are signed with `secret` and bound to `tenant`. Without a secret they are valid until
    the program ends.
    """

    def __init__(
        self,
        document: Document[T],
        index: SearchIndex,
        *,
        secret: bytes | None = None,
        tenant: str = "",
    ) -> None:
        self.document, self.index = document, index
        self._secret, self._tenant = secret or os.urandom(32), tenant
        self._building: SearchIndex | None = None
        self._replacing = threading.Lock()

    def ensure(self) -> list[str]:
        """Create the index, or make it match the declaration. Returns what was done, and what needs
        a reindex.
        """
        return self.index.ensure()

    # -- writes

    def put(self, *sources: T) -> Written:
        """Index entities as they are now. Those whose document is None are deleted."""
        return self.write(self.document.write_of(source) for source in sources)

    def write(self, writes: Iterable[DocumentWrite]) -> Written:
        """Put and delete documents in order, in batches. They can be found within a second.

        They survive a crash of this program only after `flush`: call it before you report success.
        """
        count, late, rest = 0, list[str](), iter(writes)
        while batch := list(islice(rest, BATCH)):
            written = self._write(batch)
            count, late = count + written.written, late + written.late
        return Written(count, late)

    def flush(self) -> None:
        """Return when everything that was written survives a crash of this program."""
        with self._replacing:
            if self._building is not None:
                self._building.flush()
            self.index.flush()

    def refresh(self) -> None:
        """Return when everything that was written can be found, and survives a crash of this
        program.
        """
        self.index.refresh()

    # -- reads

    def query(self, query: SearchQuery | Match | None = None) -> SearchPage:
        """A page of matching documents. Raises ModelError for an invalid query, and BadCursor."""
        request = query if isinstance(query, SearchQuery) else SearchQuery(query)
        normal = checked(self.document, request)
        identity = {
            "index": self.document.name,
            "kind": type(self.index).__name__,
            **normal.identity,
        }
        position: Any = None
        if request.cursor is not None:
            position = cursors.read(self._secret, self._tenant, identity, request.cursor)
        answer = self.index.query(normal, position)
        cursor: str | None = None
        if answer.position is not None:
            cursor = cursors.sign(self._secret, self._tenant, identity, answer.position)
        return SearchPage(
            [_hit(match) for match in answer.documents], answer.total, answer.facets, cursor
        )

    def iterate(self, query: SearchQuery | Match | None = None) -> Iterator[Hit]:
        """All matching documents one by one, read page by page."""
        request = query if isinstance(query, SearchQuery) else SearchQuery(query, size=BATCH)
        while True:
            page = self.query(request)
            yield from page.hits
            if page.cursor is None:
                return
            request = replace(request, cursor=page.cursor)

    def count(self, where: Match | None = None) -> int:
        return self.index.count(
            None if where is None else checked_match(self.document.fields, where)
        )

    def values(self, field: str, where: Match | None = None) -> list[str]:
        """Every different text of a field among the matching documents, in no order."""
        check_texts(self.document.fields, field)
        return self.index.values(
            field, None if where is None else checked_match(self.document.fields, where)
        )

    def get(self, id: str) -> Hit | None:
        """A document by its id, also one that queries do not find yet."""
        stored = self.index.get([id]).get(id)
        return None if stored is None else _hit(stored)

    def versions_of(self, ids: Sequence[str]) -> dict[str, int]:
        """The versions of some documents. Missing ones are left out."""
        return self.index.known(ids)

    # -- building another index

    def replacement(self) -> Search[T]:
        """The search that will replace this one. Until then, writes go to both."""
        self._building = self.index.replacement()
        return Search(self.document, self._building, secret=self._secret, tenant=self._tenant)

    def replace_with(self, built: Search[T]) -> None:
        """Replace the index by one that `replacement` returned, atomically."""
        with self._replacing:
            self.index.replace_with(built.index)
            self._building = None

    def _write(self, batch: Sequence[DocumentWrite]) -> Written:
        if self._building is None:
            return self.index.write(batch)
        with self._replacing:
            self._write_beside(batch)
            return self.index.write(batch)

    def _write_beside(self, batch: Sequence[DocumentWrite]) -> None:
        """Changes during the build also go to the new index."""
        if self._building is not None:
            self._building.write(batch)

    def close(self) -> None:
        self.index.close()

    def __enter__(self) -> Search[T]:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _hit(match: IndexedDocument) -> Hit:
    highlights = {
        name: [snippet(text, marks) for text, marks in marked]
        for name, marked in match.marked.items()
    }
    return Hit(match.id, match.version, match.fields, match.score, highlights)
