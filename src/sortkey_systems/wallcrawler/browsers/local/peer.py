"""One connection to the holder's socket: frames in, frames out."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

from sortkey_systems.wallcrawler.browsers.local.event_loop import Channel, EventLoop
from sortkey_systems.wallcrawler.browsers.protocol import (
    FrameReader,
    ProtocolError,
    frame,
    json_frame,
)


class Peer:
    """Who has connected. `on_frame` is replaced once the role is known; `on_closed` is called once,
    when it leaves."""

    def __init__(self, loop: EventLoop, connection: socket.socket) -> None:
        self.on_frame: Callable[[bytes], None] = lambda _: None
        self.on_closed: Callable[[], None] = lambda: None
        self.on_drained: Callable[[], None] = lambda: None
        self._reader = FrameReader()
        self._channel = Channel(
            loop,
            connection.detach(),
            on_data=self._on_data,
            on_closed=lambda: self.on_closed(),
            on_drained=lambda: self.on_drained(),
        )

    @property
    def is_closed(self) -> bool:
        return self._channel.is_closed

    @property
    def pending_bytes(self) -> int:
        """What the other side has not read yet."""
        return self._channel.pending_bytes

    @property
    def last_progress_at(self) -> float:
        """When it last took something (monotonic seconds)."""
        return self._channel.last_progress_at

    def send(self, payload: bytes) -> None:
        self._channel.write(frame(payload))

    def send_json(self, value: dict[str, Any]) -> None:
        self._channel.write(json_frame(value))

    def pause(self) -> None:
        self._channel.pause()

    def resume(self) -> None:
        self._channel.resume()

    def close(self) -> None:
        """Hang up; `on_closed` is not called."""
        self._channel.close()

    def _on_data(self, data: bytes) -> None:
        try:
            for payload in self._reader.feed(data):
                if self._channel.is_closed:
                    return
                self.on_frame(payload)
        except ProtocolError:
            self.close()
            self.on_closed()
