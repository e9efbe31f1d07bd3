"""The engine in this process as a backend: no socket, no HTTP."""

from __future__ import annotations

from typing import Any

from sortkey.engine import Engine, RemoteEngine


class EmbeddedBackend:
    """Runs operations on an engine. The engine is closed with it."""

    def __init__(self, engine: Engine | RemoteEngine) -> None:
        self.engine = engine
        self.call = engine.call

    def close(self) -> None:
        self.engine.close()


class AsyncEmbeddedBackend:
    """The same for programs that await. The engine answers in microseconds, so it runs in the loop's own thread."""

    def __init__(self, engine: Engine | RemoteEngine) -> None:
        self.engine = engine

    async def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        return self.engine.call(operation, request)

    async def close(self) -> None:
        self.engine.close()
