"""Faults on demand. A fault hits the next matching call, once or several times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from sortkey.runtime.async_backend import AsyncBackend
    from sortkey.runtime.backend import Backend
    from sortkey.testing.async_faulty_backend import AsyncFaultyBackend
    from sortkey.testing.faulty_backend import FaultyBackend

Kind = Literal["throttle", "unprocessed", "lose_race", "crash_before_commit", "crash_after_commit"]

WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
BATCHES = frozenset({"BatchGetItem", "BatchWriteItem"})


@dataclass(slots=True)
class Fault:
    """A fault that waits for its call."""

    kind: Kind
    operations: frozenset[str] | None
    """None for all operations."""
    times: int = 1
    rival: Callable[[], Any] | None = None

    def __str__(self) -> str:
        return (
            f"{self.kind} of {', '.join(sorted(self.operations or ['any operation']))}, "
            f"{self.times} more"
        )


class Faults:
    """The faults of a store.

    sortkey_faults.throttle(2, "Query") sortkey_faults.lose_race(lambda: store.update(key,
    set={"status": "done"}))
    """

    def __init__(self) -> None:
        self.pending: list[Fault] = []
        """The faults that were not met yet, in order."""

    def throttle(self, times: int = 1, operation: str | None = None) -> None:
        """The next calls, of one operation or of any, are throttled: they raise `Throttled`.

        That is what a store raises when the retries of its client are used up, so nothing tries
        again below it.
        """
        self._add(Fault("throttle", _only(operation, None), times))

    def unprocessed(
        self, times: int = 1, operation: Literal["BatchGetItem", "BatchWriteItem"] | None = None
    ) -> None:
        """The next batch requests do their first item and leave the others over, as DynamoDB does
        under load.

        A store sends what was left over again, after a pause, and raises `BatchIncomplete` when it
        has tried enough.
        """
        self._add(Fault("unprocessed", _only(operation, BATCHES), times))

    def lose_race(self, rival: Callable[[], Any], operation: str | None = None) -> None:
        """Run a function just before the next write is sent, as a concurrent writer that was
        faster.

        Let it write what makes the condition fail. For an async store it may be a coroutine
        function.
        """
        self._add(Fault("lose_race", _only(operation, WRITES), rival=rival))

    def crash_before_commit(self, operation: str | None = None) -> None:
        """The next write raises `Unreachable`, and nothing of it is stored."""
        self._add(Fault("crash_before_commit", _only(operation, WRITES)))

    def crash_after_commit(self, operation: str | None = None) -> None:
        """The next write is stored, but its answer is lost: it raises `Unreachable`.

        A program cannot distinguish it from a crash before the commit, and must handle both.
        """
        self._add(Fault("crash_after_commit", _only(operation, WRITES)))

    def around(self, backend: Backend) -> FaultyBackend:
        """A backend with these faults in front of another one."""
        from sortkey.testing.faulty_backend import FaultyBackend

        return FaultyBackend(backend, self)

    def around_async(self, backend: AsyncBackend) -> AsyncFaultyBackend:
        """The same for an async store."""
        from sortkey.testing.async_faulty_backend import AsyncFaultyBackend

        return AsyncFaultyBackend(backend, self)

    def _add(self, fault: Fault) -> None:
        if fault.times < 1:
            raise ValueError(f"a fault is met at least once, not {fault.times} times")
        self.pending.append(fault)

    def take(self, operation: str) -> Fault | None:
        """The fault that a call meets, if any."""
        for fault in self.pending:
            if fault.operations is None or operation in fault.operations:
                fault.times -= 1
                if not fault.times:
                    self.pending.remove(fault)
                return fault
        return None


def _only(operation: str | None, otherwise: frozenset[str] | None) -> frozenset[str] | None:
    return otherwise if operation is None else frozenset({operation})
