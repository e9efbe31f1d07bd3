"""The engine in this process as a backend: no socket, no HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from sortkey.engine import Engine, RemoteEngine
from sortkey.errors import StoreError


class EmbeddedBackend:
    """Runs operations on an engine. The engine is closed with it.

    The requests of stores are plain JSON, so the engine in this process gets them as they are.
    """

    poll_seconds = 0.02
    """How soon to look again for changes, where the engine is another process's and cannot tell."""

    def __init__(self, engine: Engine | RemoteEngine) -> None:
        self.engine = engine
        self._run = engine.run if isinstance(engine, Engine) else None

    @property
    def at_once(self) -> int:
        """How many calls at once are of use: the engine does one after the other, and another process is waited for."""
        return 1 if isinstance(self.engine, Engine) else 8

    def watch(self, wake: Callable[[], None]) -> Callable[[], None] | None:
        """Call `wake` after each commit of changes; gives what ends that. None where the engine cannot tell."""
        return self.engine.watch(wake) if isinstance(self.engine, Engine) else None

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        if self._run is None:
            return self.engine.call(operation, request)
        return orjson.loads(self._run(operation, request))

    def close(self) -> None:
        self.engine.close()
        self._run = _closed


def _closed(operation: str, request: dict[str, Any]) -> bytes:
    raise StoreError(f"{operation}: the store is closed")


class AsyncEmbeddedBackend:
    """The same for programs that await. The engine answers in microseconds, so it runs in the loop's own thread."""

    def __init__(self, engine: Engine | RemoteEngine) -> None:
        self._backend = EmbeddedBackend(engine)

    @property
    def engine(self) -> Engine | RemoteEngine:
        return self._backend.engine

    at_once = 1

    async def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        return self._backend.call(operation, request)

    async def close(self) -> None:
        self._backend.close()
