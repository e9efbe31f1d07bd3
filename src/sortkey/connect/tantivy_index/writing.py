"""The one writer of an index: versions are compared, writes gather, and a commit makes them found and safe.

A commit waits for the disk, so one serves everything that has come until then. A thread makes one soon after a write;
while very much comes, it lets more gather.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence

from tantivy import Query

from sortkey.connect.tantivy_index import columns as at
from sortkey.connect.tantivy_index.columns import tombstone
from sortkey.connect.tantivy_index.keywords import encode
from sortkey.connect.tantivy_index.opened import Opened
from sortkey.errors import SearchWritesFailed
from sortkey.model.documents import DocumentWrite, PutDocument
from sortkey.runtime.search.port import DELETES_KEPT_SECONDS, Written

HEAP_BYTES = 64_000_000
COMMIT_SECONDS = 0.02
"""How long a write waits for others before a commit."""
BULK_WRITES = 1000
BULK_SECONDS = 2.0
"""When so many wait already, the commit does, too: small ones would cost more than they are worth."""
PENDING_MAX = 100_000


class Writer:
    """Writes one inner folder. `commit_seconds=None` leaves commits to `commit`."""

    def __init__(self, opened: Opened, clock: Callable[[], float], commit_seconds: float | None) -> None:
        self._opened, self._clock, self._commit_seconds = opened, clock, commit_seconds
        self._writer = opened.index.writer(HEAP_BYTES, 1)
        self._pending: dict[str, int] = {}
        self._failure: SearchWritesFailed | None = None
        self._wake = threading.Condition(threading.RLock())
        self._is_closed = False
        self._forget_deletes()
        if commit_seconds is not None:
            threading.Thread(target=self._commit_soon, name="sortkey-search-commit", daemon=True).start()

    def write(self, writes: Sequence[DocumentWrite]) -> Written:
        rows = [(each, self._row(each)) for each in writes]  # while a commit waits for the disk
        with self._wake:
            self._tell_failure()
            known = self._known({each.id for each in writes})
            late = [each.id for each, row in rows if not self._put(each, row, known)]
            if len(self._pending) >= PENDING_MAX:
                self.commit()
            elif self._pending:
                self._wake.notify_all()
        return Written(len(writes) - len(late), late)

    def commit(self) -> None:
        """Make everything that was written found, and safe. Raises SearchWritesFailed."""
        with self._wake:
            if self._pending:
                try:
                    self._writer.commit()
                except Exception as error:
                    self._give_up(error)
                self._pending = {}
                self._opened.reload()
            self._tell_failure()

    def is_pending(self, ids: Iterable[str]) -> bool:
        """Whether some documents were written and not committed."""
        with self._wake:
            return any(each in self._pending for each in ids)

    def close(self) -> None:
        """Commit, and wait for what tantivy does behind one's back."""
        with self._wake:
            if self._is_closed:
                return
            self._is_closed = True
            self._wake.notify_all()
            self.commit()
            self._writer.wait_merging_threads()

    def _row(self, write: DocumentWrite) -> str:
        if isinstance(write, PutDocument):
            return self._opened.columns.row(write)
        return tombstone(write.id, write.version, int(self._clock()))

    def _put(self, write: DocumentWrite, row: str, known: dict[str, int]) -> bool:
        have = known.get(write.id)
        if have is not None:
            if write.version < have:
                return False
            self._writer.delete_documents_by_term(at.ID, encode(write.id))
        self._writer.add_json(row)
        known[write.id] = self._pending[write.id] = write.version
        return True

    def _known(self, ids: set[str]) -> dict[str, int]:
        """The versions that the index has, of deleted documents too."""
        pending = self._pending
        asked = [each for each in ids if each not in pending]
        known = self._opened.versions(asked) if asked else {}
        return known | {each: pending[each] for each in ids if each in pending}

    def _forget_deletes(self) -> None:
        long_ago = int(self._clock()) - DELETES_KEPT_SECONDS
        translator = self._opened.translator()
        gone = Query.term_query(self._opened.schema, at.GONE, True)
        old = translator.all([gone, translator.between(at.GONE_AT, None, long_ago)])
        if translator.count(old):
            self._writer.delete_documents_by_query(old)
            self._writer.commit()
            self._opened.reload()

    # -- commits by themselves

    def _commit_soon(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._pending or self._is_closed)
                if self._is_closed:
                    return
                self._gather()
                if self._pending and not self._is_closed:
                    try:
                        self.commit()
                    except SearchWritesFailed as error:
                        self._failure = error  # for whoever comes next

    def _gather(self) -> None:
        began = time.monotonic()
        assert self._commit_seconds is not None
        until = began + self._commit_seconds
        while (left := until - time.monotonic()) > 0 and not self._is_closed:
            self._wake.wait(left)
            if len(self._pending) >= BULK_WRITES:
                until = began + max(BULK_SECONDS, self._commit_seconds)

    # -- when the disk is full

    def _give_up(self, error: Exception) -> None:
        message = f"{self._opened.path}: {len(self._pending)} documents were not written: {error}"
        self._failure = SearchWritesFailed(message, dict.fromkeys(self._pending, str(error)))
        self._failure.__cause__ = error
        self._writer.rollback()

    def _tell_failure(self) -> None:
        """Once: who hears of it writes again what is missing."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
