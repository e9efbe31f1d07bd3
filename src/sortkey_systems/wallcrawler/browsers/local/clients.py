"""All CDP clients of a holder: their number, and back-pressure between them and the one pipe of
Chromium.

A client that does not read makes Chromium wait, for a few seconds; then it is hung up on, so that
the others go on. Commands wait in the sockets of their clients while Chromium is behind.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from sortkey_systems.wallcrawler.browsers.local.cdp_client import PENDING_BYTES_MAX, CdpClient
from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import CdpPipe
from sortkey_systems.wallcrawler.browsers.local.downloads import Downloads
from sortkey_systems.wallcrawler.browsers.local.event_loop import EventLoop
from sortkey_systems.wallcrawler.browsers.port import Role

STALLED_SECONDS = 10.0
CLIENTS_MAX = 100


class Clients:
    """Who is connected. `on_changed` is called when the number of those in the role of a client
    changes."""

    def __init__(
        self,
        loop: EventLoop,
        pipe: CdpPipe,
        downloads: Downloads,
        *,
        on_changed: Callable[[int], None],
        on_close_requested: Callable[[CdpClient], None],
    ) -> None:
        self._all: set[CdpClient] = set()
        self._pipe, self._downloads = pipe, downloads
        self._on_changed, self._on_close_requested = on_changed, on_close_requested
        self.has_had_any = False
        self.last_left_at: float | None = None
        loop.every(1.0, self._drop_stalled)

    @property
    def count(self) -> int:
        return sum(1 for client in self._all if client.role is Role.CLIENT)

    @property
    def is_full(self) -> bool:
        return len(self._all) >= CLIENTS_MAX

    def add(self, client: CdpClient) -> None:
        self._all.add(client)
        client.peer.on_drained = self.relieve
        if client.role is Role.CLIENT:
            self.has_had_any, self.last_left_at = True, None
            self._on_changed(self.count)

    def remove(self, client: CdpClient) -> None:
        """Forget a client that has left."""
        self._all.discard(client)
        self._downloads.watch()  # Chromium has forgotten with the client where downloads go
        self.relieve()
        if client.role is Role.CLIENT:
            self.last_left_at = None if self.count else time.time()
            self._on_changed(self.count)

    def close_requested(self, client: CdpClient) -> None:
        self._on_close_requested(client)

    def context_created(self, browser_context: str) -> None:
        self._downloads.watch(browser_context)

    def leave_all(self) -> None:
        for client in list(self._all):
            client.leave()

    def press(self) -> None:
        """After data has moved: let a side that is too far ahead wait."""
        if any(client.peer.pending_bytes > PENDING_BYTES_MAX for client in self._all):
            self._pipe.pause()
        if self._pipe.pending_bytes > PENDING_BYTES_MAX:
            for client in self._all:
                client.peer.pause()

    def relieve(self) -> None:
        """After something was taken: let those go on who waited for it."""
        if all(client.peer.pending_bytes <= PENDING_BYTES_MAX for client in self._all):
            self._pipe.resume()
        if self._pipe.pending_bytes <= PENDING_BYTES_MAX:
            for client in self._all:
                client.resume()

    def _drop_stalled(self) -> None:
        limit = time.monotonic() - STALLED_SECONDS
        for client in list(self._all):
            if client.peer.pending_bytes and client.peer.last_progress_at < limit:
                client.leave()
