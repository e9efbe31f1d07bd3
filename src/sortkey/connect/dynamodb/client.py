"""The clients: what drives the steps of a call, once with blocking sockets and once in an event
loop.

Both are written by hand because their connections have little in common: threads share theirs, and
each event loop has its own.
"""

from __future__ import annotations

import asyncio
import random as randomness
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, Self, TypeVar

from sortkey.connect.dynamodb.calls import Calls, Send, Sleep
from sortkey.connect.dynamodb.endpoints import Endpoint, tls_context
from sortkey.connect.dynamodb.event_loop import AsyncPool
from sortkey.connect.dynamodb.http import Fault
from sortkey.connect.dynamodb.place import locate
from sortkey.connect.dynamodb.settings import Settings
from sortkey.connect.dynamodb.sockets import Pool
from sortkey.connect.sigv4 import CredentialSource
from sortkey.runtime.backend import Capabilities
from sortkey.runtime.steps import AsyncPause, Pause

P = TypeVar("P", bound=Callable[[float], Any])
Q = TypeVar("Q")


class _Client(Generic[P]):
    """What both clients have in common."""

    capabilities = Capabilities()
    _default_sleep: ClassVar[Any]

    def __init__(
        self,
        endpoint: str | None = None,
        region: str | None = None,
        credentials: CredentialSource | None = None,
        *,
        profile: str | None = None,
        settings: Settings | None = None,
        headers: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
        sleep: P | None = None,
        random: Callable[[], float] = randomness.random,
    ) -> None:
        self.place = locate(endpoint, region, credentials, profile)
        self._settings = settings or Settings()
        self._calls = Calls(self.place, self._settings, clock, random, headers)
        self._sleep: P = self._default_sleep if sleep is None else sleep
        # Only when needed: reading the system's certificates takes longer than many calls.
        is_secure = self.place.main.tls or self.place.streams.tls
        self._tls = tls_context(self._settings.ca_file or self.place.ca_file) if is_secure else None
        self._prepare()

    @classmethod
    def aws(
        cls,
        region: str | None = None,
        profile: str | None = None,
        *,
        settings: Settings | None = None,
    ) -> Self:
        """DynamoDB at AWS, with the region and the credentials that the AWS CLI and boto3 would
        use.
        """
        return cls(region=region, profile=profile, settings=settings)

    def _prepare(self) -> None:
        """Make the connection pools."""
        raise NotImplementedError

    def _new_pools(
        self, kind: Callable[[Endpoint, Settings, ssl.SSLContext | None], Q]
    ) -> tuple[Q, Q]:
        """One for the main endpoint, and one for that of streams."""
        main, streams = (
            kind(endpoint, self._settings, self._tls if endpoint.tls else None)
            for endpoint in (self.place.main, self.place.streams)
        )
        return main, streams


class Client(_Client[Pause]):
    """A `Backend` over HTTP. Any number of threads may call it. botocore finds missing settings."""

    _default_sleep = staticmethod(time.sleep)

    def _prepare(self) -> None:
        self._pools = self._new_pools(Pool)

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Run one operation: DynamoDB JSON in and out, errors as `ServiceError`, `Throttled` or
        `Unreachable`.
        """
        steps = self._calls.steps(operation, request)
        outcome: Any = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return end.value
            if type(step) is Send:
                try:
                    outcome = self._pools[step.streams].exchange(step.data, fresh=step.fresh)
                except Fault as fault:
                    outcome = fault
            elif type(step) is Sleep:
                outcome = self._sleep(step.seconds)
            else:
                outcome = self.place.credentials.current()

    def close(self) -> None:
        """Close the connections. A later call opens new ones."""
        for pool in self._pools:
            pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class AsyncClient(_Client[AsyncPause]):
    """An `AsyncBackend` over HTTP. Each event loop has its own connections."""

    _default_sleep = staticmethod(asyncio.sleep)

    def _prepare(self) -> None:
        self._pools: dict[asyncio.AbstractEventLoop, tuple[AsyncPool, AsyncPool]] = {}

    async def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Run one operation: DynamoDB JSON in and out, errors as `ServiceError`, `Throttled` or
        `Unreachable`.
        """
        steps = self._calls.steps(operation, request)
        pools = self._pools.get(asyncio.get_running_loop()) or self._open()
        outcome: Any = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return end.value
            if type(step) is Send:
                try:
                    outcome = await pools[step.streams].exchange(step.data, fresh=step.fresh)
                except Fault as fault:
                    outcome = fault
            elif type(step) is Sleep:
                outcome = await self._sleep(step.seconds)
            else:
                outcome = await asyncio.to_thread(self.place.credentials.current)

    async def close(self) -> None:
        """Close the connections of this event loop. A later call opens new ones."""
        for pool in self._pools.pop(asyncio.get_running_loop(), ()):
            pool.close()
        await asyncio.sleep(0)  # the loop closes them in its next iteration

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def _open(self) -> tuple[AsyncPool, AsyncPool]:
        """Pools for the running loop. Those of closed loops are dropped: they are unusable."""
        for loop in [loop for loop in self._pools if loop.is_closed()]:
            self._pools.pop(loop, None)
        pools = self._pools[asyncio.get_running_loop()] = self._new_pools(AsyncPool)
        return pools
