"""An engine that the wire shares with the rest of its process: stores of other threads, workers,
the console.

The wire runs requests without a lock and commits them a turn of the loop later. Shared, it holds
the engine's lock from the first request of a group to its commit, so that nobody else's failure can
undo what the group has done.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sortkey.engine import Engine
from sortkey.engine.answers import Answer

OnRequest = Callable[[str, dict[str, Any], float, BaseException | None], None]
"""Is told of each request: its operation, its members, the seconds it took, and what it was refused
with.
"""


RELEASE_FOLDER = "ReleaseFolder"
"""An operation of ours, for who holds the folder's token. An owner that has the folder in the
interim gives it back.
"""


class SharedEngine:
    """What the wire sees of an engine (`commit.Engine`). All of it is called in the wire's own
    thread.
    """

    def __init__(
        self,
        engine: Engine,
        on_request: OnRequest | None = None,
        on_release: Callable[[], None] | None = None,
    ) -> None:
        """`on_release` is called when the folder is asked for; it must not wait. Without it nobody
        can ask.
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
