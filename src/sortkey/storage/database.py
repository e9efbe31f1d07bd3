"""The one SQLite connection that everything goes through, and the thread that checkpoints its log.

The first write opens a transaction, and the driver of the engine commits it, so that many requests
share one commit. Durability: WAL. NORMAL survives a crash of the process, FULL one of the machine.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, Literal

import apsw

from sortkey.storage.folder import Folder
from sortkey.storage.hot_rows import HotRows

Synchronous = Literal["normal", "full"]

CHECKPOINT_PAGES = 6_000
"""The number of new log pages after which the background thread checkpoints them."""

STALLED_PAGES = 9_000
"""The number of log pages after which a commit no longer waits for that thread."""

LOG_BYTES = STALLED_PAGES * 4_120
"""A log of that many pages: a page has 4,096 bytes, and 24 of its own in the log."""

SCHEMA = """
create table if not exists meta(name text primary key, value) without rowid;
create table if not exists record(kind text, id text, body blob not null, primary key(kind, id)) without rowid;
create table if not exists journal(
    seq integer primary key, tbl integer not null, at_ms integer not null, key blob not null,
    old blob, new blob, actor integer not null
);
create index if not exists journal_tbl on journal(tbl, seq);
"""


class Database:
    """A SQLite database in a folder, or in memory when there is none."""

    def __init__(self, folder: Folder | None = None, synchronous: Synchronous = "normal") -> None:
        self.folder = folder
        self._connection: Any = apsw.Connection(folder.database if folder else ":memory:")
        # Bound once: these two are on the path of every request. Any: apsw's rows have no static
        # type.
        self.execute: Callable[..., Any] = self._connection.execute
        self.executemany: Callable[..., Any] = self._connection.executemany
        self.hot = HotRows()
        self._open_transaction = False
        self._checkpointer: Checkpointer | None = None
        self._set("cache_size=-32768", "temp_store=memory")
        if folder:
            self._set("journal_mode=wal", f"synchronous={synchronous}", "wal_autocheckpoint=0")
        else:
            self._set("journal_mode=memory", "synchronous=off")
        self.execute(SCHEMA)
        if folder and synchronous == "full":
            _lay_out_log(folder.database + "-wal")
        if folder:  # last: its thread would outlive a database that cannot be opened
            self._checkpointer = Checkpointer(folder.database)
            self._connection.set_wal_hook(self._checkpointer.on_commit)

    def _set(self, *pragmas: str) -> None:
        # One by one: apsw stops at the first statement that returns a row, and runs the rest only
        # if the rows are read.
        for pragma in pragmas:
            self.execute(f"pragma {pragma}").fetchall()

    @property
    def in_transaction(self) -> bool:
        return self._open_transaction

    @property
    def changes(self) -> int:
        """Increases with every row written, including those rolled back."""
        return self._connection.total_changes()

    def begin(self) -> None:
        """Open a transaction unless one is open."""
        if not self._open_transaction:
            self.execute("begin immediate")
            self._open_transaction = True

    def commit(self) -> None:
        if self._open_transaction:
            self.execute("commit")
            self._open_transaction = False

    def rollback(self) -> None:
        if self._open_transaction:
            self._open_transaction = False
            self.hot.clear()
            # SQLite rolls back by itself on some errors (disk full, I/O): then there is nothing to
            # undo.
            if self._connection.in_transaction:
                self.execute("rollback")

    @contextmanager
    def snapshot(self) -> Generator[Any]:
        """A connection that sees the last commit and nothing after it, usable from another thread.
        Files only.
        """
        assert self.folder is not None
        connection: Any = apsw.Connection(self.folder.database, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            connection.execute("begin; select count(*) from meta")
            yield connection
        finally:
            connection.close()

    def close(self) -> None:
        self.rollback()
        if self._checkpointer:
            self._checkpointer.stop()
            with suppress(apsw.Error):
                self.execute("pragma wal_checkpoint(truncate)")
        self._connection.close()
        if self.folder:
            self.folder.release()


def _lay_out_log(path: str) -> None:
    """Preallocate the log file with zeros after its content.

    FULL waits for the disk at every commit. For a growing file that means its data, its new length
    and its new blocks. For a preallocated one it is only the data, in a quarter of the time. SQLite
    reads a log up to the first frame with a wrong checksum, so the zeros count as its end.
    """
    with open(path, "r+b") as log:
        log.seek(0, 2)
        log.write(bytes(max(0, LOG_BYTES - log.tell())))
        log.flush()
        os.fsync(log.fileno())


class Checkpointer:
    """Copies the log into the database file while requests continue, so that the log can restart.

    A passive checkpoint never blocks the writer. Under constant load it never empties the log
    either, because there are new pages when it is done. So it runs twice, the second time over the
    few pages from during the first. The next commit handles the rest, which is short.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._stopping = False
        self._due = threading.Event()
        self._wanted_at_pages = 0
        self._is_nearly_done = False
        self._thread = threading.Thread(target=self._run, name="sortkey-checkpoint", daemon=True)
        self._thread.start()

    def on_commit(self, connection: apsw.Connection, name: str, pages: int) -> int:
        """SQLite's hook, called with the number of pages in the log."""
        if pages < self._wanted_at_pages:
            self._wanted_at_pages = 0  # the log was restarted
        if self._is_nearly_done or pages >= STALLED_PAGES:
            self._is_nearly_done = False
            # The commit is done. An error here would look like its failure, and its writes would
            # be repeated.
            with suppress(apsw.Error):
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)
        elif pages - self._wanted_at_pages >= CHECKPOINT_PAGES:
            self._wanted_at_pages = pages
            self._due.set()
        return apsw.SQLITE_OK

    def stop(self) -> None:
        self._stopping = True
        self._due.set()
        self._thread.join()

    def _run(self) -> None:
        self._due.wait()
        if self._stopping:
            return
        connection: Any = apsw.Connection(self._path)
        # Before its first read a connection does not know about the log and checkpoints nothing.
        connection.execute("select count(*) from meta").fetchall()
        while not self._stopping:
            self._due.clear()
            with suppress(
                apsw.Error
            ):  # blocked by a reader, or a full disk: a later commit tries again
                for _ in range(2):
                    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
                self._is_nearly_done = True
            self._due.wait()
        connection.close()
