"""Runs functions in a child process with limits on memory and time, so that their input cannot take
the server down.

For work on untrusted data, such as parsing or converting. It limits resources only: hostile code
could still read files. The child's side is in `sandbox_child.py`.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from multiprocessing import Pipe
from typing import Any, TypeVar

from sortkey.errors import MemoryLimitExceeded, ProcessDied, SandboxError, TimeLimitExceeded
from sortkey.runtime.sandbox_child import OUT_OF_MEMORY

T = TypeVar("T")

CHECK_SECONDS = 0.1
"""How often `check` is called while a function runs."""


class Sandbox:
    """Runs functions in a child process. One that is idle is kept, so that only the first call pays
    for its start.

        sandbox = Sandbox(memory_bytes=1_000_000_000, seconds=60)
        tree = sandbox.call(parse, data)

    `memory_bytes` is the address space of the child, enforced by the operating system where it has
    RLIMIT_AS (Linux); `seconds` is the time of one call. A child that exceeds a limit, dies, or
    holds more than `keep_bytes` after a call is replaced; one that is idle for `idle_seconds` ends
    by itself. Calls from several threads run in as many children.
    """

    def __init__(
        self,
        *,
        memory_bytes: int,
        seconds: float,
        keep_bytes: int = 200_000_000,
        idle_seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.memory_bytes, self.seconds, self.keep_bytes = memory_bytes, seconds, keep_bytes
        self._arguments = (str(memory_bytes), str(seconds), str(idle_seconds))
        self._clock, self._lock, self._owner = clock, threading.Lock(), os.getpid()
        self._idle: list[_Child] = []
        self._finalizer = weakref.finalize(self, _end_all, self._idle)

    def call(
        self,
        function: Callable[..., T],
        /,
        *args: Any,
        on_message: Callable[[Any], object] | None = None,
        check: Callable[[], object] | None = None,
    ) -> T:
        """The result of `function(*args)`, computed in the child. Function, arguments and result
        are pickled.

        With `on_message` the function gets a keyword argument `send`, and what it sends arrives
        there. `check` is called several times a second; what it raises ends the child, and is
        raised here. So are the exceptions of the function. Raises MemoryLimitExceeded,
        TimeLimitExceeded, or ProcessDied for a child that ended otherwise.
        """
        name = getattr(function, "__qualname__", repr(function))
        if "<" in name or getattr(function, "__module__", "__main__") == "__main__":
            raise ValueError(
                f"{name} must be importable by another process: define it at the top level of a "
                "module"
            )
        request = pickle.dumps((function, args, on_message is not None))
        child = self._begun(request)
        try:
            kind, value, resident_bytes = self._answer(child, name, on_message, check)
        except BaseException:
            child.end()
            raise
        self._put_back(child, resident_bytes)
        if kind == "error":
            raise value
        return value

    def close(self) -> None:
        """End the children that are idle."""
        with self._lock:
            _end_all(self._idle)

    def _answer(
        self,
        child: _Child,
        name: str,
        on_message: Callable[[Any], object] | None,
        check: Callable[[], object] | None,
    ) -> tuple[str, Any, int]:
        deadline = self._clock() + self.seconds
        while True:
            if child.connection.poll(CHECK_SECONDS):
                kind, value, resident_bytes = self._received(child, name)
                if kind != "message":
                    return kind, value, resident_bytes
                if on_message is not None:
                    on_message(value)
            if check is not None:
                check()
            if self._clock() > deadline:
                raise TimeLimitExceeded(f"{name} took longer than {self.seconds:g} s")

    def _received(self, child: _Child, name: str) -> tuple[str, Any, int]:
        try:
            kind, value, resident_bytes = child.connection.recv()
        except (EOFError, OSError):
            raise self._died(child, name) from None
        if kind == "memory":
            raise self._out_of_memory(name)
        return kind, value, resident_bytes

    def _died(self, child: _Child, name: str) -> SandboxError:
        code = child.wait()
        if code == OUT_OF_MEMORY:
            return self._out_of_memory(name)
        if code == -signal.SIGXCPU:
            return TimeLimitExceeded(f"{name} took longer than {self.seconds:g} s")
        why = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        return ProcessDied(f"the process of {name} ended {why} before it answered")

    def _out_of_memory(self, name: str) -> MemoryLimitExceeded:
        return MemoryLimitExceeded(
            f"{name} needs more than {self.memory_bytes / 1_000_000:,.0f} MB of memory"
        )

    # -- children

    def _begun(self, request: bytes) -> _Child:
        """A child that has accepted the request. If an idle child has ended, another one is
        started.
        """
        while (child := self._taken()) is not None:
            if child.begin(request):
                return child
            child.end()
        child = _Child(self._arguments)
        if not child.begin(request):
            child.end()
            raise ProcessDied(
                f"a child process cannot be started: it ended with exit code {child.wait()}"
            )
        return child

    def _taken(self) -> _Child | None:
        with self._lock:
            if self._owner != os.getpid():  # after a fork the children belong to the other process
                self._owner = os.getpid()
                self._idle.clear()
            return self._idle.pop() if self._idle else None

    def _put_back(self, child: _Child, resident_bytes: int) -> None:
        with self._lock:
            if resident_bytes <= self.keep_bytes and not self._idle:
                self._idle.append(child)
                return
        child.end()


class _Child:
    def __init__(self, arguments: tuple[str, ...]) -> None:
        self.connection, theirs = Pipe()
        with theirs:
            descriptor = theirs.fileno()
            command = [
                sys.executable,
                "-P",
                "-m",
                "sortkey.runtime.sandbox_child",
                str(descriptor),
                *arguments,
            ]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[descriptor],
                env=os.environ
                | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
            )

    def begin(self, request: bytes) -> bool:
        """Send a request. False if the child has ended before it accepted it."""
        try:
            self.connection.send_bytes(request)
            self.connection.recv()
        except (EOFError, OSError):
            return False
        return True

    def wait(self) -> int:
        return self._process.wait()

    def end(self) -> None:
        self.connection.close()
        self._process.kill()
        self._process.wait()


def _end_all(children: list[_Child]) -> None:
    while children:
        children.pop().end()
