"""The event loop and the log of commands that serve until a signal stops them."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Coroutine

from sortkey.systems.system import Worker


def run_loop(serving: Coroutine[None, None, None]) -> None:
    """Run a coroutine on the fastest event loop available."""
    try:
        from uvloop import new_event_loop  # twice as fast as asyncio's; not on every platform
    except ImportError:
        new_event_loop = None
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(serving)


def run_until_stopped(worker: Worker, message: str) -> None:
    """Start a worker, print a line, and stop the worker at Ctrl-C or SIGTERM."""

    async def until_signal() -> None:
        signalled = stop_signal()
        worker.start()
        print(message, flush=True)
        await signalled.wait()
        await asyncio.to_thread(worker.stop)

    run_loop(until_signal())


def log_to_stderr() -> None:
    """Log warnings and errors to stderr, with times."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")


def stop_signal() -> asyncio.Event:
    """An event that SIGINT and SIGTERM set. A second signal ends the process at once: answered
    writes are already committed.
    """
    signalled = asyncio.Event()

    def on_signal() -> None:
        if signalled.is_set():
            os._exit(130)
        signalled.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)
    return signalled
