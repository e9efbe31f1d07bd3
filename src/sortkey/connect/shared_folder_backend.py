"""The backends of a folder that another process owns: every call goes to the current owner.

A call whose answer was lost with the owner is repeated if that is harmless. For other calls it is
unknown whether they were done, and their error says so.
`async_shared_folder_backend.py` is generated from this file.
"""

from __future__ import annotations

from typing import Any

import orjson

from sortkey.connect.dynamodb import Client
from sortkey.connect.dynamodb.calls import with_token
from sortkey.connect.embedded import POLL_SECONDS
from sortkey.connect.owner_clients import client_of
from sortkey.connect.repeatable import is_repeatable
from sortkey.connect.shared_folder import Owner, SharedFolder
from sortkey.engine import Engine
from sortkey.errors import FolderInUse, InternalServerError, Unreachable
from sortkey.runtime.backend import Capabilities
from sortkey.storage.failures import STORAGE_FAILURE, storage_failed


class SharedFolderBackend:
    """Calls the current owner of the folder.

    That may be this process. Its engine answers in microseconds, so it runs where the call is made.
    """

    capabilities = Capabilities(poll_seconds=POLL_SECONDS)

    def __init__(self, shared: SharedFolder) -> None:
        self._shared = shared
        self._connected: tuple[FolderInUse, Client] | None = None

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        request = with_token(operation, request)
        while True:
            owner = self._shared.owner
            try:
                if isinstance(owner, FolderInUse):
                    client = self._client(owner)
                    return client.call(operation, request)
                if (answer := run_here(self._shared, owner, operation, request)) is not None:
                    return answer
            except (Unreachable, InternalServerError) as error:
                check_repeatable(self._shared.folder, operation, request, error)
            self._shared.next_owner(owner)

    def close(self) -> None:
        self._shared.close()
        if self._connected is not None:
            self._connected[1].close()

    def _client(self, owner: FolderInUse) -> Client:
        before = self._connected
        if before is not None and before[0] is owner:
            return before[1]
        client = client_of(owner)
        self._connected = (owner, client)
        if before is not None:
            before[1].close()
        return client


def run_here(
    shared: SharedFolder, owner: Owner | None, operation: str, request: dict[str, Any]
) -> Any:
    """The answer of the engine in this process, or None if it has released the folder."""
    if not isinstance(owner, Engine):
        return None
    with owner.lock:
        if shared.owner is not owner:
            return None
        answer = owner.run(operation, request)
    return orjson.loads(answer)


def check_repeatable(
    folder: str, operation: str, request: dict[str, Any], error: Unreachable | InternalServerError
) -> None:
    """Raise the caller's error, unless the request may be sent to the next owner."""
    if isinstance(error, InternalServerError):
        if STORAGE_FAILURE in error.extra:
            raise storage_failed(folder, error.extra[STORAGE_FAILURE]) from error
        raise error
    if error.was_sent and not is_repeatable(operation, request):
        raise Unreachable(
            f"{operation}: the process that owned the folder {folder} ended before it answered: "
            "it is not known "
            "whether this was done: read what is there before you try again"
        ) from error
