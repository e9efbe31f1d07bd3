"""The child process of a `Sandbox`: sets its own limits, then runs functions until its parent ends.

Started as `python -m sortkey.runtime.sandbox_child DESCRIPTOR MEMORY_BYTES SECONDS IDLE_SECONDS`.
"""

from __future__ import annotations

import os
import pickle
import queue
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sortkey.errors import SandboxError

OUT_OF_MEMORY = 86
"""The exit code of a child that has no memory left to answer with."""
MEMORY_ANSWER = pickle.dumps(("memory", None, 0))
"""Prepared in advance: when it is needed there is no memory left."""
CPU_MARGIN_SECONDS = 5
"""Usually the parent ends a call first. This is for a child without its parent that is busy in C
code.
"""


def main(descriptor: int, memory_bytes: int, seconds: float, idle_seconds: float) -> None:
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
    ):  # sent to the whole process group: the parent decides when to end
        signal.signal(number, signal.SIG_IGN)
    connection: Connection[Any, Any] = Connection(descriptor)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(connection, requests), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _limit(resource.RLIMIT_AS, memory_bytes)
    while True:
        try:
            request = requests.get(timeout=idle_seconds)
        except queue.Empty:
            os._exit(0)
        connection.send(("taken", None, 0))
        _limit(resource.RLIMIT_CPU, int(sum(os.times()[:2]) + seconds) + CPU_MARGIN_SECONDS)
        connection.send_bytes(_answer(request, connection))


def _receive(connection: Connection[Any, Any], requests: queue.SimpleQueue[bytes]) -> None:
    """Runs in a thread, so that a busy child notices that its parent has ended."""
    while True:
        try:
            requests.put(connection.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)


def _limit(kind: int, soft: int) -> None:
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _answer(request: bytes, connection: Connection[Any, Any]) -> bytes:
    try:
        return _result(request, connection)
    except MemoryError:
        return MEMORY_ANSWER


def _result(request: bytes, connection: Connection[Any, Any]) -> bytes:
    try:
        function, args, sends = pickle.loads(request)
        return _packed(
            "result", function(*args, send=_sender(connection)) if sends else function(*args)
        )
    except MemoryError:
        raise
    except Exception as error:
        return _packed("error", _portable(error))


def _sender(connection: Connection[Any, Any]) -> Callable[[Any], None]:
    return lambda value: connection.send(("message", value, 0))


def _packed(kind: str, value: Any) -> bytes:
    try:
        return pickle.dumps((kind, value, _resident_bytes()))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise SandboxError(f"the result cannot be sent: {error}") from None


def _portable(error: Exception) -> Exception:
    """The exception with its traceback as a note. If it cannot be pickled, an error with its
    name.
    """
    place = "".join(traceback.format_tb(error.__traceback__))
    try:
        error = pickle.loads(pickle.dumps(error))
    except Exception:
        error = SandboxError(f"{type(error).__name__}: {error}")
    error.add_note(f"In the child process:\n{place}")
    return error


def _resident_bytes() -> int:
    """The memory in use now, or the peak where the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
