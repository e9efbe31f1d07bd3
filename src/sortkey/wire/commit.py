"""Group commit: operations of one event loop iteration share one commit, and their answers wait for
it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol

from sortkey.engine.answers import Answer
from sortkey.storage.failures import is_storage_failure

log = logging.getLogger("sortkey.wire")


class Engine(Protocol):
    """What the wire needs from an engine."""

    @property
    def in_transaction(self) -> bool: ...
    def execute(self, name: str, request: dict[str, Any], /, *, is_trusted: bool) -> Answer: ...
    def flush(self) -> None: ...
    def rollback(self) -> None: ...
    def work(self) -> float: ...
    def close(self) -> None: ...


class Call(Protocol):
    """One operation of one client. `run` may be called twice and starts from the received bytes."""

    def run(self) -> bytes: ...
    def failed(self, error: Exception, /) -> bytes: ...
    def send(self, answer: bytes, /) -> None: ...


class GroupCommit:
    """Runs calls. An answer while a transaction is open is held back until `flush` has committed
    it.

    A call that fails because of the storage (not a ServiceError, which `run` turns into an answer)
    rolls back the whole transaction. The other calls of the group are then run again one by one, so
    that it does not affect them.
    """

    def __init__(
        self,
        engine: Engine,
        soon: Callable[[Callable[[], None]], object],
        alone: Callable[[], bool],
    ) -> None:
        """`soon` runs a function in the next iteration of the loop. `alone` says that no other call
        can join a group.
        """
        self._engine = engine
        self._soon = soon
        self._alone = alone
        self._waiting: list[tuple[Call, bytes]] = []

    def submit(self, call: Call) -> None:
        """Run a call. Its answer is sent now, or after this iteration's commit."""
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
        """Commit, then send the waiting answers in their order."""
        waiting, self._waiting = self._waiting, []
        try:
            if self._engine.in_transaction:
                self._engine.flush()
        except Exception as error:
            log_failure(
                f"{len(waiting)} operations could not be committed together, running them singly",
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
    """Log with a traceback, except for a full disk, which is not a bug."""
    log.error("%s: %s", message, error, exc_info=None if is_storage_failure(error) else error)
