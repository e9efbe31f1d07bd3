"""Errors of the interface. A route answers each with its status and `{"message": …}`.

    Failure             any of them
      Invalid           400, a request that is refused
      BadToken          400, a pagination token that is not valid
      Unauthenticated   401, no token, or one that is not valid
      Denied            403, always "Not Authorized"
      NotThere          404
      Conflict          409
      Gone              410, a version that is archived
      TooMany           429, with the seconds to wait
      NotReady          503, what is needed is still being prepared

Errors of the domain begin with `VAMS General Error: `, which clients print.
"""

from __future__ import annotations

from typing import Any

from sortkey.web import Refused

PREFIX = "VAMS General Error: "
NOT_AUTHORIZED = "Not Authorized"


class Failure(Refused):
    """An answer that is not a success."""


class Invalid(Failure):
    """The request cannot be carried out as it is."""

    status = 400

    def __init__(self, message: str, /, **details: Any) -> None:
        super().__init__(PREFIX + message, **details)


class BadToken(Failure):
    """A pagination token that was not issued for this list."""

    status = 400

    def __init__(self) -> None:
        super().__init__("Invalid pagination token")


class Unauthenticated(Failure):
    """The caller is unknown."""

    status = 401


class Denied(Failure):
    """The caller may not do this. The message never says why: the audit log does."""

    status = 403

    def __init__(self) -> None:
        super().__init__(NOT_AUTHORIZED)


class NotThere(Failure):
    """What the request names does not exist."""

    status = 404

    def __init__(self, message: str, /, **details: Any) -> None:
        super().__init__(PREFIX + message, **details)


class Conflict(Failure):
    """What the request wants meets a state that does not allow it."""

    status = 409

    def __init__(self, message: str, /, **details: Any) -> None:
        super().__init__(PREFIX + message, **details)


class Gone(Failure):
    """A version that is archived."""

    status = 410

    def __init__(self, message: str, /, **details: Any) -> None:
        super().__init__(PREFIX + message, **details)


class TooMany(Failure):
    """Too many requests: `seconds` says how long to wait."""

    status = 429

    def __init__(self, message: str, /, *, seconds: int) -> None:
        super().__init__(PREFIX + message)
        self.headers = {"Retry-After": str(seconds)}


class NotReady(Failure):
    """What the request needs is still being prepared."""

    status = 503

    def __init__(self, message: str, /) -> None:
        super().__init__(PREFIX + message)
