"""A backend that notes what is asked of it, and can be busy."""

from __future__ import annotations

from typing import Any

from sortkey.errors import Throttled
from sortkey.runtime.backend import Capabilities


class Recording:
    """In front of another. `seen` has each operation with its index, which is empty for a table."""

    capabilities = Capabilities()

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self.seen: list[tuple[str, str]] = []
        self.is_busy = False

    @property
    def calls(self) -> list[str]:
        return [operation for operation, _ in self.seen]

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if self.is_busy:
            raise Throttled("slower")
        self.seen.append((operation, request.get("IndexName", "")))
        return self.backend.call(operation, request)

    def close(self) -> None:
        self.backend.close()
