"""Group commit: operations of one turn of the event loop share one commit, and wait for it with
their answers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol

from sortkey.engine.answers import Answer
from sortkey.storage.failures import is_storage_failure

log = logging.getLogger("sortkey.wire")


class Engine(Protocol):
    """What the wire needs of an engine."""

    @property
    def in_transaction(self) -> bool: ...
    def execute(self, name: str, request: dict[str, Any], /, *, is_trusted: bool) -> Answer: ...
    def flush(self) -> None: ...
    def rollback(self) -> None: ...
    def work(self) -> float: ...
    def close(self) -> None: ...


class Call(Protocol):
    """One operation under way for one client. `run` may be called twice: it starts from the bytes
    that came in.
    """

    def run(self) -> bytes: ...
    def failed(self, error: Exception, /) -> bytes: ...
    def send(self, answer: bytes, /) -> None: ...


class GroupCommit:
    """Runs calls. An answer given while a transaction is open is held until `flush` has committed
    it.

    A call that fails for a reason of the store (not a ServiceError, which `run` turns into an
    answer) costs the whole transaction. The others of the group are then run again one by one, so
    that it cannot poison them.
    """

    def __init__(
        self,
        engine: Engine,
        soon: Callable[[Callable[[], None]], object],
        alone: Callable[[], bool],
    ) -> None:
        """`soon` runs a function in the next turn of the loop; `alone` says that nobody else can
        join a group.
        """
        self._engine = engine
        self._soon = soon
        self._alone = alone
        self._waiting: list[tuple[Call, bytes]] = []

    def submit(self, call: Call) -> None:
        """Run a call; its answer is sent now, or after this turn's commit."""
        engine = self._engine
        try:
            answer = call.run()
        except Exception as error:
            log_failure("an operation failed", error)
            answer = call.failed(error)
            self._waiting = self._one_by_one(self._waiting)
        if not engine.in_transaction:
            call.send(answer)
            return
        self._waiting.append((call, answer))
        if self._alone():
            self.flush()
        elif len(self._waiting) == 1:
            self._soon(self.flush)

    def flush(self) -> None:
        """Commit, then send what was held, in the order in which it came."""
        waiting, self._waiting = self._waiting, []
        try:
            if self._engine.in_transaction:
                self._engine.flush()
        except Exception as error:
            log_failure(
                f"{len(waiting)} operations could not be committed together; running them one by one",
                error,
            )
            waiting = self._one_by_one(waiting)
        for call, answer in waiting:
            call.send(answer)

    def _one_by_one(self, waiting: list[tuple[Call, bytes]]) -> list[tuple[Call, bytes]]:
        """Undo the group's transaction, then run and commit each of its calls alone."""
        self._rollback()
        return [(call, self._run_alone(call)) for call, _ in waiting]

    def _run_alone(self, call: Call) -> bytes:
        try:
            answer = call.run()
            if self._engine.in_transaction:
                self._engine.flush()
        except Exception as error:
            log_failure("an operation failed", error)
            self._rollback()
            return call.failed(error)
        return answer

    def _rollback(self) -> None:
        try:
            self._engine.rollback()
        except Exception:
            log.exception("a transaction could not be rolled back")


def log_failure(message: str, error: Exception) -> None:
    """With where it happened; but for a full disk, which is no fault of the program."""
    log.error("%s: %s", message, error, exc_info=None if is_storage_failure(error) else error)
