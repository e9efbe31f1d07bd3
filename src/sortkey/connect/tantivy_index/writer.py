"""The only writer of an index. It compares versions, collects writes, and commits them.

A commit waits for the disk, so one commit serves all writes until then. A thread commits soon after
a write. Under heavy load it waits for more.
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
"""From so many pending writes on, the commit waits for more: small commits would cost too much."""
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
        # A commit that crashed may have left files whose names the next one needs.
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
        """Returns what was written, or None if the writer was closed and nothing was."""
        rows = [(write, self._row(write)) for write in writes]  # while a commit waits for the disk
        with self._wake:
            self._tell_failure()
            if self.is_closed:
                return None
            versions = self._versions({write.id for write in writes})
            late = [write.id for write, row in rows if not self._put(write, row, versions)]
            if len(self._pending) >= (PENDING_MAX if self._is_bulk else BULK_WRITES):
                self._commit()
                self._tell_failure()
                self._expect(bulk=True)
            elif self._pending:
                self._wake.notify_all()
        return Written(len(writes) - len(late), late)

    def commit(self) -> None:
        """Make all writes visible and durable. Raises SearchWritesFailed."""
        with self._wake:
            if self._pending and not self.is_closed:
                few = len(self._pending) < BULK_WRITES
                self._commit()
                if few and not self.is_closed:
                    self._expect(bulk=False)
            self._tell_failure()

    def is_pending(self, ids: Iterable[str]) -> bool:
        """Whether any of these documents is written but not committed."""
        with self._wake:
            return any(id in self._pending for id in ids)

    def close(self) -> None:
        """Commit, and wait for tantivy's background work."""
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
        """Use more threads under heavy load. Otherwise one, because each writes its own files with
        every commit.
        """
        if bulk is self._is_bulk:
            return
        self._writer = None  # releases its lock
        heap, threads = (BULK_HEAP_BYTES, BULK_THREADS) if bulk else (HEAP_BYTES, 1)
        try:
            self._writer = self._opened.index.writer(heap, threads)
            self._is_bulk = bulk
        except Exception:  # everything is committed; the next write opens a new one or raises
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

    def _put(self, write: DocumentWrite, row: str, versions: dict[str, int]) -> bool:
        current = versions.get(write.id)
        if current is not None:
            if write.version < current:
                return False
            self._in_use.delete_documents_by_term(at.ID, encode(write.id))
        self._in_use.add_json(row)
        versions[write.id] = self._pending[write.id] = write.version
        return True

    def _versions(self, ids: set[str]) -> dict[str, int]:
        """The versions that the index has, of deleted documents too."""
        pending = self._pending
        unknown = [id for id in ids if id not in pending]
        versions = self._opened.versions(unknown) if unknown else {}
        return versions | {id: pending[id] for id in ids if id in pending}

    def _forget_deletes(self) -> None:
        """From time to time, forget documents that were deleted long ago."""
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
                        self._failure = error  # for the next caller

    def _gather(self) -> None:
        """Wait a little for more writes. Return at once if another thread has committed."""
        assert self._commit_seconds is not None
        began = time.monotonic()
        while self._pending and not self.is_closed:
            bulk = len(self._pending) >= BULK_WRITES
            remaining = (
                began
                + (max(BULK_SECONDS, self._commit_seconds) if bulk else self._commit_seconds)
                - time.monotonic()
            )
            if remaining <= 0:
                return
            self._wake.wait(remaining)

    # -- when the disk is full

    def _give_up(self, error: Exception) -> None:
        message = f"{self._opened.path}: {len(self._pending)} documents were not written: {error}"
        self._failure = SearchWritesFailed(message, dict.fromkeys(self._pending, str(error)))
        self._failure.__cause__ = error
        try:
            self._in_use.rollback()
            self._in_use.garbage_collect_files()
        except Exception:  # it is unusable now; the next write opens a new one
            self._writer, self.is_closed = None, True

    def _tell_failure(self) -> None:
        """Raise the failure once: the caller then repeats the missing writes."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
