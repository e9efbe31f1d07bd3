"""Clients of a process that owns a data folder, made from what that process has written into it."""

from __future__ import annotations

from sortkey.connect.dynamodb import AsyncClient, Client, Settings
from sortkey.connect.sigv4 import Credentials
from sortkey.errors import FolderInUse

TOKEN_HEADER = "x-sortkey-token"
REGION = "us-east-1"
ANY_KEY = Credentials("sortkey", "sortkey")
"""Requests are let in by the folder's token. Their signature is not looked at."""

# What becomes of a lost request is not for the client to decide: it knows of no other owner. Each
# connection is looked at before it is used, so that nothing is sent where nobody reads it, and its
# fate unknown for nothing.
ONE_ATTEMPT = Settings(attempts_max=1, resends=False, trusted_seconds=0.0)


def client_of(held: FolderInUse) -> Client:
    """A client of the owner."""
    return Client(held.address, REGION, ANY_KEY, settings=ONE_ATTEMPT, headers=_headers(held))


def async_client_of(held: FolderInUse) -> AsyncClient:
    """The same, awaited."""
    return AsyncClient(held.address, REGION, ANY_KEY, settings=ONE_ATTEMPT, headers=_headers(held))


def _headers(held: FolderInUse) -> dict[str, str]:
    return {TOKEN_HEADER: held.token or ""}
