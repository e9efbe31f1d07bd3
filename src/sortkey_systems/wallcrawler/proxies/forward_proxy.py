"""The forward proxy of one session, on loopback: chooses the upstream proxy, adds credentials,
counts bytes.

It runs in a thread of the holder with an event loop of its own, only in sessions that have proxies.
It refuses peers of another user: a local process must not borrow somebody's credentials.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
from asyncio import StreamReader, StreamWriter
from collections.abc import Sequence
from ipaddress import ip_address
from threading import Thread
from typing import NamedTuple

from sortkey.systems import peer_uid
from sortkey_systems.wallcrawler.proxies.rules import ProxyRule, Upstream, route

HEAD_BYTES_MAX = 64 << 10
CONNECT_SECONDS = 15
HEAD_SECONDS = 30
CONNECTIONS_MAX = 512
PIECE_BYTES = 64 << 10

_HOP_HEADERS = (b"connection", b"proxy-connection", b"proxy-authorization", b"keep-alive")


class _Head(NamedTuple):
    """The first lines of a request or an answer."""

    first: bytes
    headers: list[bytes]

    def without_hops(self, *more: bytes) -> bytes:
        kept = [
            each
            for each in self.headers
            if each.partition(b":")[0].strip().lower() not in _HOP_HEADERS
        ]
        return b"\r\n".join([self.first, *kept, *more, b"Connection: close", b"", b""])


class ForwardProxy:
    """Listens from `start` to `stop`. `byte_count` is what went through upstream proxies, both
    ways.
    """

    def __init__(self, rules: Sequence[ProxyRule], *, uid: int | None = None) -> None:
        """`uid` is the user whose processes may connect; None for everybody on this machine."""
        self._rules, self._uid = rules, uid
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="forward-proxy", daemon=True)
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.byte_count = 0
        self.url = ""
        """Where it listens, once it has started."""

    def start(self) -> int:
        """Listen on a free port of loopback, which is returned."""
        self._thread.start()
        listening = asyncio.run_coroutine_threadsafe(self._listen(), self._loop)
        port = listening.result(CONNECT_SECONDS)
        self.url = f"http://127.0.0.1:{port}"
        return port

    def stop(self) -> None:
        """Close every connection. Stopping twice is fine."""
        if self._loop.is_closed():
            return
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(CONNECT_SECONDS)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(CONNECT_SECONDS)
        self._loop.close()

    async def _listen(self) -> int:
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", 0, limit=HEAD_BYTES_MAX
        )
        return int(self._server.sockets[0].getsockname()[1])

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        for each in self._connections:
            each.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    # -- one connection

    async def _connected(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if len(self._connections) > CONNECTIONS_MAX or not self._is_ours(writer):
                await _refuse(writer, b"403 Forbidden", b"this proxy belongs to another session")
            else:
                await self._answer(reader, writer)
        except (
            OSError,
            ValueError,
            TimeoutError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
        ):
            await _refuse(writer, b"502 Bad Gateway", b"the proxy could not reach the host")
        finally:
            self._connections.discard(task)
            writer.close()

    def _is_ours(self, writer: StreamWriter) -> bool:
        if self._uid is None:
            return True
        peer, own = writer.get_extra_info("peername"), writer.get_extra_info("sockname")
        return peer_uid(peer[:2], own[:2]) == self._uid

    async def _answer(self, reader: StreamReader, writer: StreamWriter) -> None:
        head = await _head(reader)
        method, target, _ = head.first.split(b" ", 2)
        if method == b"CONNECT":
            await self._tunnel(target.decode(), reader, writer)
        elif target.lower().startswith(b"http://"):
            await self._request(method, target, head, reader, writer)
        else:  # a page that asks this port itself
            await _refuse(
                writer, b"400 Bad Request", b"this is a proxy: it takes absolute addresses only"
            )

    async def _tunnel(self, authority: str, reader: StreamReader, writer: StreamWriter) -> None:
        host, _, port = authority.rpartition(":")
        upstream = route(self._rules, host.strip("[]"))
        far_reader, far_writer = await self._connect(upstream, host.strip("[]"), int(port))
        try:
            if upstream is not None:
                lines = [
                    f"CONNECT {authority} HTTP/1.1",
                    f"Host: {authority}",
                    *_credentials(upstream),
                    "",
                    "",
                ]
                far_writer.write("\r\n".join(lines).encode())
                status = (await _head(far_reader)).first.split(b" ", 2)[1]
                if status != b"200":
                    await _refuse(
                        writer, b"502 Bad Gateway", b"the upstream proxy answered " + status[:3]
                    )
                    return
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await self._relay(upstream, (reader, writer), (far_reader, far_writer))
        finally:
            far_writer.close()

    async def _request(
        self, method: bytes, target: bytes, head: _Head, reader: StreamReader, writer: StreamWriter
    ) -> None:
        """One plain request. Each has a connection of its own: the next one may take
        another proxy.
        """
        authority, _, path = target[len("http://") :].partition(b"/")
        host, _, port = (
            authority.decode().partition(":")
            if b"]" not in authority
            else (authority.decode(), "", "")
        )
        upstream = route(self._rules, host.strip("[]"))
        far_reader, far_writer = await self._connect(upstream, host.strip("[]"), int(port or 80))
        try:
            first = target if upstream else b"/" + path
            changed = head._replace(first=b" ".join((method, first, b"HTTP/1.1")))
            more = [each.encode() for each in _credentials(upstream)] if upstream else []
            await self._send(upstream, far_writer, changed.without_hops(*more))
            sending = asyncio.ensure_future(self._copy(upstream, reader, far_writer))
            try:
                answer = await _head(far_reader)
                with contextlib.suppress(
                    OSError
                ):  # half an answer is out: all that is left is to close
                    await self._send(upstream, writer, answer.without_hops())
                    await self._copy(upstream, far_reader, writer)
            finally:
                sending.cancel()
        finally:
            far_writer.close()

    async def _connect(
        self, upstream: Upstream | None, host: str, port: int
    ) -> tuple[StreamReader, StreamWriter]:
        context = ssl.create_default_context() if upstream and upstream.is_tls else None
        where = (upstream.host, upstream.port) if upstream else (host, port)
        async with asyncio.timeout(CONNECT_SECONDS):
            opened = await _open_socket(*where, self._uid)
            name = where[0] if context else None
            return await asyncio.open_connection(
                sock=opened, ssl=context, server_hostname=name, limit=HEAD_BYTES_MAX
            )

    async def _relay(
        self,
        upstream: Upstream | None,
        near: tuple[StreamReader, StreamWriter],
        far: tuple[StreamReader, StreamWriter],
    ) -> None:
        ways = [
            asyncio.ensure_future(self._copy(upstream, near[0], far[1])),
            asyncio.ensure_future(self._copy(upstream, far[0], near[1])),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for each in ways:
                each.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _copy(
        self, upstream: Upstream | None, source: StreamReader, target: StreamWriter
    ) -> None:
        while piece := await source.read(PIECE_BYTES):
            await self._send(upstream, target, piece)
        with contextlib.suppress(OSError, NotImplementedError):
            target.write_eof()

    async def _send(self, upstream: Upstream | None, target: StreamWriter, piece: bytes) -> None:
        if upstream is not None:
            self.byte_count += len(piece)
        target.write(piece)
        await target.drain()


async def _open_socket(host: str, port: int, uid: int | None) -> socket.socket:
    """A connected socket that belongs to a user, as if the browser had opened it: what is closed to
    the browser must not be open to its proxy, which may run as root.
    """
    loop = asyncio.get_running_loop()
    problem = OSError(f"{host} has no address")
    for family, kind, protocol, _, address in await loop.getaddrinfo(
        host, port, type=socket.SOCK_STREAM
    ):
        if ip_address(address[0]).is_link_local:
            continue  # where clouds hand out the credentials of the machine
        opened = socket.socket(family, kind, protocol)
        try:
            opened.setblocking(False)
            if uid is not None and uid != os.geteuid():
                os.fchown(opened.fileno(), uid, -1)
            await loop.sock_connect(opened, address)
            return opened
        except OSError as error:
            opened.close()
            problem = error
        except BaseException:
            opened.close()
            raise
    raise problem


async def _head(reader: StreamReader) -> _Head:
    async with asyncio.timeout(HEAD_SECONDS):
        text = await reader.readuntil(b"\r\n\r\n")
    first, *headers = text[:-4].split(b"\r\n")
    if first.count(b" ") < 1:
        raise ValueError("not HTTP")
    return _Head(first, headers)


def _credentials(upstream: Upstream) -> list[str]:
    return [f"Proxy-Authorization: {upstream.authorization}"] if upstream.authorization else []


async def _refuse(writer: StreamWriter, status: bytes, message: bytes) -> None:
    body = message + b"\n"
    length = b"Content-Length: %d" % len(body)
    with contextlib.suppress(OSError):
        writer.write(
            b"HTTP/1.1 " + status + b"\r\n" + length + b"\r\nConnection: close\r\n\r\n" + body
        )
        await writer.drain()
