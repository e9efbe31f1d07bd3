"""`Search`: writes documents and finds them, in whichever index. Checks, cursors and highlights are
here, once.
"""

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
from sortkey.runtime.search.query_checks import checked, checked_match

T = TypeVar("T")
BATCH = 500
"""Documents that go to an index at once."""


class Search(Generic[T]):
    """The documents of one declaration. Safe to share between threads.

    Cursors are signed with `secret` and bound to `tenant`; without a secret they hold as long as
    the program runs.
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
        """Create the index, or fit it to the declaration. Says what was done, and what needs a
        reindex.
        """
        return self.index.ensure()

    # -- writes

    def put(self, *sources: T) -> Written:
        """Index entities as they are now. Those that the declaration does not show are deleted."""
        return self.write(self.document.write_of(source) for source in sources)

    def write(self, writes: Iterable[DocumentWrite]) -> Written:
        """Put and delete documents, in order, in batches. They are found after a while, at the
        latest a second.

        They survive a crash of this program after `flush`: call it before you say that they are
        done.
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
        """Return when everything that was written is found, and survives a crash of this
        program.
        """
        self.index.refresh()

    # -- reads

    def query(self, query: SearchQuery | Match | None = None) -> SearchPage:
        """A page of what matches. Raises ModelError for what cannot be asked, BadCursor for a
        foreign cursor.
        """
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
        """Everything that matches, one by one, read page by page."""
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

    def get(self, id: str) -> Hit | None:
        """A document by its id, also one that no query finds yet."""
        stored = self.index.get([id]).get(id)
        return None if stored is None else _hit(stored)

    def versions_of(self, ids: Sequence[str]) -> dict[str, int]:
        """The versions of some documents; those that are not there are left out."""
        return self.index.known(ids)

    # -- building another index

    def beside(self) -> Search[T]:
        """The search that will replace this one; until it does, what is written here is written
        there too.
        """
        self._building = self.index.beside()
        return Search(self.document, self._building, secret=self._secret, tenant=self._tenant)

    def replace_with(self, built: Search[T]) -> None:
        """Answer from what was built beside, from one moment to the next."""
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
        """What changes while a new index is built must not be missing in it."""
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
