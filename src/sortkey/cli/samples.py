"""Loads the sample data of each system in a thread, while `sortkey up` already serves."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

log = logging.getLogger("sortkey.up")


class Samples:
    """Loads one sample after another, once started. `loaders` are the functions, by system.

    A loader may return a text to print, such as a key to try the system with. A sample that cannot
    be loaded is logged, and the next one is loaded: nothing else depends on it.
    """

    def __init__(self, loaders: Mapping[str, Callable[[], object]]) -> None:
        self._loaders = loaders
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sortkey-samples")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Finish the current sample. The next start loads the rest."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        for number, (name, load) in enumerate(self._loaders.items(), 1):
            if self._stopping.is_set():
                return
            try:
                with _status(f"{name}: loading sample data ({number} of {len(self._loaders)})"):
                    message = load()
                print(f"  {name}: sample data is loaded", flush=True)
                if isinstance(message, str):
                    print(f"  {name}: {message}", flush=True)
            except Exception:
                log.exception("the sample data of %s could not be loaded", name)


def _status(text: str) -> AbstractContextManager[object]:
    """A line on the terminal while the block runs; a file or a pipe gets nothing."""
    from rich.console import Console

    return Console(stderr=True).status(text)
