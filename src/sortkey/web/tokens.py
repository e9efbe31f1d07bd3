"""Tokens of users: JSON Web Tokens, signed with the secret of this server (HS256), which expire.

A token has a user and the system that it is for (`aud`). A token for "sortkey" is valid for every
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
"""The length of the hash, as RFC 7518 requires."""
SECONDS_MAX = 30 * 24 * 3600

_REQUIRED = ["iss", "aud", "sub", "iat", "exp"]


@dataclass(frozen=True, slots=True)
class User:
    """The caller. `scopes` are those of its token, for systems that use them."""

    user_id: str
    scopes: tuple[str, ...] = ()


class Unauthenticated(Refused):
    """The caller is not authenticated."""

    status = 401

    def __init__(self, message: str, scheme: str = "Bearer", **details: Any) -> None:
        super().__init__(message, **details)
        self.headers = {"WWW-Authenticate": f'{scheme} realm="sortkey"'}


class Tokens:
    """Issues and checks tokens. The secret must have at least 32 bytes."""

    def __init__(self, secret: bytes, clock: Callable[[], float] = time.time) -> None:
        if len(secret) < SECRET_BYTES_MIN:
            raise NotConfigured(
                f"the secret has {len(secret)} bytes: use at least {SECRET_BYTES_MIN}"
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
        """Issue a token of a user for a system, valid for `seconds`."""
        if not user_id or not 1 <= seconds <= SECONDS_MAX:
            raise Refused(
                422,
                "InvalidValue",
                f"a token needs a user and 1 to {SECONDS_MAX:,} seconds of validity",
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
            raise Unauthenticated(f"the token is not for {system}: get one for it") from None
        except jwt.InvalidTokenError:
            raise Unauthenticated(
                "the token was not issued by this server: get a new one"
            ) from None
        # Expiry is checked by our clock, not the library's.
        if not isinstance(claims["exp"], int) or self._clock() >= claims["exp"]:
            raise Unauthenticated("the token has expired: get a new one")
        return User(claims["sub"], tuple(str(claims.get("scope", "")).split()))
