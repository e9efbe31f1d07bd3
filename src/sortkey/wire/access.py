"""Who may call: anyone when no credentials are configured, else whoever signs with them or holds the folder's token."""

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
    """Decides on every request. `token` is the folder's, for other processes that open the same folder."""

    def __init__(
        self, credentials: Credentials | None, region: str, clock: Callable[[], float], token: str | None = None
    ) -> None:
        self._token = token.encode() if token else None
        self._verifier = (
            Verifier(credentials.access_key, credentials.secret_key, region, clock) if credentials else None
        )
        self.open = credentials is None

    def check(self, request: Request) -> None:
        """Raise the error that AWS gives for a missing, broken, old or wrong signature."""
        if self._verifier is None:
            return
        given = request.headers.get(TOKEN_HEADER)
        if given is not None and self._token is not None and compare_digest(given, self._token):
            return
        self._verifier.verify(request)
