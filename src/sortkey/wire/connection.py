"""One client's connection: parses requests with httptools, and sends answers back in order.

A connection works on one request at a time. Pipelined requests wait in `_waiting`, and reading
stops until they are answered, so that a client cannot make the server buffer more than it reads.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, cast

import httptools

from sortkey.wire.answer import CONTINUE
from sortkey.wire.request import Request

if TYPE_CHECKING:
    from sortkey.wire.server import Server

log = logging.getLogger("sortkey.wire")

# Stands for a request that cannot be parsed. The connection is closed after the answer.
_UNREADABLE = Request(b"POST", b"/", {}, b"", keep_alive=False)

_REPEATED_BYTES_MAX = 8192  # of a repeated header: each repetition copies all before it


class Connection(asyncio.Protocol):
    """The server's limits apply. `since` is the server's tick at which the current state began."""

    __slots__ = (
        "_body",
        "_busy",
        "_closing",
        "_draining",
        "_fields_bytes",
        "_headers",
        "_in_head",
        "_is_refused",
        "_limits",
        "_parser",
        "_paused",
        "_progressed",
        "_server",
        "_transport",
        "_url",
        "_waiting",
        "known_host",
        "receiving",
        "since",
    )

    def __init__(self, server: Server) -> None:
        self._server = server
        self._limits = server.limits
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport = cast(asyncio.Transport, None)
        self._headers: dict[bytes, bytes] = {}
        self._url = b""
        self._body: bytes | bytearray = b""
        self._fields_bytes = 0
        self._in_head = False
        self._busy = False
        self._paused = False
        self._closing = False
        self._progressed = False
        self._draining = False
        self._is_refused = False
        self._waiting: deque[Request | bytes] = deque()
        self.known_host: bytes | None = None
        """The `Host` that the server accepted last: most clients send the same with every request.
        """
        self.receiving = False
        self.since = server.ticks

    # From the transport.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._closing = True
        self._waiting.clear()
        self._server.connections.discard(self)

    def data_received(self, data: bytes) -> None:
        if self._closing:
            return
        self._progressed = False
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserCallbackError:
            log.exception("a request could not be read")
            self.abort()
            return
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._refuse(400)
            return
        if self._progressed:
            self._fields_bytes = 0
            return
        self._fields_bytes += len(
            data
        )  # of a head, a chunk extension or trailers: the parser buffers them
        if self._fields_bytes > self._limits.head_bytes:
            self._refuse(431)

    def pause_writing(self) -> None:
        self._paused = True
        self.since = self._server.ticks
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._paused = False
        self._go_on()

    # From the parser.

    def on_message_begin(self) -> None:
        self._headers = {}
        self._url = self._body = b""
        self._in_head = self.receiving = True
        self.since = self._server.ticks

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if (
            not self._in_head
        ):  # a trailer, which signatures do not cover, or the request is refused already
            return
        headers = self._headers
        name = name.lower()
        if name in headers:
            value = headers[name] + b"," + value
            if len(value) > _REPEATED_BYTES_MAX:
                self._refuse(431)
        headers[name] = value

    def on_headers_complete(self) -> None:
        if self._is_refused:
            return
        self._in_head = False
        headers = self._headers
        if (
            self._parser.should_upgrade()
        ):  # to HTTP/2 or WebSocket, after which httptools would stop
            self._refuse(400)
        elif len(headers) > self._limits.headers:
            self._refuse(431)
        elif int(headers.get(b"content-length", b"0")) > self._limits.body_bytes:
            self._refuse(413)
        elif (expect := headers.get(b"expect")) is not None:
            if self._parser.get_http_version() == "1.0":
                return  # which has no Expect
            if expect.lower() != b"100-continue":
                self._refuse(417)
            elif not self._busy and not self._waiting:
                self._transport.write(CONTINUE)

    def on_body(self, body: bytes) -> None:
        self._progressed = True
        if self._is_refused:
            return
        if len(self._body) + len(body) > self._limits.body_bytes:
            self._body = b""
            self._refuse(413)
        elif not self._body:
            self._body = body
        elif isinstance(self._body, bytearray):
            self._body += body
        else:
            self._body = bytearray(self._body)
            self._body += body

    def on_message_complete(self) -> None:
        self.receiving = False
        self._progressed = True
        self.since = self._server.ticks
        if self._is_refused:
            return
        parser, body = self._parser, self._body
        request = Request(
            parser.get_method(),
            self._url,
            self._headers,
            body if isinstance(body, bytes) else bytes(body),
            parser.should_keep_alive() and not self._server.stopping,
        )
        self._body = b""
        if self._busy or self._paused or self._waiting:
            self._waiting.append(request)
            self._transport.pause_reading()
        else:
            self._serve(request)

    # From the server.

    def send(self, request: Request, answer: bytes) -> None:
        """Send the answer to the current request, then continue with the waiting ones."""
        self._busy = False
        if self._closing:
            return
        self._transport.write(answer)
        if not request.keep_alive:
            self.close()
        elif self._waiting:
            self._go_on()

    def idle(self) -> bool:
        return self._closing or not (self._busy or self._waiting or self.receiving)

    def stalled(self) -> bool:
        """Whether the client does not read an answer that was sent."""
        return self._paused or self._closing

    def close(self) -> None:
        """Close after everything was sent."""
        self._closing = True
        self.since = self._server.ticks
        self._transport.close()

    def abort(self) -> None:
        self._closing = True
        self._transport.abort()

    def _serve(self, request: Request) -> None:
        self._busy = True
        self._server.serve(self, request)

    def _go_on(self) -> None:
        waiting = self._waiting
        if (
            self._draining
        ):  # an immediate answer returns here; the loop below continues with the next request
            return
        self._draining = True
        while waiting and not (self._busy or self._paused or self._closing):
            following = waiting.popleft()
            if isinstance(following, Request):
                self._serve(following)
            else:
                self._send_refusal(following)
        self._draining = False
        if not (waiting or self._paused or self._closing):
            self._transport.resume_reading()

    def _refuse(self, status: int) -> None:
        """Answer with an error and close, after earlier requests were answered."""
        if self._is_refused or self._closing:
            return
        self._is_refused = True
        self._in_head = False
        answer = self._server.refusal(_UNREADABLE, status)
        if self._busy or self._waiting:
            self._waiting.append(answer)
        else:
            self._send_refusal(answer)

    def _send_refusal(self, answer: bytes) -> None:
        """Close the sending half. Drop received bytes until the client closes or its time is up.

        If both halves were closed, a client that is still sending would see a reset instead of the
        answer.
        """
        self._closing = True
        self.since = self._server.ticks
        if not self._transport.is_closing():
            self._transport.write(answer)
            self._transport.write_eof()
            self._transport.resume_reading()
