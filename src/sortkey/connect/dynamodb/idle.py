"""Idle connections of both transports, and the check whether one is still usable."""

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
        """The most recently used connection, if it is still usable."""
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
        """Close all idle connections. Those in use are not affected."""
        with suppress(IndexError):
            while True:
                self._waiting.pop().close()


def _quiet(fileno: int) -> bool:
    """Whether nothing arrived while the connection was idle, neither an end nor any bytes."""
    if fileno < 0:
        return False
    if not hasattr(select, "poll"):  # Windows
        return not select.select([fileno], [], [], 0)[0]
    watch = select.poll()
    watch.register(fileno, select.POLLIN)
    return not watch.poll(0)
