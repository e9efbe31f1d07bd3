"""Tokens of users: JSON Web Tokens with the claims that clients of the original read.

Access and ID tokens open the interface for an hour. Refresh tokens and the sessions of a login that
is not complete are signed with another secret and open nothing by themselves.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import jwt

from sortkey.systems import Resources
from sortkey_systems.vams.access.signing_keys import SigningKey
from sortkey_systems.vams.failures import Unauthenticated

SECONDS = 3600
REFRESH_SECONDS = 30 * 24 * 3600
SESSION_SECONDS = 900

Purpose = Literal["refresh", "session"]


@dataclass(frozen=True, slots=True)
class Login:
    """A user who has proved who they are."""

    user_id: str
    email: str
    subject: str
    """The user's id in `sub`, which stays when the e-mail changes."""
    roles: tuple[str, ...] = ()
    has_mfa: bool = False
    generation: str = ""
    """Of the credential that proved it: the tokens end with it."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What a token says that is valid by itself. Whether the credential is still there is asked
    elsewhere.
    """

    user_id: str
    has_mfa: bool
    generation: str


class Tokens:
    """Issues tokens and checks them."""

    def __init__(self, resources: Resources, key: SigningKey, pool_id: str, client_id: str) -> None:
        self._key = key
        self._secret = resources.derive_secret("login sessions")
        self._clock: Callable[[], float] = resources.clock
        self.issuer = f"{resources.url}/{pool_id}"
        self.client_id = client_id

    def issue(self, login: Login, use: Literal["access", "id"]) -> str:
        """A token for the interface."""
        now = int(self._clock())
        claims = {
            "sub": login.subject,
            "username": login.user_id,
            "cognito:username": login.user_id,
            "email": login.email,
            "token_use": use,
            "client_id": self.client_id,
            "aud": self.client_id,
            "iss": self.issuer,
            "iat": now,
            "auth_time": now,
            "exp": now + SECONDS,
            "jti": secrets.token_hex(12),
            "vams:tokens": json.dumps([login.user_id]),
            "vams:roles": json.dumps(list(login.roles)),
            "vams:mfaEnabled": login.has_mfa,
            "vams:generation": login.generation,
        }
        headers = {"kid": self._key.key_id}
        return jwt.encode(claims, self._key.private, algorithm="RS256", headers=headers)

    def check(self, token: str) -> Proof:
        """What an access or ID token says. Raises Unauthenticated."""
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key.public,
                algorithms=["RS256"],
                issuer=self.issuer,
                audience=self.client_id,
                options={
                    "require": ["exp", "iss", "aud", "username", "token_use"],
                    "verify_exp": False,
                    "verify_iat": False,
                },
            )
        except jwt.InvalidTokenError:
            raise Unauthenticated("Unauthorized: the token is not valid") from None
        if claims["token_use"] not in ("access", "id"):
            raise Unauthenticated("Unauthorized: the token is not valid")
        self._check_time(claims)
        return Proof(
            str(claims["username"]),
            claims.get("vams:mfaEnabled") is True,
            str(claims.get("vams:generation")),
        )

    def issue_private(self, purpose: Purpose, user_id: str, seconds: int, **more: Any) -> str:
        """A token that only this server reads."""
        now = int(self._clock())
        claims = {"aud": purpose, "sub": user_id, "exp": now + seconds, **more}
        return jwt.encode(claims, self._secret, algorithm="HS256")

    def check_private(self, purpose: Purpose, token: str) -> dict[str, Any]:
        """The claims of such a token. Raises Unauthenticated."""
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._secret,
                algorithms=["HS256"],
                audience=purpose,
                options={"require": ["exp", "aud", "sub"], "verify_exp": False},
            )
        except jwt.InvalidTokenError:
            raise Unauthenticated("Unauthorized: the token is not valid") from None
        self._check_time(claims)
        return claims

    def _check_time(self, claims: dict[str, Any]) -> None:
        """By the clock of the host, not the library's."""
        if not isinstance(claims["exp"], int) or self._clock() >= claims["exp"]:
            raise Unauthenticated("Unauthorized: the token has expired")
