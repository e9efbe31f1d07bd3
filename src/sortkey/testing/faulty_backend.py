"""A backend in front of another one that raises the faults of a test. Calls without a fault pass
through.

`async_faulty_backend.py` is generated from this file by `tools/generate_async.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from sortkey.errors import Throttled, Unreachable

if TYPE_CHECKING:
    from sortkey.runtime.backend import Backend, Capabilities
    from sortkey.testing.faults import Fault, Faults

Request = dict[str, Any]
_LEFT_OVER = {"BatchGetItem": "UnprocessedKeys", "BatchWriteItem": "UnprocessedItems"}


class FaultyBackend:
    """Passes calls to another backend, unless there is a fault for the call."""

    def __init__(self, backend: Backend, faults: Faults) -> None:
        self._backend, self._faults = backend, faults

    @property
    def capabilities(self) -> Capabilities:
        return self._backend.capabilities

    def call(self, operation: str, request: Request, /) -> dict[str, Any]:
        fault = self._faults.take(operation)
        refuse(fault, operation)
        if fault is not None and fault.rival is not None:
            fault.rival()
        answer = self._backend.call(operation, sent(fault, operation, request))
        return received(fault, operation, request, answer)

    def close(self) -> None:
        self._backend.close()


async def settled(result: Any) -> Any:
    """The result of a function, which may be a coroutine function. For the async twin."""
    return await result if isawaitable(result) else result


def refuse(fault: Fault | None, operation: str) -> None:
    """Raise the fault, if the call is not to be sent."""
    if fault is None:
        return
    if fault.kind == "throttle":
        raise Throttled(f"{operation}: throttled, as the test asked")
    if fault.kind == "crash_before_commit":
        raise Unreachable(f"{operation}: crashed before it was stored, as the test asked")


def sent(fault: Fault | None, operation: str, request: Request) -> Request:
    if fault is None or fault.kind != "unprocessed":
        return request
    table, requested = next(iter(request["RequestItems"].items()))
    first = (
        {**requested, "Keys": requested["Keys"][:1]}
        if operation == "BatchGetItem"
        else requested[:1]
    )
    return {**request, "RequestItems": {table: first}}


def received(
    fault: Fault | None, operation: str, request: Request, answer: dict[str, Any]
) -> dict[str, Any]:
    if fault is None:
        return answer
    if fault.kind == "crash_after_commit":
        raise Unreachable(f"{operation}: crashed after it was stored, as the test asked")
    if fault.kind != "unprocessed":
        return answer
    return {**answer, _LEFT_OVER[operation]: _left_over(operation, request["RequestItems"])}


def _left_over(operation: str, requested: Mapping[str, Any]) -> dict[str, Any]:
    """All of a batch but its first item."""
    (first, wanted), *others = requested.items()
    if operation == "BatchGetItem":
        rest = {**wanted, "Keys": wanted["Keys"][1:]}
        return {**({first: rest} if rest["Keys"] else {}), **dict(others)}
    return {**({first: wanted[1:]} if wanted[1:] else {}), **dict(others)}
