"""The sample data of `sortkey up`: each system's own, loaded once, in a thread, while everything answers already."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

log = logging.getLogger("sortkey.up")


class Samples:
    """Loads from `start` on, one system after the other. `targets` are what their `load` takes: a service or a store.

    A sample that cannot be loaded is logged, and the next one is: nothing else depends on it.
    """

    def __init__(self, targets: Mapping[str, Any]) -> None:
        self._targets = targets
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sortkey-samples")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Finish the one under way and begin no other; those are loaded at the next start."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        from sortkey.web.hosting import part_of

        for number, (name, target) in enumerate(self._targets.items(), 1):
            if self._stopping.is_set():
                return
            try:
                with _status(f"{name}: loading sample data ({number} of {len(self._targets)})"):
                    part_of(name, "sample").load(target)
                print(f"  {name}: sample data is there", flush=True)
            except Exception:
                log.exception("the sample of %s could not be loaded", name)


def _status(text: str) -> AbstractContextManager[object]:
    """A line on the terminal while the block runs; a file or a pipe gets nothing of it."""
    from rich.console import Console

    return Console(stderr=True).status(text)
