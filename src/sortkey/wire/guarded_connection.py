"""A connection to a server that guests may not use: the user at its other end is checked once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sortkey.peers import IsGuest, is_refused
from sortkey.wire.connection import Connection

if TYPE_CHECKING:
    from sortkey.wire.server import Server


class GuardedConnection(Connection):
    """Closed at once if it comes from a guest. See `sortkey.peers`."""

    __slots__ = ("_is_guest",)

    def __init__(self, server: Server, is_guest: IsGuest) -> None:
        super().__init__(server)
        self._is_guest = is_guest

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        peer, own = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        # The peer of a connection that was reset before it was accepted is not known.
        if not peer or is_refused(self._is_guest, tuple(peer[:2]), tuple(own[:2])):
            self.abort()
