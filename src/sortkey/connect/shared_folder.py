"""A data folder that another process owns. Calls go through that process, and later through the
next owner.

When the owner stops or is killed, one of its clients takes the folder over and serves the others.
It owns the folder in the interim: a server that is started again asks for it and gets it back.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from sortkey import engine as engines
from sortkey.engine import Engine
from sortkey.errors import FolderInUse, SortkeyError, StoreError, Unreachable
from sortkey.storage.folder import DATABASE_NAME, published_owner

GRACE_SECONDS = 0.5
"""How long a folder without an owner is left to a server that restarts or has asked for it."""
PATIENCE_SECONDS = 30.0
"""How long a process that has just taken a folder may need before it answers others."""
LOOK_SECONDS = 0.02
ASK_SECONDS = 0.5
CONNECT_SECONDS = 1.0

Owner = FolderInUse | Engine
"""Another process, by its address, or the engine in this one."""


class SharedFolder:
    """Finds the owner of a folder, or becomes it. Threads share it."""

    def __init__(
        self, folder: str | os.PathLike[str], settings: dict[str, Any] | None = None
    ) -> None:
        """`settings` are those of an engine in this process."""
        self.folder = os.fspath(folder)
        self.owner: Owner | None = None
        self._settings = settings or {}
        self._searching, self._changing = threading.Lock(), threading.Lock()
        self._serving = ExitStack()
        self._is_closed = False

    def open(self) -> Self:
        """Find the owner, or become it. Raises FolderInUse if the owner does not serve others."""
        owner = self._own()
        if isinstance(owner, FolderInUse) and owner.address is None:
            if not owner.is_interim:
                raise owner
            owner = self._search(None)  # it will serve others in a moment
        self.owner = owner
        return self

    def next_owner(self, lost: Owner | None) -> Owner:
        """The owner after one that no longer answers. Raises FolderInUse, Unreachable or
        StoreError.
        """
        with self._searching:
            owner = self.owner
            if owner is lost or owner is None:  # else another thread has found it
                owner = self.owner = self._search(lost)
        if self._is_closed:  # by another thread
            self._give_up()
        self._check_open()
        return owner

    def close(self) -> None:
        """Release the folder if this process owns it. Closing twice is fine."""
        self._is_closed = True
        self._give_up()

    # -- finding

    def _search(self, lost: Owner | None) -> Owner:
        began = time.monotonic()
        while True:
            self._check_open()
            waited = time.monotonic() - began
            owner = published_owner(self.folder) if waited < GRACE_SECONDS else self._take_over()
            if isinstance(owner, Engine):
                return owner
            if (
                owner is not None
                and owner.address is not None
                and (_is_other(owner, lost) or _answers(owner.address))
            ):
                return owner
            if waited > PATIENCE_SECONDS:
                raise owner or Unreachable(
                    f"nobody owns the folder {self.folder}, and it cannot be taken over"
                )
            time.sleep(LOOK_SECONDS)

    def _take_over(self) -> Owner:
        """The engine in this process, or the process that owns the folder instead."""
        if not (Path(self.folder) / DATABASE_NAME).exists():
            raise Unreachable(
                f"the folder {self.folder} no longer exists, nor does the process that owned it",
                was_sent=False,
            )
        return self._own()

    def _own(self) -> Owner:
        try:
            engine = engines.own(self.folder, is_interim=True, **self._settings)
        except FolderInUse as owner:
            return owner
        from sortkey.wire.second_openers import OpenersThread

        try:
            self._serving.enter_context(OpenersThread(engine, on_release=self._release_soon))
        except BaseException:
            engine.close()
            raise
        return engine

    # -- giving up

    def _release_soon(self) -> None:
        """Called by the thread that serves others, which must not wait for itself."""
        threading.Thread(target=self._give_up, name="sortkey-release", daemon=True).start()

    def _give_up(self) -> None:
        with self._changing:
            engine = self.owner
            if not isinstance(engine, Engine):
                return
            self._serving.close()  # answers the current requests
            with engine.lock:
                self.owner = (
                    None  # seen by those that wait for the lock, before they use a closed engine
                )
                engine.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(f"the store of {self.folder} is closed")


def own(folder: str | os.PathLike[str], **settings: Any) -> Engine:
    """The engine of a folder for a server. Asks an interim owner to release the folder. Raises
    FolderInUse.
    """
    began, asked_at = time.monotonic(), 0.0
    while True:
        now = time.monotonic()
        try:
            return engines.own(folder, **settings)
        except FolderInUse as owner:
            if not owner.is_interim or now > began + PATIENCE_SECONDS:
                raise
            if owner.address is not None and now > asked_at + ASK_SECONDS:
                asked_at = now
                _ask_for_release(owner)
        time.sleep(LOOK_SECONDS)


def _ask_for_release(owner: FolderInUse) -> None:
    from sortkey.connect.owner_clients import client_of
    from sortkey.wire.shared_engine import RELEASE_FOLDER

    # The owner may have ended already, which is as good.
    with suppress(SortkeyError), client_of(owner) as client:
        client.call(RELEASE_FOLDER, {})


def _is_other(owner: FolderInUse, lost: Owner | None) -> bool:
    return not isinstance(lost, FolderInUse) or (owner.address, owner.token) != (
        lost.address,
        lost.token,
    )


def _answers(address: str) -> bool:
    """Whether the owner that did not answer is alive after all: it was slow, or the connection
    broke.
    """
    where = urlsplit(address)
    try:
        socket.create_connection((where.hostname or "", where.port or 80), CONNECT_SECONDS).close()
    except OSError:
        return False
    return True
