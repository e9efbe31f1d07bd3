"""The sync transport: blocking sockets that stay open and are shared by all threads. Each is used
by one thread at a time.
"""

from __future__ import annotations

import os
import socket
import ssl
from time import monotonic
from weakref import WeakSet

from sortkey.connect.dynamodb.endpoints import Endpoint
from sortkey.connect.dynamodb.http import AnswerReader, Reply, connect_fault, fault_of
from sortkey.connect.dynamodb.idle import Idle
from sortkey.connect.dynamodb.settings import Settings

_BUFFER_BYTES = 64 * 1024


class Pool:
    """Connections to one endpoint."""

    def __init__(self, endpoint: Endpoint, settings: Settings, tls: ssl.SSLContext | None) -> None:
        self._endpoint = endpoint
        self._settings = settings
        self._tls = tls
        self._idle: Idle[_Connection] = Idle(settings)
        _pools.add(self)

    def exchange(self, data: bytes, *, fresh: bool) -> Reply:
        """Send a request and wait for its answer. Raises Fault."""
        connection = None if fresh else self._idle.take()
        if connection is None:
            connection = self._connect()
        try:
            reply = connection.exchange(data, self._settings.answer_seconds)
        except BaseException:
            connection.close()  # also when interrupted: the answer would come to the next request
            raise
        if reply.keep_alive:
            self._idle.keep(connection)
        else:
            connection.close()
        return reply

    def close(self) -> None:
        """Close idle connections. One in use is closed or kept when its answer has arrived."""
        self._idle.close()

    def _connect(self) -> _Connection:
        endpoint, seconds = self._endpoint, self._settings.connect_seconds
        try:
            plain = socket.create_connection((endpoint.host, endpoint.port), timeout=seconds)
            try:
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connected = (
                    self._tls.wrap_socket(plain, server_hostname=endpoint.host)
                    if self._tls
                    else plain
                )
                connected.settimeout(self._settings.answer_seconds)
            except BaseException:
                plain.close()
                raise
        except OSError as error:
            raise connect_fault(error) from error
        return _Connection(connected)


class _Connection:
    __slots__ = ("_buffer", "_reader", "_socket", "_used", "since")

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._reader = AnswerReader()
        self._buffer = memoryview(bytearray(_BUFFER_BYTES))
        self._used = False
        self.since = 0.0

    def exchange(self, data: bytes, seconds: float) -> Reply:
        reused, self._used = self._used, True
        deadline = monotonic() + seconds
        received = 0
        try:
            self._socket.sendall(data)
            while True:
                received = self._socket.recv_into(self._buffer)
                if not received:
                    raise EOFError
                reply = self._reader.feed(self._buffer[:received])
                if reply is not None:
                    return reply
                reused = False  # it was open: some bytes have arrived
                if monotonic() > deadline:
                    raise TimeoutError
        except (OSError, EOFError) as error:
            raise fault_of(error, stale=reused) from error

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()


_pools: WeakSet[Pool] = WeakSet()


def _forget_in_child() -> None:
    """After a fork the child closes its copies: two processes on one connection would read each
    other's answers.
    """
    for pool in list(_pools):
        pool.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
