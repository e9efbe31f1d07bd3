"""Tokens of sessions: JSON Web Tokens (HS256) that open one browser until its session ends.

A `connect` token drives the browser. A `view` token shows it, and drives it only where it says so.
What is signed for one purpose is refused for the other: each has a secret and an audience.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import jwt

from sortkey.web import Refused

ISSUER = "wallcrawler"
CONNECT = "cdp-access"
VIEW = "live-view"
FILE = "file-access"
"""Of links to segments of recordings and to their downloads."""
VIEW_SECONDS_MAX = 21_600

_REQUIRED = ["iss", "aud", "sub", "projectId", "jti", "exp"]


class TokenRefused(Refused):
    """A token that is missing, expired, or not one of ours."""

    status = 401


class OtherSession(Refused):
    """A good token of another session."""

    status = 403


class SecretSource(Protocol):
    def derive_secret(self, purpose: str) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Claims:
    """What a token says. `is_interactive` and `page_id` are of views, `path` is of files."""

    session_id: str
    project_id: str
    token_id: str
    expires_at: int
    is_interactive: bool = False
    page_id: str | None = None
    path: str | None = None


class SessionTokens:
    """Issues tokens of sessions and checks them."""

    def __init__(self, source: SecretSource, clock: Callable[[], float] = time.time) -> None:
        self._secrets = {
            audience: source.derive_secret(f"token {audience}")
            for audience in (CONNECT, VIEW, FILE)
        }
        self._clock = clock

    def issue_connect(self, session_id: str, project_id: str, expires_at: datetime) -> str:
        """The signing key of a session: good until the session's window ends."""
        return self._issue(CONNECT, session_id, project_id, int(expires_at.timestamp()), {})

    def check_connect(self, token: str | None, session_id: str | None = None) -> Claims:
        """The claims of a signing key. Raises TokenRefused, and OtherSession if it is not for this
        session.
        """
        return self._check(CONNECT, token, session_id)

    def issue_view(
        self,
        session_id: str,
        project_id: str,
        expires_at: datetime,
        *,
        seconds: int | None = None,
        is_interactive: bool = True,
        page_id: str | None = None,
    ) -> str:
        """A token of the live view: until the session's window ends, or for fewer `seconds`."""
        end = int(expires_at.timestamp())
        if seconds is not None:
            end = min(end, int(self._clock()) + seconds)
        return self._issue(
            VIEW, session_id, project_id, end, {"interactive": is_interactive, "pageId": page_id}
        )

    def check_view(self, token: str | None, session_id: str | None = None) -> Claims:
        """The claims of a view token. Raises TokenRefused and OtherSession."""
        return self._check(VIEW, token, session_id)

    def seconds_left(self, claims: Claims) -> float:
        """How long a token that was good is good from now on."""
        return max(0.0, claims.expires_at - self._clock())

    def issue_file(
        self, session_id: str, project_id: str, path: str, seconds: int = VIEW_SECONDS_MAX
    ) -> str:
        """A token for one file of a session, or for all below a path that ends with a slash."""
        return self._issue(
            FILE, session_id, project_id, int(self._clock()) + seconds, {"path": path}
        )

    def check_file(self, token: str | None, session_id: str, path: str) -> Claims:
        """The claims of a file token that is good for this path. Raises TokenRefused and
        OtherSession.
        """
        claims = self._check(FILE, token, session_id)
        allowed = claims.path or ""
        if path != allowed and not (allowed.endswith("/") and path.startswith(allowed)):
            raise OtherSession("the link is for another file: ask for a new one")
        return claims

    def _issue(
        self, audience: str, session_id: str, project_id: str, end: int, more: dict[str, Any]
    ) -> str:
        claims = {
            "iss": ISSUER,
            "aud": audience,
            "sub": session_id,
            "projectId": project_id,
            "jti": secrets.token_hex(12),
            "iat": int(self._clock()),
            "exp": end,
            **{name: value for name, value in more.items() if value is not None},
        }
        return jwt.encode(claims, self._secrets[audience], algorithm="HS256")

    def _check(self, audience: str, token: str | None, session_id: str | None) -> Claims:
        if not token:
            raise TokenRefused(
                "a token of the session is needed: use its connectUrl, or send its signingKey"
            )
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._secrets[audience],
                algorithms=["HS256"],
                issuer=ISSUER,
                audience=audience,
                options={
                    "require": _REQUIRED,
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
        except jwt.InvalidTokenError:
            raise TokenRefused("the token is not valid: take the one of the session") from None
        if (
            not isinstance(claims["exp"], int) or self._clock() >= claims["exp"]
        ):  # by our clock, not the library's
            raise TokenRefused(
                "the token has expired, and its session with it: create a new session"
            )
        if session_id is not None and claims["sub"] != session_id:
            raise OtherSession("the token is for another session")
        return _claims(claims)


def _claims(claims: dict[str, Any]) -> Claims:
    return Claims(
        session_id=str(claims["sub"]),
        project_id=str(claims["projectId"]),
        token_id=str(claims["jti"]),
        expires_at=int(claims["exp"]),
        is_interactive=claims.get("interactive") is True,
        page_id=claims.get("pageId"),
        path=claims.get("path"),
    )
