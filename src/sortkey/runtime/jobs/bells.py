"""Wake-up calls inside one process: who waits for a queue or a job need not poll when the news is
made next door.

A bell carries no news. Whoever hears it looks into the table, and whoever hears none looks there
from time to time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from heapq import heappop, heappush


class Watch:
    """One listener. Call `clear` before looking, so that what happens while looking is not
    missed.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._alarms: list[float] = []
        self._lock = threading.Lock()

    def ring(self, at: float | None = None) -> None:
        """Now; or at an instant, which is kept until it has come."""
        if at is not None:
            with self._lock:
                heappush(self._alarms, at)
        self._event.set()

    def clear(self, now: float = 0.0) -> None:
        """Forget what the look that follows will see: the rings, and the alarms that are due by
        now.
        """
        self._event.clear()
        with self._lock:
            while self._alarms and self._alarms[0] <= now:
                heappop(self._alarms)

    def wait(self, seconds: float, now: float) -> bool:
        """Until it rings, or for so long; shorter where an alarm is due before. Whether it rang."""
        with self._lock:
            if self._alarms:
                seconds = min(seconds, self._alarms[0] - now)
        return self._event.wait(max(seconds, 0.0))


Listener = Callable[[float | None], None]


class Bells:
    """Listeners by name: `queue/<name>`, `job/<id>`."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Listener]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def listen(self, name: str, listener: Listener) -> Generator[None]:
        """Call a function at each ring, in the thread that rings."""
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
        with self.listen(name, watch.ring):
            yield watch

    def ring(self, name: str, at: float | None = None) -> None:
        with self._lock:
            listeners = tuple(self._listeners.get(name, ()))
        for listener in listeners:
            listener(at)


BELLS = Bells()
"""Those of the process. Stores are many and cheap; the queue's name is what queue and worker have
in common.
"""


def of_queue(queue: str) -> str:
    return f"queue/{queue}"


def of_job(job_id: str) -> str:
    return f"job/{job_id}"
