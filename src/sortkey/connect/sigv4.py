"""AWS Signature Version 4 for JSON posted to the root of an endpoint, which is all that DynamoDB
accepts.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html has the algorithm. The parts
that stay the same for a day (the key), a second (the date) or an operation (the head) are cached. A
signature is then three hashes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from hmac import digest as hmac
from time import gmtime, strftime
from typing import Protocol

from sortkey.errors import NotConfigured

ALGORITHM = b"AWS4-HMAC-SHA256"
CONTENT_TYPE = b"application/x-amz-json-1.0"


class CredentialSource(Protocol):
    """A source of credentials, which may change while a program runs."""

    def current(self) -> Credentials:
        """The credentials to sign with now. May use the network when `due`."""
        ...

    def due(self) -> bool:
        """Whether `current` would have to fetch new ones."""
        ...


@dataclass(frozen=True, slots=True)
class Credentials:
    """A key pair, with the token of its session if it has one. Only the access key shows in
    `repr`.
    """

    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name, value in (("access key", self.access_key), ("session token", self.token or "-")):
            if not value or not value.isascii() or not value.isprintable() or " " in value:
                raise NotConfigured(
                    f"the {name} is empty, or contains a blank, a line end or a non-ASCII character"
                )

    def current(self) -> Credentials:
        return self

    def due(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Post:
    """What the canonical requests of one operation at one host have in common: all but the date and
    the body.
    """

    before_date: bytes
    after_date: bytes

    @classmethod
    def to(cls, host: bytes, target: bytes) -> Post:
        before = b"POST\n/\n\ncontent-type:" + CONTENT_TYPE + b"\nhost:" + host + b"\nx-amz-date:"
        return cls(before, b"\nx-amz-target:" + target + b"\n\n")


class Signer:
    """Signs for one region and service. Threads share it: its cached parts are replaced, never
    changed.
    """

    def __init__(self, region: str, service: str = "dynamodb") -> None:
        self._region = region
        self._service = service
        self._key: tuple[Credentials | None, str, bytes] = (None, "", b"")

    def stamp(self, second: int, credentials: Credentials) -> Stamp:
        """The signature parts for the requests of one second."""
        date = strftime("%Y%m%dT%H%M%SZ", gmtime(second))
        scope = f"{date[:8]}/{self._region}/{self._service}/aws4_request".encode()
        return Stamp(
            second, date.encode(), scope, credentials, self._signing_key(credentials, date[:8])
        )

    def _signing_key(self, credentials: Credentials, day: str) -> bytes:
        owner, of_day, key = self._key
        if owner is not credentials or of_day != day:
            key = ("AWS4" + credentials.secret_key).encode()
            for part in (day, self._region, self._service, "aws4_request"):
                key = hmac(key, part.encode(), "sha256")
            self._key = (credentials, day, key)
        return key


class Stamp:
    """One second's part of every signature."""

    __slots__ = ("_dated", "_headers", "_key", "_signed", "_to_sign", "second")

    def __init__(
        self, second: int, date: bytes, scope: bytes, credentials: Credentials, key: bytes
    ) -> None:
        self.second = second
        token = credentials.token.encode() if credentials.token else b""
        names = (
            b"content-type;host;x-amz-date;"
            + (b"x-amz-security-token;" if token else b"")
            + b"x-amz-target"
        )
        self._dated = date + (b"\nx-amz-security-token:" + token if token else b"")
        self._signed = names + b"\n"
        self._to_sign = b"\n".join((ALGORITHM, date, scope, b""))
        self._key = key
        self._headers = (
            b"X-Amz-Date: %b\r\n%bAuthorization: %b Credential=%b/%b, SignedHeaders=%b, Signature="
            % (
                date,
                b"X-Amz-Security-Token: " + token + b"\r\n" if token else b"",
                ALGORITHM,
                credentials.access_key.encode(),
                scope,
                names,
            )
        )

    def headers(self, post: Post, body: bytes) -> bytes:
        """The headers that sign a request, as sent."""
        hashed = sha256(body).hexdigest().encode()
        canonical = b"".join((post.before_date, self._dated, post.after_date, self._signed, hashed))
        to_sign = self._to_sign + sha256(canonical).hexdigest().encode()
        return self._headers + hmac(self._key, to_sign, "sha256").hex().encode() + b"\r\n"
