"""Generated from shared_folder_backend.py by tools/generate_async.py: edit that, then `make format`."""

from __future__ import annotations

import asyncio
from typing import Any

from sortkey.connect.dynamodb import AsyncClient
from sortkey.connect.dynamodb.calls import with_token
from sortkey.connect.embedded import POLL_SECONDS
from sortkey.connect.owner_clients import async_client_of
from sortkey.connect.shared_folder import SharedFolder
from sortkey.connect.shared_folder_backend import check_repeatable, run_here
from sortkey.errors import FolderInUse, InternalServerError, Unreachable
from sortkey.runtime.backend import Capabilities


class AsyncSharedFolderBackend:
    """`SharedFolderBackend`, awaited. Calls the current owner of the folder.

    That may be this process. Its engine answers in microseconds, so it runs where the call is made.
    """

    capabilities = Capabilities(poll_seconds=POLL_SECONDS)

    def __init__(self, shared: SharedFolder) -> None:
        self._shared = shared
        self._connected: tuple[FolderInUse, AsyncClient] | None = None

    async def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        request = with_token(operation, request)
        while True:
            owner = self._shared.owner
            try:
                if isinstance(owner, FolderInUse):
                    client = await self._client(owner)
                    return await client.call(operation, request)
                if (answer := run_here(self._shared, owner, operation, request)) is not None:
                    return answer
            except (Unreachable, InternalServerError) as error:
                check_repeatable(self._shared.folder, operation, request, error)
            await asyncio.to_thread(self._shared.next_owner, owner)

    async def close(self) -> None:
        await asyncio.to_thread(self._shared.close)
        if self._connected is not None:
            await self._connected[1].close()

    async def _client(self, owner: FolderInUse) -> AsyncClient:
        before = self._connected
        if before is not None and before[0] is owner:
            return before[1]
        client = async_client_of(owner)
        self._connected = (owner, client)
        if before is not None:
            await before[1].close()
        return client
