"""An app on a real port, in a thread of its own: what streams and breaks off cannot be seen in a
test client.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

from fastapi import FastAPI

from sortkey.cli.listeners import address_of
from sortkey.web.rest_server import RestServer
from sortkey.wire.addresses import bind


@contextmanager
def running(app: FastAPI) -> Generator[str]:
    """The address of the app while it runs."""
    sockets = bind("127.0.0.1", 0)
    with serving(app, sockets):
        yield address_of(sockets[0])


@contextmanager
def serving(app: FastAPI, sockets: list[socket.socket]) -> Generator[None]:
    """The app on bound sockets, while the block runs."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = RestServer(app, sockets)
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(20)
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
