"""The store of a command that works for long: while it holds a folder, other commands reach the folder through it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortkey.engine import Engine
    from sortkey.runtime.store import Store

START_SECONDS = 30.0


@contextmanager
def shared_store(data: str) -> Generator[Store]:
    """The store of an address. A folder that another process has is reached through that, if it serves others."""
    import sortkey
    from sortkey import engine
    from sortkey.connect.embedded import EmbeddedBackend
    from sortkey.errors import FolderInUse
    from sortkey.runtime.store import Store

    try:
        owned = None if "://" in data else engine.own(data)
    except FolderInUse as held:
        if held.address is None:
            raise
        owned = None
    if owned is None:
        with sortkey.open(data) as store:
            yield store
        return
    with Store(EmbeddedBackend(owned)) as store, _reachable(owned):
        yield store


@contextmanager
def _reachable(engine: Engine) -> Generator[None]:
    """Others may open the folder too, as long as the block runs."""
    from sortkey.wire.second_openers import SecondOpeners

    loop, openers = asyncio.new_event_loop(), SecondOpeners(engine)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(openers.start(), loop).result(START_SECONDS)
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(openers.stop(), loop).result(START_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(START_SECONDS)
        loop.close()
