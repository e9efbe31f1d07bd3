"""The engine in this process as a backend: no socket, no HTTP."""

from __future__ import annotations

from typing import Any

import orjson

from sortkey.engine import Engine
from sortkey.errors import StoreError
from sortkey.runtime.backend import Capabilities

POLL_SECONDS = 0.02
"""How often to poll: an engine on the same machine allows more than AWS does."""


class EmbeddedBackend:
    """Runs operations on an engine. Closing it closes the engine.

    The requests of stores are plain JSON, so the engine in this process gets them as they are.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        # It runs one operation after the other, and knows when it commits.
        self.capabilities = Capabilities(
            parallel_calls=1, poll_seconds=POLL_SECONDS, watch=engine.watch
        )
        self._run = engine.run

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        return orjson.loads(self._run(operation, request))

    def close(self) -> None:
        self.engine.close()
        self._run = _refuse_closed


def _refuse_closed(operation: str, request: dict[str, Any]) -> bytes:
    raise StoreError(f"{operation}: the store is closed")


class AsyncEmbeddedBackend:
    """The same for async programs. The engine answers in microseconds, so it runs in the
    loop's own thread.
    """

    def __init__(self, engine: Engine) -> None:
        self._backend = EmbeddedBackend(engine)
        self.capabilities = Capabilities(parallel_calls=1)

    async def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        return self._backend.call(operation, request)

    async def close(self) -> None:
        self._backend.close()
