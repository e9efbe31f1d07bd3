"""What a store stands on: something that runs one DynamoDB operation. Adapters are in `connect`.

Requests and answers are DynamoDB JSON as dicts: numbers are text, binary is base64 text.
"""

from __future__ import annotations

from typing import Any, Protocol


class Backend(Protocol):
    """Runs operations, from any thread."""

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Run one operation. Raises a subclass of `errors.ServiceError` where the service refuses it."""
        ...

    def close(self) -> None:
        """Give up what it holds: connections, files. Closing twice is fine."""
        ...


class AsyncBackend(Protocol):
    """The same, awaited."""

    async def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Run one operation. Raises a subclass of `errors.ServiceError` where the service refuses it."""
        ...

    async def close(self) -> None:
        """Give up what it holds: connections, files. Closing twice is fine."""
        ...
