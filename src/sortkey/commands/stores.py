"""The store of a long-running command. Other commands can use the same folder through it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortkey.runtime.store import Store


@contextmanager
def shared_store(data: str) -> Generator[Store]:
    """Open the store at an address. If another process owns the folder, the store connects to that
    process.
    """
    import sortkey
    from sortkey.connect.embedded import EmbeddedBackend

    with sortkey.open(data, background=False) as store:
        backend = store.backend
        if not isinstance(backend, EmbeddedBackend):  # another process owns the folder
            yield store
            return
        from sortkey.wire.second_openers import OpenersThread

        with OpenersThread(backend.engine):
            yield store
