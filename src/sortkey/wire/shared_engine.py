"""An engine that the wire shares with the rest of its process: stores of other threads, workers,
the console.

The wire runs requests without a lock and commits them one loop iteration later. When shared, it
holds the engine's lock from the first request of a group to its commit, so that another thread's
failure cannot undo the group.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sortkey.engine import Engine
from sortkey.engine.answers import Answer

OnRequest = Callable[[str, dict[str, Any], float, BaseException | None], None]
"""Called after each request with its operation, members, duration in seconds, and error."""


RELEASE_FOLDER = "ReleaseFolder"
"""Sortkey's own operation, for callers with the folder's token: an interim owner releases the
folder.
"""


class SharedEngine:
    """The wire's view of an engine (`commit.Engine`). All calls come from the wire's thread."""

    def __init__(
        self,
        engine: Engine,
        on_request: OnRequest | None = None,
        on_release: Callable[[], None] | None = None,
    ) -> None:
        """`on_release` is called when a server asks for the folder. It must not block. Without it,
        the folder cannot be released.
        """
        self.engine = engine
        self._on_request, self._on_release = on_request, on_release
        self._holds = False

    @property
    def in_transaction(self) -> bool:
        return self._holds and self.engine.in_transaction

    def execute(self, name: str, request: dict[str, Any], *, is_trusted: bool = True) -> Answer:
        if name == RELEASE_FOLDER and is_trusted and self._on_release is not None:
            self._on_release()
            return {}
        self._hold()
        began, problem = time.perf_counter(), None
        try:
            return self.engine.execute(name, request, is_trusted=is_trusted)
        except BaseException as error:
            problem = error
            raise
        finally:
            self._let_go_unless_open()
            if self._on_request is not None:
                self._on_request(name, request, time.perf_counter() - began, problem)

    def flush(self) -> None:
        try:
            self.engine.flush()
        finally:
            self._let_go_unless_open()

    def rollback(self) -> None:
        self._hold()
        try:
            self.engine.rollback()
        finally:
            self._let_go_unless_open()

    def work(self) -> float:
        self._hold()
        try:
            return self.engine.work()
        finally:
            self._let_go_unless_open()

    def close(self) -> None:
        self.engine.close()

    def _hold(self) -> None:
        if not self._holds:
            self.engine.lock.acquire()
            self._holds = True

    def _let_go_unless_open(self) -> None:
        if self._holds and not self.engine.in_transaction:
            self._holds = False
            self.engine.lock.release()
