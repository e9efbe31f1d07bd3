"""Connections that wait to be used again, and how to tell that one cannot be. Both transports keep
theirs here.
"""

from __future__ import annotations

import select
from collections import deque
from contextlib import suppress
from time import monotonic
from typing import Generic, Protocol, TypeVar

from sortkey.connect.dynamodb.settings import Settings


class Connection(Protocol):
    """`since` is when it was used last."""

    since: float

    def fileno(self) -> int:
        """The socket's number; -1 when it is closed."""
        ...

    def close(self) -> None: ...


C = TypeVar("C", bound=Connection)


class Idle(Generic[C]):
    """Connections to one endpoint. A deque's ends are safe between threads, so there is no lock."""

    def __init__(self, settings: Settings) -> None:
        self._max = settings.idle_max
        self._seconds = settings.idle_seconds
        self._trusted_seconds = settings.trusted_seconds
        self._waiting: deque[C] = deque()

    def take(self) -> C | None:
        """The one that was used last, if it can still be used."""
        with suppress(IndexError):
            while True:
                connection = self._waiting.pop()
                unused_seconds = monotonic() - connection.since
                if unused_seconds < self._trusted_seconds and connection.fileno() >= 0:
                    return connection
                if unused_seconds < self._seconds and _quiet(connection.fileno()):
                    return connection
                connection.close()
        return None

    def keep(self, connection: C) -> None:
        """Keep it for the next request, or close it when there are enough."""
        if len(self._waiting) < self._max:
            connection.since = monotonic()
            self._waiting.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Close them all. One in use is none of these."""
        with suppress(IndexError):
            while True:
                self._waiting.pop().close()


def _quiet(fileno: int) -> bool:
    """Whether nothing has come while nothing was asked: neither the end nor a parting word."""
    if fileno < 0:
        return False
    if not hasattr(select, "poll"):  # Windows
        return not select.select([fileno], [], [], 0)[0]
    watch = select.poll()
    watch.register(fileno, select.POLLIN)
    return not watch.poll(0)
