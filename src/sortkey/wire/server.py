"""The server: sockets in, requests to the engine through the group commit, time limits, background
work, stop.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sortkey.engine.request_bodies import read_request
from sortkey.errors import (
    InternalServerError,
    RequestEntityTooLarge,
    ServiceError,
    UnknownOperationException,
)
from sortkey.origins import ANY, OriginPolicy
from sortkey.peers import IsGuest
from sortkey.storage.failures import STORAGE_FAILURE, is_storage_failure
from sortkey.wire import compression
from sortkey.wire.access import Access
from sortkey.wire.answer import Answers
from sortkey.wire.busy_wait import ShortWaits
from sortkey.wire.commit import Engine, GroupCommit, log_failure
from sortkey.wire.connection import Connection
from sortkey.wire.guarded_connection import GuardedConnection
from sortkey.wire.request import JSON_TYPES, Request, operation_of

log = logging.getLogger("sortkey.wire")

WORK_SECONDS_MAX = 0.1  # requests may make new background work before the engine's own deadline
REST_SECONDS_MAX = 1.0  # the same without requests: other threads may make new work


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on everything that a client can make the server hold or wait for."""

    body_bytes: int = 16 * 1024 * 1024  # AWS's, before and after unpacking
    head_bytes: int = 64 * 1024
    headers: int = 100
    connections: int = 10_000
    request_seconds: int = 60
    idle_seconds: int = 120
    stop_seconds: int = 10
    linger_seconds: float = 0.25


class Exchange:
    """A request that names an operation, on its way through the engine. See `commit.Call`."""

    __slots__ = ("_connection", "_is_trusted", "_operation", "_request", "_server")

    def __init__(
        self,
        server: Server,
        connection: Connection,
        request: Request,
        operation: str,
        is_trusted: bool,
    ) -> None:
        self._server = server
        self._connection = connection
        self._request = request
        self._operation = operation
        self._is_trusted = is_trusted

    def run(self) -> bytes:
        server, request = self._server, self._request
        try:
            answer = server.engine.execute(
                self._operation, read_request(request.body), is_trusted=self._is_trusted
            )
            if self._operation == "DescribeEndpoints":
                answer = _where_it_was_called(request, answer)
            return server.answers.result(request, answer)
        except ServiceError as error:
            return server.answers.error(request, error)

    def failed(self, error: Exception, /) -> bytes:
        # Processes that share the folder get the reason, like its owner: the disk may be full.
        details = (
            {STORAGE_FAILURE: str(error)} if self._is_trusted and is_storage_failure(error) else {}
        )
        return self._server.answers.error(
            self._request, InternalServerError("Internal server error", **details)
        )

    def send(self, answer: bytes, /) -> None:
        self._connection.send(self._request, answer)


