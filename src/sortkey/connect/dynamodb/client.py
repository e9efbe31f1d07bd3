"""The clients: what drives the steps of a call, once with blocking sockets and once in an event loop."""

from __future__ import annotations

import asyncio
import random as randomness
import ssl
import time
from collections.abc import Awaitable, Callable
from typing import Any, Self

from sortkey.connect.dynamodb.calls import Calls, Send, Sleep
from sortkey.connect.dynamodb.endpoints import tls_context
from sortkey.connect.dynamodb.event_loop import AsyncPool
from sortkey.connect.dynamodb.http import Fault
from sortkey.connect.dynamodb.place import Place, locate
from sortkey.connect.dynamodb.settings import Settings
from sortkey.connect.dynamodb.sockets import Pool
from sortkey.connect.sigv4 import CredentialSource
from sortkey.runtime.backend import Capabilities


class Client:
    """A `Backend` over HTTP. Any number of threads may call it; what is not given, botocore looks up."""

    capabilities = Capabilities()

    def __init__(
        self,
        endpoint: str | None = None,
        region: str | None = None,
        credentials: CredentialSource | None = None,
        *,
        profile: str | None = None,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], object] = time.sleep,
        random: Callable[[], float] = randomness.random,
    ) -> None:
        settings = settings or Settings()
        self.place = locate(endpoint, region, credentials, profile)
        self._calls = Calls(self.place, settings, clock, random)
        self._sleep = sleep
        tls = _tls(self.place, settings)
        self._main = Pool(self.place.main, settings, tls if self.place.main.tls else None)
        self._streams = Pool(self.place.streams, settings, tls if self.place.streams.tls else None)

    @classmethod
    def aws(cls, region: str | None = None, profile: str | None = None, *, settings: Settings | None = None) -> Self:
        """DynamoDB at AWS, with the region and the credentials that the AWS CLI and boto3 would use."""
        return cls(region=region, profile=profile, settings=settings)

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Run one operation: DynamoDB JSON in and out, errors as `ServiceError`, `Throttled` or `Unreachable`."""
        steps = self._calls.steps(operation, request)
        outcome: Any = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return end.value
            if type(step) is Send:
                pool = self._streams if step.streams else self._main
                try:
                    outcome = pool.exchange(step.data, fresh=step.fresh)
                except Fault as fault:
                    outcome = fault
            elif type(step) is Sleep:
                outcome = self._sleep(step.seconds)
            else:
                outcome = self.place.credentials.current()

    def close(self) -> None:
        """Close the connections. A later call opens new ones."""
        self._main.close()
        self._streams.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class AsyncClient:
    """An `AsyncBackend` over HTTP. Each event loop has connections of its own."""

    capabilities = Capabilities()

    def __init__(
        self,
        endpoint: str | None = None,
        region: str | None = None,
        credentials: CredentialSource | None = None,
        *,
        profile: str | None = None,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        random: Callable[[], float] = randomness.random,
    ) -> None:
        self._settings = settings or Settings()
        self.place = locate(endpoint, region, credentials, profile)
        self._calls = Calls(self.place, self._settings, clock, random)
        self._sleep = sleep
        self._tls = _tls(self.place, self._settings)
        self._pools: dict[asyncio.AbstractEventLoop, tuple[AsyncPool, AsyncPool]] = {}

    @classmethod
    def aws(cls, region: str | None = None, profile: str | None = None, *, settings: Settings | None = None) -> Self:
        """DynamoDB at AWS, with the region and the credentials that the AWS CLI and boto3 would use."""
        return cls(region=region, profile=profile, settings=settings)

    async def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Run one operation: DynamoDB JSON in and out, errors as `ServiceError`, `Throttled` or `Unreachable`."""
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
        await asyncio.sleep(0)  # the loop ends them in its next turn

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def _open(self) -> tuple[AsyncPool, AsyncPool]:
        """Pools for the running loop. Those of loops that have ended go: nothing can be done with them."""
        for loop in [loop for loop in self._pools if loop.is_closed()]:
            self._pools.pop(loop, None)
        main, streams = self.place.main, self.place.streams
        pools = (
            AsyncPool(main, self._settings, self._tls if main.tls else None),
            AsyncPool(streams, self._settings, self._tls if streams.tls else None),
        )
        self._pools[asyncio.get_running_loop()] = pools
        return pools


def _tls(place: Place, settings: Settings) -> ssl.SSLContext | None:
    """Made only where it is used: reading the system's certificates takes longer than many calls."""
    if not (place.main.tls or place.streams.tls):
        return None
    return tls_context(settings.ca_file or place.ca_file)
