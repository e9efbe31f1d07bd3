"""A small event loop: file descriptors, timers and buffered writes, in one thread.

A holder runs it. asyncio would do, at several megabytes of private memory for each session.
"""

from __future__ import annotations

import heapq
import os
import select
import signal
import time
from collections import deque
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

READ_BYTES = 64 * 1024

Callback = Callable[[], None]


class Timer:
    """A call that is still to come; `cancel` it at any time."""

    __slots__ = ("callback",)

    def __init__(self, callback: Callback) -> None:
        self.callback: Callback | None = callback

    def cancel(self) -> None:
        self.callback = None


class _Watch(NamedTuple):
    """What is called for a descriptor. Errors and hang-ups count as readable and writable."""

    on_readable: Callback | None
    on_writable: Callback | None

    @property
    def events(self) -> int:
        readable = select.EPOLLIN if self.on_readable else 0
        return readable | (select.EPOLLOUT if self.on_writable else 0)


class EventLoop:
    """Calls back when descriptors are ready and when timers are due, until it is stopped."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._watched: dict[int, _Watch] = {}
        self._timers: list[tuple[float, int, Timer]] = []
        self._numbers = count()
        self._is_running = False
        self._signals: tuple[int, int] | None = None
        self._signal_callbacks: dict[int, Callback] = {}

    def watch(
        self, fd: int, on_readable: Callback | None, on_writable: Callback | None = None
    ) -> None:
        """Call back when `fd` is ready; without callbacks, stop watching it."""
        before = self._watched.pop(fd, None)
        if on_readable is None and on_writable is None:
            if before is not None:
                self._epoll.unregister(fd)
            return
        watch = self._watched[fd] = _Watch(on_readable, on_writable)
        if before is None:
            self._epoll.register(fd, watch.events)
        elif before.events != watch.events:
            self._epoll.modify(fd, watch.events)

    def after(self, seconds: float, callback: Callback) -> Timer:
        """Call back once, `seconds` from now."""
        timer = Timer(callback)
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._numbers), timer))
        return timer

    def every(self, seconds: float, callback: Callback) -> None:
        """Call back again and again, `seconds` after the last call has returned."""

        def call_and_continue() -> None:
            callback()
            self.after(seconds, call_and_continue)

        self.after(seconds, call_and_continue)

    def on_signal(self, number: int, callback: Callback) -> None:
        """Call back, from the loop, after a signal has arrived."""
        signal.signal(number, _woken)
        if self._signals is None:
            self._signals = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
            signal.set_wakeup_fd(self._signals[1], warn_on_full_buffer=False)
            self.watch(self._signals[0], self._call_signals)
        self._signal_callbacks[number] = callback

    def run(self) -> None:
        """Serve until `stop` is called."""
        self._is_running = True
        while self._is_running:
            for fd, events in self._epoll.poll(self._wait_seconds()):
                self._serve(fd, events)
            self._call_timers()

    def stop(self) -> None:
        self._is_running = False

    def _serve(self, fd: int, events: int) -> None:
        """A callback may stop watching the descriptor, so each is looked up when it is due."""
        watch = self._watched.get(fd)
        if watch is not None and watch.on_writable is not None and events & ~select.EPOLLIN:
            watch.on_writable()
            watch = self._watched.get(fd)
        if watch is not None and watch.on_readable is not None and events & ~select.EPOLLOUT:
            watch.on_readable()

    def _call_signals(self) -> None:
        if self._signals is not None:
            for number in os.read(self._signals[0], READ_BYTES):
                self._signal_callbacks.get(number, lambda: None)()

    def _wait_seconds(self) -> float | None:
        while self._timers and self._timers[0][2].callback is None:
            heapq.heappop(self._timers)
        return max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None

    def _call_timers(self) -> None:
        now = time.monotonic()
        while self._is_running and self._timers and self._timers[0][0] <= now:
            callback = heapq.heappop(self._timers)[2].callback
            if callback is not None:
                callback()


def _woken(_number: int, _frame: object) -> None:
    """The signal has ended the wait of the loop, which calls back."""


class Channel:
    """A descriptor that never blocks: what arrives is handed on, what cannot be sent yet is
    kept."""

    def __init__(
        self,
        loop: EventLoop,
        fd: int,
        *,
        on_data: Callable[[bytes], None] | None,
        on_closed: Callback,
        on_drained: Callback | None = None,
    ) -> None:
        os.set_blocking(fd, False)
        self._loop, self._fd = loop, fd
        self._on_data, self._on_closed, self._on_drained = on_data, on_closed, on_drained
        self._output: deque[memoryview] = deque()
        self._is_reading = on_data is not None
        self.pending_bytes = 0
        self.last_progress_at = time.monotonic()
        self.is_closed = False
        self._is_waiting_to_write = False
        self._watch()

    def write(self, data: bytes) -> None:
        """Send, at once if possible. After the end it does nothing: `on_closed` has been called."""
        if self.is_closed:
            return
        if not self._output:
            self.last_progress_at = time.monotonic()
        self._output.append(memoryview(data))
        self.pending_bytes += len(data)
        if len(self._output) == 1:
            self._flush()

    def pause(self) -> None:
        """Leave what arrives in the kernel, so that the sender has to wait."""
        self._set_reading(False)

    def resume(self) -> None:
        self._set_reading(self._on_data is not None)

    def close(self) -> None:
        """Close the descriptor without calling `on_closed`."""
        if self.is_closed:
            return
        self.is_closed = True
        self._loop.watch(self._fd, None)
        os.close(self._fd)
        self._output.clear()
        self.pending_bytes = 0

    def _read(self) -> None:
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._break()
        elif self._on_data is not None:
            self._on_data(data)

    def _flush(self) -> None:
        had_output = bool(self._output)
        try:
            while self._output:
                sent = os.write(self._fd, self._output[0])
                self.pending_bytes -= sent
                self.last_progress_at = time.monotonic()
                if sent == len(self._output[0]):
                    self._output.popleft()
                else:
                    self._output[0] = self._output[0][sent:]
        except BlockingIOError:
            pass
        except OSError:
            self._break()
            return
        if self._is_waiting_to_write != bool(self._output):
            self._is_waiting_to_write = bool(self._output)
            self._watch()
        if had_output and not self._output and self._on_drained is not None:
            self._on_drained()

    def _break(self) -> None:
        self.close()
        self._on_closed()

    def _set_reading(self, is_reading: bool) -> None:
        if not self.is_closed and self._is_reading != is_reading:
            self._is_reading = is_reading
            self._watch()

    def _watch(self) -> None:
        on_readable = self._read if self._is_reading else None
        on_writable = self._flush if self._is_waiting_to_write else None
        self._loop.watch(self._fd, on_readable, on_writable)
