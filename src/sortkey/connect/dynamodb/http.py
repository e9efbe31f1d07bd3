"""Parses HTTP answers, and names what can go wrong before there is one. No I/O: both transports
feed it.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass

import httptools

ANSWER_BYTES_MAX = (
    256 * 1024 * 1024
)  # 16 MB of items, at most, in JSON that may be many times as long


class Fault(Exception):
    """There is no usable answer.

    `stale`: a connection that was used before ended without a byte, as when the server closed it
    for being idle. `was_sent`: whether the service may have seen the request.
    """

    def __init__(
        self,
        message: str,
        *,
        timeout: bool = False,
        stale: bool = False,
        retried: bool = True,
        was_sent: bool = True,
    ) -> None:
        super().__init__(message)
        self.timeout = timeout
        self.stale = stale
        self.retried = retried
        self.was_sent = was_sent


@dataclass(slots=True)
class Reply:
    """One answer. `checksum` and `encoding` are the headers x-amz-crc32 and Content-Encoding."""

    status: int
    body: bytes
    checksum: bytes | None
    encoding: bytes | None
    keep_alive: bool


def connect_fault(error: OSError) -> Fault:
    """What an error means before there is a connection."""
    fault = fault_of(error)
    fault.was_sent = False
    return fault


def fault_of(error: OSError | EOFError, *, stale: bool = False) -> Fault:
    """What an error of a socket means. `stale` as far as the transport can tell."""
    match error:
        case TimeoutError():
            return Fault("no answer in time", timeout=True)
        case EOFError():
            return Fault("the connection was closed before the answer was complete", stale=stale)
        case ssl.SSLCertVerificationError():
            # It will fail the same way next time.
            return Fault(f"the certificate is not trusted: {error.verify_message}", retried=False)
        case _:
            return Fault(str(error) or type(error).__name__, stale=stale)


class AnswerReader:
    """Reads the answers of one connection, one after another."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._reply: Reply | None = None
        self._size = 0
        self._begin()

    def feed(self, data: bytes | memoryview) -> Reply | None:
        """Parse received bytes. Returns the answer once its last byte has arrived."""
        self._size += len(data)
        if self._size > ANSWER_BYTES_MAX:
            raise Fault(f"an answer of more than {ANSWER_BYTES_MAX} bytes", retried=False)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            raise Fault(f"the answer is not valid HTTP: {error}") from error
        reply = self._reply
        if reply is not None:
            self._reply = None
            self._size = 0
        return reply

    # From the parser.

    def on_message_begin(self) -> None:
        if self._reply is not None:
            raise ValueError("a second answer came with the first")
        self._begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        if name == b"x-amz-crc32":
            self._checksum = value
        elif name == b"content-encoding":
            self._encoding = value

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200:
            return  # informational: the answer follows
        parts = self._body
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        self._reply = Reply(
            status, body, self._checksum, self._encoding, self._parser.should_keep_alive()
        )

    def _begin(self) -> None:
        self._body: list[bytes] = []
        self._checksum: bytes | None = None
        self._encoding: bytes | None = None
