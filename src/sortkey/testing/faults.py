"""Faults on demand: a backend that stands before another one and goes wrong when it is told to.

Each fault is met once by the next call that it is for, or as often as it says; calls without one pass through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Literal

from sortkey.errors import Throttled, Unreachable

if TYPE_CHECKING:
    from sortkey.runtime.backend import AsyncBackend, Backend

Request = dict[str, Any]
Kind = Literal["throttle", "unprocessed", "lose_race", "crash_before_commit", "crash_after_commit"]

WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
BATCHES = frozenset({"BatchGetItem", "BatchWriteItem"})
_LEFT_OVER = {"BatchGetItem": "UnprocessedKeys", "BatchWriteItem": "UnprocessedItems"}


@dataclass(slots=True)
class Fault:
    """One that waits for its call."""

    kind: Kind
    operations: frozenset[str] | None
    """None for all."""
    times: int = 1
    rival: Callable[[], Any] | None = None

    def __str__(self) -> str:
        return f"{self.kind} of {', '.join(sorted(self.operations or ['any operation']))}, {self.times} more"


class Faults:
    """What shall go wrong with a store.

    sortkey_faults.throttle(2, "Query")
    sortkey_faults.lose_race(lambda: store.update(key, set={"status": "done"}))
    """

    def __init__(self) -> None:
        self.pending: list[Fault] = []
        """Those that were not met yet, in the order in which they will be."""

    def throttle(self, times: int = 1, operation: str | None = None) -> None:
        """The next calls, of one operation or of any, are refused for load: they raise `Throttled`.

        That is what a store raises when the retries of its client are used up, so nothing tries again below it.
        """
        self._add(Fault("throttle", _only(operation, None), times))

    def unprocessed(self, times: int = 1, operation: Literal["BatchGetItem", "BatchWriteItem"] | None = None) -> None:
        """The next batch requests do their first item and leave the others over, as DynamoDB does under load.

        A store sends what was left over again, after a pause, and raises `BatchIncomplete` when it has tried enough.
        """
        self._add(Fault("unprocessed", _only(operation, BATCHES), times))

    def lose_race(self, rival: Callable[[], Any], operation: str | None = None) -> None:
        """Run a function just before the next write is sent: whoever it stands for was faster.

        Write with it what makes the condition fail. For an async store it may be a coroutine function.
        """
        self._add(Fault("lose_race", _only(operation, WRITES), rival=rival))

    def crash_before_commit(self, operation: str | None = None) -> None:
        """The next write raises `Unreachable`, and nothing of it is stored."""
        self._add(Fault("crash_before_commit", _only(operation, WRITES)))

    def crash_after_commit(self, operation: str | None = None) -> None:
        """The next write is stored, but its answer is lost: it raises `Unreachable`.

        From outside it cannot be told from a crash before: what the program does next must be right for both.
        """
        self._add(Fault("crash_after_commit", _only(operation, WRITES)))

    def around(self, backend: Backend) -> FaultyBackend:
        """A backend that goes wrong as told, and otherwise does what this one does."""
        return FaultyBackend(backend, self)

    def around_async(self, backend: AsyncBackend) -> AsyncFaultyBackend:
        """The same for an async store."""
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


class FaultyBackend:
    """Stands before a backend."""

    def __init__(self, backend: Backend, faults: Faults) -> None:
        self._backend, self._faults = backend, faults

    def call(self, operation: str, request: Request, /) -> dict[str, Any]:
        fault = self._faults.take(operation)
        _refuse(fault, operation)
        if fault is not None and fault.rival is not None:
            fault.rival()
        answer = self._backend.call(operation, _sent(fault, operation, request))
        return _received(fault, operation, request, answer)

    def close(self) -> None:
        self._backend.close()


class AsyncFaultyBackend:
    """The same for programs that await."""

    def __init__(self, backend: AsyncBackend, faults: Faults) -> None:
        self._backend, self._faults = backend, faults

    async def call(self, operation: str, request: Request, /) -> dict[str, Any]:
        fault = self._faults.take(operation)
        _refuse(fault, operation)
        if fault is not None and fault.rival is not None:
            done = fault.rival()
            if isawaitable(done):
                await done
        answer = await self._backend.call(operation, _sent(fault, operation, request))
        return _received(fault, operation, request, answer)

    async def close(self) -> None:
        await self._backend.close()


def _only(operation: str | None, otherwise: frozenset[str] | None) -> frozenset[str] | None:
    return otherwise if operation is None else frozenset({operation})


def _refuse(fault: Fault | None, operation: str) -> None:
    """Raise where nothing of the call is done."""
    if fault is None:
        return
    if fault.kind == "throttle":
        raise Throttled(f"{operation}: throttled, as the test told")
    if fault.kind == "crash_before_commit":
        raise Unreachable(f"{operation}: crashed before it was stored, as the test told")


def _sent(fault: Fault | None, operation: str, request: Request) -> Request:
    if fault is None or fault.kind != "unprocessed":
        return request
    table, asked = next(iter(request["RequestItems"].items()))
    first = {**asked, "Keys": asked["Keys"][:1]} if operation == "BatchGetItem" else asked[:1]
    return {**request, "RequestItems": {table: first}}


def _received(fault: Fault | None, operation: str, request: Request, answer: dict[str, Any]) -> dict[str, Any]:
    if fault is None:
        return answer
    if fault.kind == "crash_after_commit":
        raise Unreachable(f"{operation}: crashed after it was stored, as the test told")
    if fault.kind != "unprocessed":
        return answer
    return {**answer, _LEFT_OVER[operation]: _left_over(operation, request["RequestItems"])}


def _left_over(operation: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """All of a batch but its first item."""
    (first, wanted), *others = asked.items()
    if operation == "BatchGetItem":
        rest = {**wanted, "Keys": wanted["Keys"][1:]}
        return {**({first: rest} if rest["Keys"] else {}), **dict(others)}
    return {**({first: wanted[1:]} if wanted[1:] else {}), **dict(others)}
