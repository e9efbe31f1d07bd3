"""Wake-ups within one process, so that waiting for a queue or a job needs less polling.

A wake-up carries no information. Listeners read the table after one, and from time to time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from heapq import heappop, heappush


class Watch:
    """One listener. Call `clear` before reading the table, so that no change is missed."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._alarms: list[float] = []
        self._lock = threading.Lock()

    def wake(self, at: float | None = None) -> None:
        """Wake the listener now, or at an instant."""
        if at is not None:
            with self._lock:
                heappush(self._alarms, at)
        self._event.set()

    def clear(self, now: float = 0.0) -> None:
        """Forget wake-ups and due alarms, before the table is read."""
        self._event.clear()
        with self._lock:
            while self._alarms and self._alarms[0] <= now:
                heappop(self._alarms)

    def wait(self, seconds: float, now: float) -> bool:
        """Wait for a wake-up, at most `seconds`, or until the next alarm. Returns whether there
        was a wake-up.
        """
        with self._lock:
            if self._alarms:
                seconds = min(seconds, self._alarms[0] - now)
        return self._event.wait(max(seconds, 0.0))


Listener = Callable[[float | None], None]


class Wakeups:
    """Listeners by name: `queue/<name>`, `job/<id>`."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Listener]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def listen(self, name: str, listener: Listener) -> Generator[None]:
        """Call a function at each wake-up, in the notifying thread."""
        with self._lock:
            self._listeners.setdefault(name, []).append(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners[name].remove(listener)
                if not self._listeners[name]:
                    del self._listeners[name]

    @contextmanager
    def watch(self, name: str) -> Generator[Watch]:
        watch = Watch()
        with self.listen(name, watch.wake):
            yield watch

    def notify(self, name: str, at: float | None = None) -> None:
        with self._lock:
            listeners = tuple(self._listeners.get(name, ()))
        for listener in listeners:
            listener(at)


WAKEUPS = Wakeups()
"""The wake-ups of this process. Queue and worker share them by the name of the queue."""


def of_queue(queue: str) -> str:
    return f"queue/{queue}"


def of_job(job_id: str) -> str:
    return f"job/{job_id}"
