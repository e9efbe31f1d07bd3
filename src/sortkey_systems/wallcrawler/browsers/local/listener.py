"""Accepts connections on the holder's socket and reads from each which role it wants."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from functools import partial

from sortkey_systems.wallcrawler.browsers.local.event_loop import EventLoop
from sortkey_systems.wallcrawler.browsers.local.peer import Peer

BACKLOG = 128

OnHello = Callable[[Peer, str, str | None], None]
"""Called with a connection, its role, and the page that it is for, if it is for one only."""


def bind_listener(path: str) -> socket.socket:
    """A socket that only this user can connect to."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(BACKLOG)
    return listener


class Listener:
    """Calls `on_hello` with every connection and what it is for."""

    def __init__(self, loop: EventLoop, listener: socket.socket, on_hello: OnHello) -> None:
        self._loop, self._listener, self._on_hello = loop, listener, on_hello
        listener.setblocking(False)
        loop.watch(listener.fileno(), self._accept)

    def close(self) -> None:
        self._loop.watch(self._listener.fileno(), None)
        self._listener.close()

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return  # it has hung up already
        peer = Peer(self._loop, connection)
        peer.on_frame = partial(self._greet, peer)

    def _greet(self, peer: Peer, payload: bytes) -> None:
        try:
            hello = json.loads(payload)
            role, page_id = hello["role"], hello.get("page")
        except (ValueError, KeyError, TypeError, AttributeError):
            peer.close()
            return
        self._on_hello(peer, str(role), None if page_id is None else str(page_id))
