"""The search index port on tantivy: opening and reopening, queries, and the rebuild beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tantivy import Query

from sortkey.connect.tantivy_index import columns as at
from sortkey.connect.tantivy_index.answers import answer
from sortkey.connect.tantivy_index.home import Home, Role, State
from sortkey.connect.tantivy_index.keywords import decode, encode
from sortkey.connect.tantivy_index.opened import Opened
from sortkey.connect.tantivy_index.pages import Row
from sortkey.connect.tantivy_index.writer import COMMIT_SECONDS, Writer
from sortkey.errors import SearchIndexMissing
from sortkey.model.documents import DeleteDocument, Document, DocumentWrite, PutDocument
from sortkey.runtime.search.matches import Match
from sortkey.runtime.search.port import Answer, IndexedDocument, Position, Written
from sortkey.runtime.search.queries import SearchQuery

REPLACED_WHILE_OPENING = 5
COPIED = 1000


class TantivyIndex:
    """Documents in a folder. The first write makes this process the only writer. Others may always
    read.
    """

    def __init__(
        self,
        document: Document[Any],
        folder: Path,
        *,
        commit_seconds: float | None = COMMIT_SECONDS,
        clock: Callable[[], float] = time.time,
        home: Home | None = None,
        role: Role = "live",
    ) -> None:
        self._document, self._home = document, home or Home(folder)
        self._role: Role = role
        self._commit_seconds, self._clock = commit_seconds, clock
        self._lock = threading.RLock()
        self._opened: Opened | None = None
        self._stamp: tuple[int, int] | None = None
        self._writer: Writer | None = None
        self._building: TantivyIndex | None = None

    # -- the port

    def ensure(self) -> list[str]:
        with self._lock:
            state = self._home.state(self._role)
            if state is not None and state.fits(self._document.fields):
                return []
            self._home.own()
            if state is None:
                self._begin(self._role)
                return [f"created {self._document.name} in {self._home.path}"]
            return [self._copy(state)]

    def write(self, writes: Sequence[DocumentWrite], /) -> Written:
        while (written := self._writing().write(writes)) is None:
            pass  # the index was just replaced: there is another writer now
        return written

    def flush(self) -> None:
        if self._writer is not None:
            self._writer.commit()

    def refresh(self) -> None:
        self.flush()

    def query(self, query: SearchQuery, position: Position | None, /) -> Answer:
        return answer(self._reading(), query, position)

    def count(self, where: Match | None, /) -> int:
        translator = self._reading().translator()
        return translator.count(translator.live(where))

    def values(self, field: str, where: Match | None, /) -> list[str]:
        opened = self._reading()
        translator, pages = opened.pages()
        codes = pages.values(translator.live(where), opened.columns.of(field))
        return [decode(code) for code in codes]

    def get(self, ids: Sequence[str], /) -> dict[str, IndexedDocument]:
        if self._writer is not None and self._writer.is_pending(ids):
            self._writer.commit()
        opened = self._reading()
        translator, pages = opened.pages()
        coded = [encode(id) for id in ids]
        query = translator.without_gone(Query.term_set_query(opened.schema, at.ID, coded))
        rows = pages.unordered(query, len(ids))
        return {row.id: IndexedDocument(row.id, row.version, row.fields) for row in rows}

    def known(self, ids: Sequence[str], /) -> dict[str, int]:
        return {id: hit.version for id, hit in self.get(ids).items()}

    def versions(self, after: str | None, size: int, /) -> list[tuple[str, int]]:
        translator, pages = self._reading().pages()
        rows = pages.versions(translator.live(None), None if after is None else encode(after), size)
        return [(decode(code), version) for code, version in rows]

    # -- its replacement

    def replacement(self) -> TantivyIndex:
        with self._lock:
            self._home.own()
            state = self._home.state("building")
            if state is None or not state.fits(self._document.fields):
                self._begin("building")
                self._building = None
            if self._building is None:
                settings: dict[str, Any] = {
                    "commit_seconds": self._commit_seconds,
                    "clock": self._clock,
                }
                self._building = TantivyIndex(
                    self._document, self._home.path, home=self._home, role="building", **settings
                )
            return self._building

    def note(self, progress: Any, /) -> None:
        self.flush()
        state = self._state()
        self._home.keep(self._role, replace(state, progress=progress))

    def noted(self) -> Any:
        state = self._state()
        return state.progress if state.fits(self._document.fields) else None

    def replace_with(self, built: TantivyIndex, /) -> None:
        with self._lock:
            built.finish()
            self.finish()
            self._home.make_live()
            self._opened = self._building = None

    def finish(self) -> None:
        """Commit, and stop writing until the next write."""
        with self._lock:
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def close(self) -> None:
        with self._lock:
            if self._building is not None:
                self._building.close()
            self.finish()
            self._opened = self._building = None
            if self._role == "live":
                self._home.release()

    # -- opening

    def _state(self) -> State:
        state = self._home.state(self._role)
        if state is None:
            raise SearchIndexMissing(
                f"there is no index {self._document.name} in {self._home.path}: call ensure()"
            )
        if not state.serves(self._document.fields):
            raise SearchIndexMissing(
                f"the index in {self._home.path} was built for another declaration of "
                f"{self._document.name}:"
                " call ensure()"
            )
        return state

    def _begin(self, role: Role) -> None:
        folder = self._home.new_folder()
        Opened.create(self._home.path / folder, self._document.fields)
        self._home.keep(role, State(folder, self._document.fields.signature))

    def _reading(self) -> Opened:
        """The current index, also if another process writes it or has replaced it."""
        with self._lock:
            if self._writer is not None and self._opened is not None:
                return self._opened
            for _ in range(REPLACED_WHILE_OPENING):
                stamp = self._home.stamp(self._role)
                try:
                    if self._opened is None or stamp != self._stamp:
                        state = self._state()
                        self._opened, self._stamp = (
                            Opened(self._home.path / state.folder, self._document.fields),
                            stamp,
                        )
                    self._opened.reload()
                    return self._opened
                except (OSError, ValueError):
                    if stamp == self._home.stamp(self._role):
                        raise
            raise SearchIndexMissing(
                f"the index in {self._home.path} is replaced too often to be opened"
            )

    def _writing(self) -> Writer:
        with self._lock:
            if self._writer is None or self._writer.is_closed:
                self._writer = None
                self._home.own()
                self._writer = Writer(self._reading(), self._clock, self._commit_seconds)
            return self._writer

    def _copy(self, state: State) -> str:
        """A new folder for another declaration, filled from the old documents, deleted ones too.

        It answers at once, but only a rebuild from the source fills new and changed fields. So no
        progress is noted.
        """
        self.finish()
        translator, pages = Opened(self._home.path / state.folder, self._document.fields).pages()
        self._begin("building")
        copy, count = self.replacement(), 0
        for rows in pages.every(translator.everything(), COPIED):
            copy.write([self._still_known(row) for row in rows])
            count += len(rows)
        self.replace_with(copy)
        return (
            f"{self._document.name} is declared differently from its index in {self._home.path}: "
            f"copied {count}"
            " documents; reindex to fill the new fields"
        )

    def _still_known(self, row: Row) -> DocumentWrite:
        if row.is_gone:
            return DeleteDocument(row.id, row.version)
        return PutDocument(row.id, row.version, self._document.fields.still_known(row.fields))
