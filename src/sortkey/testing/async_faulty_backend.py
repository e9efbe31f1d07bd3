"""Generated from faulty_backend.py by tools/generate_async.py: edit that, then `make format`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.testing.faulty_backend import Request, received, refuse, sent, settled

if TYPE_CHECKING:
    from sortkey.runtime.async_backend import AsyncBackend
    from sortkey.runtime.backend import Capabilities
    from sortkey.testing.faults import Faults


class AsyncFaultyBackend:
    """`FaultyBackend`, awaited. Passes calls to another backend, unless there is a fault for the
    call.
    """

    def __init__(self, backend: AsyncBackend, faults: Faults) -> None:
        self._backend, self._faults = backend, faults

    @property
    def capabilities(self) -> Capabilities:
        return self._backend.capabilities

    async def call(self, operation: str, request: Request, /) -> dict[str, Any]:
        fault = self._faults.take(operation)
        refuse(fault, operation)
        if fault is not None and fault.rival is not None:
            await settled(fault.rival())
        answer = await self._backend.call(operation, sent(fault, operation, request))
        return received(fault, operation, request, answer)

    async def close(self) -> None:
        await self._backend.close()
