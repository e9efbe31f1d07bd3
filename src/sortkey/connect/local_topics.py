"""Topics for all processes that share a folder: a SQLite file of the last messages, and a named
pipe to wake each process that listens.

SQLite, because it orders the messages of several processes, a crash leaves nothing half written,
and messages that came shortly before a process listens can still be read. Named pipes, because a
listener then sleeps until there is something to read, and unlike Unix sockets they have no limit on
the length of their path. A pipe is only a wake-up: if a byte is lost, the listener polls within a
second anyway.
"""

from __future__ import annotations

import errno
import logging
import os
import secrets
import select
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import orjson

from sortkey.runtime.topic_hub import KEPT_SECONDS, HubTopics
from sortkey.runtime.topics import Message, encode_body, instant

log = logging.getLogger("sortkey.topics")

STORED_SECONDS = 600.0
TRIM_SECONDS = 60.0
LOOK_SECONDS = 1.0
"""How long a listener sleeps unless it is woken."""
BUSY_MS = 10_000
PIPE_PREFIX = "listener-"

SCHEMA = """
create table if not exists message(
    seq integer primary key autoincrement, id text not null, topic text not null, at real not null,
    body blob not null, attributes blob not null
);
create index if not exists message_at on message(at);
"""


class LocalTopics(HubTopics):
    """The topics of a folder. Any number of processes may open it, also while another one owns the
    tables in it.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        look_seconds: float = LOOK_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(clock)
        self._look_seconds = look_seconds
        self._folder = Path(folder) / "topics"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._database: Any = apsw.Connection(str(self._folder / "topics.db"))
        self._database.set_busy_timeout(BUSY_MS)
        for pragma in ("journal_mode=wal", "synchronous=normal"):
            self._database.execute(f"pragma {pragma}").fetchall()
        self._database.execute(SCHEMA)
        self._trimmed_at = 0.0
        self._after = 0
        self._pipe: _Pipe | None = None
        self._is_closed = False

    def publish(self, topic: str, body: Any, *, attributes: Mapping[str, str] | None = None) -> str:
        text, id, now = encode_body(topic, body), secrets.token_hex(16), self.clock()
        with self._lock:
            self._database.execute(
                "insert into message(id, topic, at, body, attributes) values(?, ?, ?, ?, ?)",
                (id, topic, now, text, orjson.dumps(dict(attributes or {}))),
            )
            self._trim(now)
            if self._pipe is not None:
                self._read()
        wake_listeners(self._folder, self._pipe.name if self._pipe else "")
        return id

    def _listen(self, topic: str) -> None:
        with self._lock:
            if self._pipe is None:
                self._after = self._first_to_read()
                self._pipe = _Pipe(self._folder)
                threading.Thread(
                    target=self._run, args=(self._pipe,), name="sortkey-topics", daemon=True
                ).start()
            self._read()  # existing messages are older than the subscription that follows

    def _run(self, pipe: _Pipe) -> None:
        while pipe.wait(self._look_seconds):
            try:
                with self._lock:
                    if self._is_closed:
                        break
                    self._read()
            except Exception:
                log.exception(
                    "the messages of %s could not be read and will be retried", self._folder
                )
        pipe.close()

    def _read(self) -> None:
        rows = self._database.execute(
            "select seq, topic, id, body, at, attributes from message where seq > ? order by seq",
            (self._after,),
        )
        for seq, topic, id, body, at, attributes in rows.fetchall():
            self._after = seq
            self.hub.deliver(
                Message(topic, id, orjson.loads(body), instant(at), orjson.loads(attributes))
            )

    def _first_to_read(self) -> int:
        """The message to start after. Those of the last minute are read too, for `since`."""
        recent = self._database.execute(
            "select coalesce(min(seq) - 1, (select coalesce(max(seq), 0) from message)) from "
            "message where at >= ?",
            (self.clock() - KEPT_SECONDS,),
        )
        return recent.fetchone()[0]

    def _trim(self, now: float) -> None:
        if now - self._trimmed_at >= TRIM_SECONDS:
            self._trimmed_at = now
            self._database.execute("delete from message where at < ?", (now - STORED_SECONDS,))

    def _end(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            if self._pipe is not None:
                self._pipe.end()
            self._database.close()


class _Pipe:
    """A named pipe that wakes one listener. Its file exists only while the listener reads it."""

    def __init__(self, folder: Path) -> None:
        self.name = f"{PIPE_PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        self._path = folder / self.name
        unfinished = folder / f".{self.name}"
        os.mkfifo(unfinished, 0o600)
        # Opened for writing too: a pipe without a writer is always readable, at its end.
        self._file = os.open(unfinished, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        os.rename(unfinished, self._path)
        self._is_ended = False
        self._lock = (
            threading.Lock()
        )  # else the file could be closed, and its number reused, before the last byte

    def wait(self, seconds: float) -> bool:
        """Sleep until woken, at most so many seconds. False if the pipe was closed."""
        ready, _, _ = select.select([self._file], [], [], seconds)
        if ready:
            with suppress(BlockingIOError):
                os.read(self._file, 65536)
        return not self._is_ended

    def end(self) -> None:
        """Wake the listener for the last time."""
        with suppress(OSError):
            os.unlink(self._path)
        with self._lock:
            self._is_ended = True
            with suppress(BlockingIOError):
                os.write(self._file, b".")

    def close(self) -> None:
        with self._lock:
            os.close(self._file)


def wake_listeners(folder: Path, but: str = "") -> None:
    """Wake every listener of a folder, except one. The pipes of processes that are gone are
    removed.
    """
    for name in os.listdir(folder):
        if not name.startswith(PIPE_PREFIX) or name == but:
            continue
        path = folder / name
        try:
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if error.errno == errno.ENXIO:  # no reader
                with suppress(OSError):
                    os.unlink(path)
            continue
        with suppress(OSError):  # full, so the listener is awake, or just removed
            os.write(pipe, b".")
        os.close(pipe)
