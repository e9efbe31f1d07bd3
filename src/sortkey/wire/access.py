"""Who may call: anyone if no credentials are configured, otherwise those that sign with them or
hold the folder's token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hmac import compare_digest

from sortkey.wire.request import Request
from sortkey.wire.signatures import Verifier

TOKEN_HEADER = b"x-sortkey-token"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The one key pair a server accepts. The secret stays out of `repr`."""

    access_key: str
    secret_key: str = field(repr=False)


class Access:
    """Authorizes every request. `token` is the folder's, for other processes that open the same
    folder.

    Only they may change the tables that Sortkey keeps for itself, unless `own_tables` are open to
    every caller.
    """

    def __init__(
        self,
        credentials: Credentials | None,
        region: str,
        clock: Callable[[], float],
        token: str | None = None,
        *,
        own_tables: bool = False,
    ) -> None:
        self._token = token.encode() if token else None
        self._own_tables = own_tables
        self._verifier = (
            Verifier(credentials.access_key, credentials.secret_key, region, clock)
            if credentials
            else None
        )
        self.open = credentials is None

    def check(self, request: Request) -> bool:
        """Raise the error that AWS gives for a missing, broken, old or wrong signature.

        Returns whether the caller may change Sortkey's own tables.
        """
        token = request.headers.get(TOKEN_HEADER)
        if token is not None and self._token is not None and compare_digest(token, self._token):
            return True
        if self._verifier is not None:
            self._verifier.verify(request)
        return self._own_tables
