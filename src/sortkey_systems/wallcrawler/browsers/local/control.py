"""The control connections of a holder: requests of the server and events for it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from sortkey_systems.wallcrawler.browsers.local.peer import Peer
from sortkey_systems.wallcrawler.browsers.protocol import Event, Method

Answer = Callable[[dict[str, Any]], None]
Handler = Callable[[dict[str, Any], Answer], None]
"""Called with the parameters of a request and what to call with its result."""


class Control:
    """Serves the servers that watch this holder. Usually there is one; after a crash there is none
    for a while."""

    def __init__(self, handlers: Mapping[Method, Handler]) -> None:
        self._handlers = handlers
        self._peers: set[Peer] = set()
        self._first_event: dict[str, Any] | None = None
        self._alone_since: float | None = time.monotonic()

    @property
    def has_server(self) -> bool:
        return bool(self._peers)

    def seconds_alone(self) -> float:
        """For how long no server has been connected."""
        return 0.0 if self._alone_since is None else time.monotonic() - self._alone_since

    def add(self, peer: Peer) -> None:
        self._peers.add(peer)
        self._alone_since = None
        peer.on_frame = lambda payload: self._on_request(peer, payload)
        peer.on_closed = lambda: self._remove(peer)
        if self._first_event is not None:
            peer.send_json(self._first_event)

    def emit(self, event: Event, **content: Any) -> None:
        """Send an event to every server. Those who connect later hear whether the browser came
        up."""
        message = {"event": event, **content}
        if event in {Event.READY, Event.FAILED, Event.STOPPED}:
            self._first_event = message
        for peer in list(self._peers):
            peer.send_json(message)

    def _remove(self, peer: Peer) -> None:
        self._peers.discard(peer)
        if not self._peers:
            self._alone_since = time.monotonic()

    def _on_request(self, peer: Peer, payload: bytes) -> None:
        try:
            request: dict[str, Any] = json.loads(payload)
            number, method = request["id"], Method(request["method"])
            handler = self._handlers[method]
        except (ValueError, KeyError, TypeError):
            peer.close()  # not one of our servers
            self._remove(peer)
            return
        handler(
            request.get("params") or {},
            lambda result: peer.send_json({"id": number, "result": result}),
        )
