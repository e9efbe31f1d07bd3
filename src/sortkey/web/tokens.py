"""Tokens of users: JSON Web Tokens, signed with a secret that only this server has (HS256), good
for some time.

A token names its user, and the system that it is for (`aud`); one for "sortkey" is good for every
system.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jwt

from sortkey.errors import NotConfigured
from sortkey.web.refusals import Refused

ISSUER = "sortkey"
EVERY_SYSTEM = "sortkey"
SECRET_BYTES_MIN = 32
"""As many as the hash has: what RFC 7518 asks for."""
SECONDS_MAX = 30 * 24 * 3600

_REQUIRED = ["iss", "aud", "sub", "iat", "exp"]


@dataclass(frozen=True, slots=True)
class User:
    """Who asks. `scopes` are what a token was issued for, where a system tells them apart."""

    user_id: str
    scopes: tuple[str, ...] = ()


class Unauthenticated(Refused):
    """Who asks is not known."""

    status = 401

    def __init__(self, message: str, scheme: str = "Bearer", **details: Any) -> None:
        super().__init__(message, **details)
        self.headers = {"WWW-Authenticate": f'{scheme} realm="sortkey"'}


class Tokens:
    """Issues tokens and checks them. The secret has 32 bytes or more."""

    def __init__(self, secret: bytes, clock: Callable[[], float] = time.time) -> None:
        if len(secret) < SECRET_BYTES_MIN:
            raise NotConfigured(
                f"a secret for tokens has {SECRET_BYTES_MIN} bytes or more, not {len(secret)}"
            )
        self._secret, self._clock = secret, clock

    def issue(
        self,
        user_id: str,
        seconds: int = 3600,
        scopes: Sequence[str] = (),
        *,
        system: str = EVERY_SYSTEM,
    ) -> str:
        """A token of a user for a system, good for so many seconds."""
        if not user_id or not 1 <= seconds <= SECONDS_MAX:
            raise Refused(
                422,
                "InvalidValue",
                f"a token has a user, and is good for 1 to {SECONDS_MAX:,} seconds",
            )
        now = int(self._clock())
        claims = {"iss": ISSUER, "aud": system, "sub": user_id, "iat": now, "exp": now + seconds}
        return jwt.encode({**claims, "scope": " ".join(scopes)}, self._secret, algorithm="HS256")

    def check(self, token: str, system: str = EVERY_SYSTEM) -> User:
        """The user of a token that was issued here for this system. Raises Unauthenticated."""
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._secret,
                algorithms=["HS256"],
                issuer=ISSUER,
                audience=[system, EVERY_SYSTEM],
                options={
                    "require": _REQUIRED,
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
        except jwt.InvalidAudienceError:
            raise Unauthenticated(f"the token is not for {system}: ask for one that is") from None
        except jwt.InvalidTokenError:
            raise Unauthenticated("the token is none of this server's: ask for a new one") from None
        if (
            not isinstance(claims["exp"], int) or self._clock() >= claims["exp"]
        ):  # by our clock, not the library's
            raise Unauthenticated("the token has expired: ask for a new one")
        return User(claims["sub"], tuple(str(claims.get("scope", "")).split()))