class Server:
    """Serves one engine. `start` and `stop` run in the event loop, as does everything between."""

    def __init__(
        self,
        engine: Engine,
        access: Access,
        *,
        region: str = "us-east-1",
        limits: Limits | None = None,
        origins: OriginPolicy | None = None,
        clock: Callable[[], float] = time.time,
        is_guest: IsGuest | None = None,
    ) -> None:
        """Pages of `origins` may call. Without it no page may, and only loopback names are accepted
        as `Host`. Connections of local users for whom `is_guest` is true are closed.
        """
        origins = origins or OriginPolicy()
        self.engine = engine
        self.limits = limits or Limits()
        self.answers = Answers(region, any_origin=ANY in origins.origins)
        self.connections: set[Connection] = set()
        self.stopping = False
        self.ticks = 0
        self._access = access
        self._origins = origins
        self._clock = clock
        self._is_guest = is_guest
        self._listeners: list[asyncio.Server] = []
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._is_busy = False
        """Whether there were requests since the last background work."""
        self._work_at = 0.0

    async def start(self, sockets: Sequence[socket.socket]) -> None:
        """Listen on bound sockets and begin the background work."""
        loop = self._loop = asyncio.get_running_loop()
        self._commit = GroupCommit(self.engine, loop.call_soon, self._alone)
        self._waits = ShortWaits(loop.call_soon)
        self.answers.tick(self._clock())
        for listener in sockets:
            self._listeners.append(
                await loop.create_server(self._connect, sock=listener, backlog=1024)
            )
        self._timers["tick"] = loop.call_later(1, self._tick)
        self._work_in(0)

    async def stop(self) -> None:
        """Stop accepting connections, answer the current requests, and commit. The engine stays
        open. Its owner closes it.

        On a connection that was just in use, the next request may be on its way. It stays open a
        little longer and is closed with that answer. Closing it at once would be an error for the
        client.
        """
        self.stopping = True
        for listener in self._listeners:
            listener.close()
        if "work" in self._timers:
            self._timers.pop("work").cancel()
        began = self._loop.time()
        while self.connections and (waited := self._loop.time() - began) < self.limits.stop_seconds:
            for connection in list(self.connections):
                quiet = connection.since < self.ticks - 1 or waited >= self.limits.linger_seconds
                if quiet and connection.idle():
                    connection.close()
            await asyncio.sleep(0.01)
        self._timers.pop("tick").cancel()
        self._commit.flush()
        for connection in list(self.connections):
            connection.abort()

    def serve(self, connection: Connection, request: Request) -> None:
        """Answer one request, now or after its group commit."""
        headers = request.headers
        if headers.get(b"host") != connection.known_host or b"origin" in headers:
            if (problem := self._page_problem(headers)) is not None:
                connection.send(request, self.answers.refused(request, problem))
                return
            connection.known_host = headers.get(b"host")
        if request.method != b"POST":
            connection.send(request, self._other_method(request))
            return
        try:
            admitted = self._admit(request)
        except ServiceError as error:
            connection.send(request, self.answers.error(request, error))
            return
        except Exception:  # a bug here must not cost other clients their answers
            log.exception("a request could not be admitted")
            connection.send(
                request, self.answers.error(request, InternalServerError("Internal server error"))
            )
            return
        if not self._is_busy:
            self._rested()
        if admitted is None:
            connection.send(request, self.answers.not_found(request))
        elif self._alone():
            self._waits.on_request()
            self._commit.submit(Exchange(self, connection, request, *admitted))
            self._waits.on_answer()
        else:
            self._commit.submit(Exchange(self, connection, request, *admitted))

    def _page_problem(self, headers: dict[bytes, bytes]) -> str | None:
        """Why a web page's request is refused, or None. See `sortkey.origins`."""
        problem = self._origins.host_problem(headers.get(b"host", b"").decode("latin-1"))
        if problem is not None or b"origin" not in headers:
            return problem
        return self._origins.origin_problem(headers[b"origin"].decode("latin-1"))

    def _alone(self) -> bool:
        """Whether there is only one client: no other can join its commit or needs the CPU."""
        return len(self.connections) == 1

    def refusal(self, request: Request, status: int) -> bytes:
        """The answer to bytes that are not a valid request."""
        if status == RequestEntityTooLarge.status:
            message = f"The request body is larger than {self.limits.body_bytes} bytes"
            return self.answers.error(request, RequestEntityTooLarge(message))
        return self.answers.plain(request, status)

    def sweep(self) -> None:
        """Once a second: close connections that were idle, incomplete or not read by the client for
        too long.
        """
        self.ticks += 1
        self.answers.tick(self._clock())
        for connection in list(self.connections):
            age = self.ticks - connection.since
            if connection.receiving or connection.stalled():
                if age > self.limits.request_seconds:
                    connection.abort()
            elif connection.idle() and age > self.limits.idle_seconds:
                connection.close()

    def _connect(self) -> asyncio.BaseProtocol:
        if len(self.connections) >= self.limits.connections:
            return _TooMany()
        if self._is_guest is not None:
            return GuardedConnection(self, self._is_guest)
        return Connection(self)

    def _admit(self, request: Request) -> tuple[str, bool] | None:
        """The requested operation, if the caller is authorized, and whether the caller may change
        Sortkey's own tables.

        None for an unknown content type. AWS's order: content type, JSON, target, signature. A body
        is parsed here only on the way to an error, so that a valid one is parsed once.
        """
        headers = request.headers
        if request.body and request.content_type() not in JSON_TYPES:
            return None
        encoding = headers.get(b"content-encoding")
        operation = operation_of(headers.get(b"x-amz-target", b""))
        try:
            if operation is None:
                raise UnknownOperationException()
            is_trusted = self._access.check(request)
        except ServiceError:
            if request.body and encoding is None:
                read_request(request.body)
            raise
        if encoding is not None:  # after the signature, which covers the body as sent
            request.body = compression.decode(encoding, request.body, self.limits.body_bytes)
        return operation, is_trusted

    def _other_method(self, request: Request) -> bytes:
        if request.method in (b"GET", b"HEAD") and request.path() in (b"/", b"/ping"):
            return self.answers.health(request)
        if request.method == b"OPTIONS" and b"origin" in request.headers:
            return self.answers.preflight(request)
        return self.answers.not_found(request)

    def _tick(self) -> None:
        self._timers["tick"] = self._loop.call_later(1, self._tick)
        self.sweep()

    def _work(self) -> None:
        self._commit.flush()
        try:
            delay = self.engine.work()
            if self.engine.in_transaction:
                self.engine.flush()
        except Exception as error:
            log_failure("background work failed", error)
            self.engine.rollback()
            delay, self._is_busy = 1.0, True  # requests do not make it retry sooner
        else:
            delay = min(delay, WORK_SECONDS_MAX if self._is_busy else REST_SECONDS_MAX)
            self._is_busy = False
        self._work_in(delay)

    def _work_in(self, seconds: float) -> None:
        self._work_at = self._loop.time() + seconds
        self._timers["work"] = self._loop.call_later(seconds, self._work)

    def _rested(self) -> None:
        """A request ends the rest: its background work must not wait until the rest is over."""
        self._is_busy = True
        if not self.stopping and self._work_at > self._loop.time() + WORK_SECONDS_MAX:
            self._timers["work"].cancel()
            self._work_in(WORK_SECONDS_MAX)


class _TooMany(asyncio.Protocol):
    """A connection over the limit, closed at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


def _where_it_was_called(request: Request, answer: Any) -> Any:
    """The endpoint address that the client used: a loopback address would mean another machine's
    own.
    """
    host = request.headers.get(b"host")
    if not host:
        return answer
    return {
        "Endpoints": [
            {**endpoint, "Address": host.decode("latin-1")} for endpoint in answer["Endpoints"]
        ]
    }
