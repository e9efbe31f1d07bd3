"""The store of a command that works for long: while it holds a folder, other commands reach the
folder through it.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortkey.runtime.store import Store


@contextmanager
def shared_store(data: str) -> Generator[Store]:
    """The store of an address. A folder that another process has is reached through that, if it
    serves others.
    """
    import sortkey
    from sortkey.connect.embedded import EmbeddedBackend

    with sortkey.open(data, background=False) as store:
        backend = store.backend
        if not isinstance(
            backend, EmbeddedBackend
        ):  # it is another process's, or was: then the store sees to it
            yield store
            return
        from sortkey.wire.second_openers import OpenersThread

        with OpenersThread(backend.engine):
            yield store
