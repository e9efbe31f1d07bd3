"""A worker of the engine: a worker of the runtime that also sees to executions which nobody runs any more."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any, Self

from sortkey import JobWorker, Store
from sortkey.errors import SortkeyError

TIDY_SECONDS = 15.0
log = logging.getLogger("sortkey.jobengine")


class StageWorker(JobWorker):
    """Start it as any worker. `tidy` is called when it starts, and then from time to time."""

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

    def start(self) -> Self:
        super().start()
        threading.Thread(target=self._keep_tidy, daemon=True).start()
        return self

    def stop(self, *, finish: bool = False, wait_seconds: float = 30.0) -> bool:
        self._ended.set()
        return super().stop(finish=finish, wait_seconds=wait_seconds)

    def _keep_tidy(self) -> None:
        while True:
            try:
                self._tidy()
            except SortkeyError:
                log.exception("worker %s could not look for jobs that nobody runs", self.name)
            if self._ended.wait(self._tidy_seconds):
                return
