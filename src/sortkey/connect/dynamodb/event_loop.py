"""The async transport: connections of one event loop, each with one request at a time."""

from __future__ import annotations

import asyncio
import ssl
from typing import cast

from sortkey.connect.dynamodb.endpoints import Endpoint
from sortkey.connect.dynamodb.http import AnswerReader, Fault, Reply, connect_fault, fault_of
from sortkey.connect.dynamodb.idle import Idle
from sortkey.connect.dynamodb.settings import Settings


class AsyncPool:
    """Connections to one endpoint, in the event loop that is running when it is created."""

    def __init__(self, endpoint: Endpoint, settings: Settings, tls: ssl.SSLContext | None) -> None:
        self._endpoint = endpoint
        self._settings = settings
        self._tls = tls
        self._loop = asyncio.get_running_loop()
        self._room = asyncio.Semaphore(settings.connections_max)
        self._idle: Idle[_Connection] = Idle(settings)

    async def exchange(self, data: bytes, *, fresh: bool) -> Reply:
        """Send a request and wait for its answer. Raises Fault."""
        async with self._room:
            connection = None if fresh else self._idle.take()
            if connection is None:
                connection = await self._connect()
            timer = self._loop.call_later(self._settings.answer_seconds, connection.expire)
            try:
                reply = await connection.ask(data)
            except BaseException:
                connection.close()  # also when cancelled: the answer would come to the next request
                raise
            finally:
                timer.cancel()
            if reply.keep_alive:
                self._idle.keep(connection)
            else:
                connection.close()
            return reply

    def close(self) -> None:
        """Close idle connections. One in use is closed or kept when its answer has arrived."""
        self._idle.close()

    async def _connect(self) -> _Connection:
        endpoint = self._endpoint
        name = endpoint.host if self._tls else None
        try:
            async with asyncio.timeout(self._settings.connect_seconds):
                _, connection = await self._loop.create_connection(
                    lambda: _Connection(self._loop),
                    endpoint.host,
                    endpoint.port,
                    ssl=self._tls,
                    server_hostname=name,
                )
        except OSError as error:
            raise connect_fault(error) from error
        return connection


class _Connection(asyncio.Protocol):
    """Handles one request at a time. asyncio and uvloop both set TCP_NODELAY themselves."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._reader = AnswerReader()
        self._transport: asyncio.Transport = cast(asyncio.Transport, None)
        self._answer: asyncio.Future[Reply] | None = None
        self._stale = False  # if it ends now, it was idle for too long
        self._used = False
        self._fileno = -1
        self.since = 0.0

    def ask(self, data: bytes) -> asyncio.Future[Reply]:
        self._stale, self._used = self._used, True
        self._answer = self._loop.create_future()
        self._transport.write(data)
        return self._answer

    def expire(self) -> None:
        self._fail(fault_of(TimeoutError()))

    def fileno(self) -> int:
        return self._fileno

    def close(self) -> None:
        self._fileno = -1
        self._answer = None
        self._transport.abort()

    # From the transport.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._fileno = transport.get_extra_info("socket").fileno()

    def data_received(self, data: bytes) -> None:
        self._stale = False
        if self._answer is None:
            self.close()  # no request was sent
            return
        try:
            reply = self._reader.feed(data)
        except Fault as fault:
            self._fail(fault)
            return
        if reply is not None:
            answer, self._answer = self._answer, None
            if not answer.done():
                answer.set_result(reply)

    def connection_lost(self, exc: Exception | None) -> None:
        self._fileno = -1
        error = exc if isinstance(exc, OSError) else EOFError()
        fault = fault_of(error, stale=self._stale)
        fault.__cause__ = error
        self._fail(fault)

    def _fail(self, fault: Fault) -> None:
        answer, self._answer = self._answer, None
        if answer is not None and not answer.done():
            answer.set_exception(fault)
