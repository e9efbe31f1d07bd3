"""A connection of the server to a holder's socket, in an event loop: frames both ways, with
back-pressure."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from pathlib import Path
from typing import cast

from sortkey_systems.wallcrawler.browsers.port import BrowserGone
from sortkey_systems.wallcrawler.browsers.protocol import (
    SOCKET,
    FrameReader,
    ProtocolError,
    frame,
    hello,
)

QUEUED_BYTES_MAX = 16 * 1024 * 1024
"""Received and not taken yet, before the holder has to wait."""


async def open_frame_connection(
    folder: Path, role: str, page_id: str | None = None
) -> FrameConnection:
    """Connect to the holder of a folder. Raises BrowserGone if none listens there."""
    loop = asyncio.get_running_loop()
    try:
        folder_fd = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    except OSError:
        raise BrowserGone("the session has no browser") from None
    try:
        # The path of a socket has 108 bytes at most; this one is short wherever the folder is.
        path = f"/proc/self/fd/{folder_fd}/{SOCKET}"
        _, connection = await loop.create_unix_connection(FrameConnection, path)
    except OSError:
        raise BrowserGone("the browser of the session has ended") from None
    finally:
        os.close(folder_fd)
    connection.greet(role, page_id)
    return connection


class FrameConnection(asyncio.Protocol):
    """Sends and receives payloads. Many may send; one at a time receives."""

    def __init__(self) -> None:
        self._reader = FrameReader()
        self._queue: deque[bytes] = deque()
        self._queued_bytes = 0
        self._waiter: asyncio.Future[None] | None = None
        self._drained: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport | None = None
        self._is_lost = False

    # -- what callers use

    def greet(self, role: str, page_id: str | None = None) -> None:
        """Say what the connection is for."""
        if self._transport is not None:
            self._transport.write(hello(role, page_id))

    async def send(self, payload: bytes) -> None:
        """Send a payload; wait while the holder is behind. Raises BrowserGone, or ProtocolError if
        it is too long."""
        data = frame(payload)
        if self._is_lost or self._transport is None:
            raise BrowserGone("the browser has ended")
        self._transport.write(data)
        if self._drained is not None:
            await asyncio.shield(self._drained)

    async def receive(self) -> bytes:
        """The next payload. Raises BrowserGone at the end."""
        while not self._queue:
            if self._is_lost:
                raise BrowserGone("the browser has ended")
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        payload = self._queue.popleft()
        was_full = self._queued_bytes > QUEUED_BYTES_MAX
        self._queued_bytes -= len(payload)
        if was_full and self._queued_bytes <= QUEUED_BYTES_MAX and self._transport is not None:
            self._transport.resume_reading()
        return payload

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    # -- what the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        was_full = self._queued_bytes > QUEUED_BYTES_MAX
        try:
            for payload in self._reader.feed(data):
                self._queue.append(payload)
                self._queued_bytes += len(payload)
        except ProtocolError:
            self.close()
        if self._queued_bytes > QUEUED_BYTES_MAX and not was_full and self._transport is not None:
            self._transport.pause_reading()
        self._wake()

    def pause_writing(self) -> None:
        self._drained = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        drained, self._drained = self._drained, None
        if drained is not None and not drained.done():
            drained.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_lost = True
        self.resume_writing()
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class LocalConnection:
    """A CDP connection to a browser on this machine."""

    def __init__(self, connection: FrameConnection) -> None:
        self._connection = connection

    async def send(self, message: str | bytes) -> None:
        await self._connection.send(message.encode() if isinstance(message, str) else message)

    async def receive(self) -> str:
        return (await self._connection.receive()).decode()

    def close(self) -> None:
        self._connection.close()
