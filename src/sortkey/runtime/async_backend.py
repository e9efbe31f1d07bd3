"""Generated from backend.py by tools/generate_async.py: edit that, then `make format`."""

from __future__ import annotations

from typing import Any, Protocol

from sortkey.runtime.backend import Capabilities


class AsyncBackend(Protocol):
    """`Backend`, awaited. What a store runs on: one function, a way to close it, and its
    capabilities.

    Threads may share one.
    """

    @property
    def capabilities(self) -> Capabilities: ...

    async def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Run one operation of DynamoDB. Raises a subclass of `errors.ServiceError` if the service
        refuses it.
        """
        ...

    async def close(self) -> None:
        """Release connections and files. Closing twice is fine."""
        ...
