"""Clients of the process that owns a data folder, from the address in the folder."""

from __future__ import annotations

from sortkey.connect.dynamodb import AsyncClient, Client, Settings
from sortkey.connect.sigv4 import Credentials
from sortkey.errors import FolderInUse

TOKEN_HEADER = "x-sortkey-token"
REGION = "us-east-1"
ANY_KEY = Credentials("sortkey", "sortkey")
"""The folder's token authorizes requests. Their signature is not checked."""

# The client must not retry by itself: it does not know of another owner. Each connection is checked
# before it is used, so that no request is sent to a dead owner and its outcome left unknown.
ONE_ATTEMPT = Settings(attempts_max=1, resends=False, trusted_seconds=0.0)


def client_of(owner: FolderInUse) -> Client:
    """A client of the owner."""
    return Client(owner.address, REGION, ANY_KEY, settings=ONE_ATTEMPT, headers=_headers(owner))


def async_client_of(owner: FolderInUse) -> AsyncClient:
    """The same, awaited."""
    return AsyncClient(
        owner.address, REGION, ANY_KEY, settings=ONE_ATTEMPT, headers=_headers(owner)
    )


def _headers(owner: FolderInUse) -> dict[str, str]:
    return {TOKEN_HEADER: owner.token or ""}
