"""Accepts connections on the holder's socket and reads from each which role it wants."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from functools import partial

from sortkey_systems.wallcrawler.browsers.local.event_loop import EventLoop
from sortkey_systems.wallcrawler.browsers.local.peer import Peer

BACKLOG = 128


def bind_listener(path: str) -> socket.socket:
    """A socket that only this user can connect to."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(BACKLOG)
    return listener


class Listener:
    """Calls `on_hello` with every connection and its role."""

    def __init__(
        self, loop: EventLoop, listener: socket.socket, on_hello: Callable[[Peer, str], None]
    ) -> None:
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
            role = json.loads(payload)["role"]
        except (ValueError, KeyError, TypeError):
            peer.close()
            return
        self._on_hello(peer, str(role))
