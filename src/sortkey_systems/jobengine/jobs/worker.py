"""A worker of the engine: a worker of the runtime that also cleans up executions that nobody runs
any more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, Self

from sortkey import JobWorker, Store

TIDY_SECONDS = 15.0


class StageWorker(JobWorker):
    """Start it like any worker. `tidy` is called at the start, and then from time to time."""

    def __init__(
        self,
        store: Store,
        jobs: Iterable[Any],
        tidy: Callable[[], object],
        *,
        tidy_seconds: float = TIDY_SECONDS,
        **settings: Any,
    ) -> None:
        super().__init__(store, jobs, **settings)
        self._tidy, self._tidy_seconds, self._ended = tidy, tidy_seconds, threading.Event()
        self._tidying = threading.Thread(target=self._keep_tidy, name="jobengine-tidy", daemon=True)

    def start(self) -> Self:
        super().start()
        self._tidying.start()
        return self

    def stop(self, *, finish: bool = False, wait_seconds: float = 30.0) -> bool:
        self._ended.set()
        all_ended = super().stop(finish=finish, wait_seconds=wait_seconds)
        if self._tidying.is_alive():
            self._tidying.join(wait_seconds)  # the store is closed after the worker is stopped
        return all_ended

    def _keep_tidy(self) -> None:
        while True:
            try:
                self._tidy()
            except Exception as error:  # the store may be back at the next poll
                self.on_error(f"worker {self.name} could not look for jobs that nobody runs", error)
            if self._ended.wait(self._tidy_seconds):
                return
