"""The one writer of an index: versions are compared, writes gather, and a commit makes them found
and safe.

A commit waits for the disk, so one serves everything that has come until then. A thread makes one
soon after a write; while very much comes, it lets more gather.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence

from tantivy import IndexWriter, Query

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
BULK_SECONDS = 5.0
"""When so many wait already, the commit does, too: small ones would cost more than they are worth.
"""
BULK_THREADS = min(4, os.cpu_count() or 1)
BULK_HEAP_BYTES = 128_000_000
PENDING_MAX = 100_000
FORGET_EVERY_SECONDS = 600


class Writer:
    """Writes one inner folder. `commit_seconds=None` leaves commits to `commit`."""

    def __init__(
        self, opened: Opened, clock: Callable[[], float], commit_seconds: float | None
    ) -> None:
        self._opened, self._clock, self._commit_seconds = opened, clock, commit_seconds
        self._writer: IndexWriter | None = opened.index.writer(HEAP_BYTES, 1)
        # Of a commit that a crash cut off, files may be left whose names the next one wants.
        self._writer.garbage_collect_files()
        self._is_bulk: bool = False
        self._pending: dict[str, int] = {}
        self._failure: SearchWritesFailed | None = None
        self._wake = threading.Condition(threading.RLock())
        self.is_closed = False
        self._forget_at = 0
        if commit_seconds is not None:
            threading.Thread(
                target=self._commit_soon, name="sortkey-search-commit", daemon=True
            ).start()

    def write(self, writes: Sequence[DocumentWrite]) -> Written | None:
        """Says what was done; None where the writer was closed meanwhile, and nothing was."""
        rows = [(each, self._row(each)) for each in writes]  # while a commit waits for the disk
        with self._wake:
            self._tell_failure()
            if self.is_closed:
                return None
            known = self._known({each.id for each in writes})
            late = [each.id for each, row in rows if not self._put(each, row, known)]
            if len(self._pending) >= (PENDING_MAX if self._is_bulk else BULK_WRITES):
                self._commit()
                self._tell_failure()
                self._expect(bulk=True)
            elif self._pending:
                self._wake.notify_all()
        return Written(len(writes) - len(late), late)

    def commit(self) -> None:
        """Make everything that was written found, and safe. Raises SearchWritesFailed."""
        with self._wake:
            if self._pending and not self.is_closed:
                few = len(self._pending) < BULK_WRITES
                self._commit()
                if few and not self.is_closed:
                    self._expect(bulk=False)
            self._tell_failure()

    def is_pending(self, ids: Iterable[str]) -> bool:
        """Whether some documents were written and not committed."""
        with self._wake:
            return any(each in self._pending for each in ids)

    def close(self) -> None:
        """Commit, and wait for what tantivy does behind one's back."""
        with self._wake:
            if self.is_closed:
                return
            self._wake.notify_all()
            try:
                self.commit()
            finally:
                self.is_closed = True
                writer, self._writer = self._writer, None
                if writer is not None:
                    writer.wait_merging_threads()

    @property
    def _in_use(self) -> IndexWriter:
        assert self._writer is not None, "the writer is closed"
        return self._writer

    def _expect(self, *, bulk: bool) -> None:
        """More threads while very much comes; one else, because each makes files of its own with
        every commit.
        """
        if bulk is self._is_bulk:
            return
        self._writer = None  # gives its lock back
        heap, threads = (BULK_HEAP_BYTES, BULK_THREADS) if bulk else (HEAP_BYTES, 1)
        try:
            self._writer = self._opened.index.writer(heap, threads)
            self._is_bulk = bulk
        except (
            Exception
        ):  # everything is committed; the next write opens another, or says why it cannot
            self.is_closed = True
            self._wake.notify_all()

    def _commit(self) -> None:
        try:
            self._forget_deletes()
            self._in_use.commit()
        except Exception as error:
            self._give_up(error)
        else:
            self._opened.reload()
        self._pending = {}
        self._wake.notify_all()

    def _row(self, write: DocumentWrite) -> str:
        if isinstance(write, PutDocument):
            return self._opened.columns.row(write)
        return tombstone(write.id, write.version, int(self._clock()))

    def _put(self, write: DocumentWrite, row: str, known: dict[str, int]) -> bool:
        have = known.get(write.id)
        if have is not None:
            if write.version < have:
                return False
            self._in_use.delete_documents_by_term(at.ID, encode(write.id))
        self._in_use.add_json(row)
        known[write.id] = self._pending[write.id] = write.version
        return True

    def _known(self, ids: set[str]) -> dict[str, int]:
        """The versions that the index has, of deleted documents too."""
        pending = self._pending
        asked = [each for each in ids if each not in pending]
        known = self._opened.versions(asked) if asked else {}
        return known | {each: pending[each] for each in ids if each in pending}

    def _forget_deletes(self) -> None:
        """Now and then: what was deleted long ago need not be known any more."""
        now = int(self._clock())
        if now < self._forget_at:
            return
        self._forget_at = now + FORGET_EVERY_SECONDS
        translator = self._opened.translator()
        gone = Query.term_query(self._opened.schema, at.GONE, True)
        long_ago = translator.between(at.GONE_AT, None, now - DELETES_KEPT_SECONDS)
        self._in_use.delete_documents_by_query(translator.all([gone, long_ago]))

    # -- commits by themselves

    def _commit_soon(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._pending or self.is_closed)
                if self.is_closed:
                    return
                self._gather()
                if self._pending and not self.is_closed:
                    try:
                        self.commit()
                    except SearchWritesFailed as error:
                        self._failure = error  # for whoever comes next

    def _gather(self) -> None:
        """Wait for more writes, but not long; return at once where somebody else has committed."""
        assert self._commit_seconds is not None
        began = time.monotonic()
        while self._pending and not self.is_closed:
            bulk = len(self._pending) >= BULK_WRITES
            left = (
                began
                + (max(BULK_SECONDS, self._commit_seconds) if bulk else self._commit_seconds)
                - time.monotonic()
            )
            if left <= 0:
                return
            self._wake.wait(left)

    # -- when the disk is full

    def _give_up(self, error: Exception) -> None:
        message = f"{self._opened.path}: {len(self._pending)} documents were not written: {error}"
        self._failure = SearchWritesFailed(message, dict.fromkeys(self._pending, str(error)))
        self._failure.__cause__ = error
        try:
            self._in_use.rollback()
            self._in_use.garbage_collect_files()
        except Exception:  # then it is of no use any more; the next write opens another
            self._writer, self.is_closed = None, True

    def _tell_failure(self) -> None:
        """Once: who hears of it writes again what is missing."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
