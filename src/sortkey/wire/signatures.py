"""AWS Signature Version 4, checked as DynamoDB checks it: the same order, errors and wording.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html has the algorithm. Both forms
are supported: the Authorization header, and the query of a presigned URL.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Callable
from email.utils import mktime_tz, parsedate_tz
from functools import lru_cache
from hashlib import sha256
from hmac import compare_digest
from hmac import digest as hmac
from time import gmtime, strftime, strptime
from typing import NamedTuple
from urllib.parse import quote, unquote

from sortkey.errors import (
    IncompleteSignatureException,
    InvalidSignatureException,
    MissingAuthenticationTokenException,
    UnrecognizedClientException,
)
from sortkey.wire.request import Request

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "dynamodb"  # Streams are signed for the same service
TERMINATOR = "aws4_request"
SKEW_SECONDS = 15 * 60
PRESIGNED_SECONDS_MAX = 7 * 24 * 3600

_ISO_BASIC = re.compile(r"\d{8}T\d{6}Z")
_INVALID_TOKEN = "The security token included in the request is invalid."
_MISMATCH = (
    "The request signature we calculated does not match the signature you provided. Check your AWS "
    "Secret Access Key "
    "and signing method. Consult the service documentation for details."
)


class Claim(NamedTuple):
    """What a request states about its signature."""

    algorithm: str
    credential: str
    signed_headers: str
    signature: str
    date: str
    valid_seconds: int
    presigned: bool


class Verifier:
    """Checks signatures made with one key pair for one region."""

    def __init__(
        self, access_key: str, secret_key: str, region: str, clock: Callable[[], float]
    ) -> None:
        self._access_key = access_key
        self._secret = b"AWS4" + secret_key.encode()
        self._region = region
        self._clock = clock
        self._keys: dict[str, bytes] = {}
        self._scopes: dict[tuple[str, str], str] = {}  # of credentials and days that were accepted

    def verify(self, request: Request) -> None:
        """Raise unless the request has a valid, current signature with our secret."""
        query = _query_pairs(request.url) if b"?" in request.url else []
        claim = _read_claim(request, dict(query))
        date = self._check_date(claim)
        names = _signed_names(claim.signed_headers, b"x-amz-target" in request.headers)
        if claim.algorithm != ALGORITHM:
            raise IncompleteSignatureException(
                f"Unsupported AWS 'algorithm': '{claim.algorithm}' (only {ALGORITHM} for now). "
            )
        scope = self._check_scope(claim.credential, date)
        canonical = _canonical_request(request, query, names, presigned=claim.presigned)
        to_sign = f"{ALGORITHM}\n{date}\n{scope}\n{sha256(canonical).hexdigest()}"
        expected = hmac(self._signing_key(date[:8]), to_sign.encode(), "sha256").hex()
        if not compare_digest(expected.encode(), claim.signature.encode()):
            raise InvalidSignatureException(_MISMATCH)
        if b"x-amz-security-token" in request.headers or any(
            name == "X-Amz-Security-Token" for name, _ in query
        ):
            # A configured key pair has no session.
            raise UnrecognizedClientException(_INVALID_TOKEN)

    def _check_date(self, claim: Claim) -> str:
        """The date in ISO basic form, if it is within the window."""
        date, seconds = _parse_date(claim.date)
        now = self._clock()
        oldest, newest = now - claim.valid_seconds, now + SKEW_SECONDS
        if oldest <= seconds <= newest:
            return date
        if seconds < oldest:
            raise InvalidSignatureException(
                f"Signature expired: {date} is now earlier than {_iso(oldest)} "
                f"({_iso(now)} - {claim.valid_seconds // 60} min.)"
            )
        raise InvalidSignatureException(
            f"Signature not yet current: {date} is still later than {_iso(newest)} "
            f"({_iso(now)} + {SKEW_SECONDS // 60} min.)"
        )

    def _check_scope(self, credential: str, date: str) -> str:
        """`20260101/us-east-1/dynamodb/aws4_request`, if it and the key are ours."""
        scope = self._scopes.get((credential, date[:8]))
        if scope is None:
            scope = self._read_scope(credential, date)
            if len(self._scopes) > 2:  # the window only allows yesterday, today and tomorrow
                self._scopes.clear()
            self._scopes[credential, date[:8]] = scope
        return scope

    def _read_scope(self, credential: str, date: str) -> str:
        parts = credential.rstrip("/").split("/")
        if len(parts) != 5:
            raise IncompleteSignatureException(
                "Credential must have exactly 5 slash-delimited elements, e.g. "
                "keyid/date/region/service/term, "
                f"got '{credential}'"
            )
        key_id, day, region, service, terminator = parts
        wrong = ""
        if region != self._region:
            wrong += f"Credential should be scoped to a valid region, not '{region}'. "
        if service != SERVICE:
            wrong += f"Credential should be scoped to correct service: '{SERVICE}'. "
        if terminator != TERMINATOR:
            wrong += f"Credential should be scoped with a valid terminator: '{TERMINATOR}', not '{terminator}'. "
        if day != date[:8]:
            wrong += (
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
                "from HTTP: "
                f"'{day}' != '{date[:8]}', from '{date}'."
            )
        if wrong:
            raise InvalidSignatureException(wrong)
        if not compare_digest(key_id.encode(), self._access_key.encode()):
            raise UnrecognizedClientException(_INVALID_TOKEN)
        return f"{day}/{region}/{service}/{terminator}"

    def _signing_key(self, day: str) -> bytes:
        key = self._keys.get(day)
        if key is None:
            key = hmac(self._secret, day.encode(), "sha256")
            for part in (self._region, SERVICE, TERMINATOR):
                key = hmac(key, part.encode(), "sha256")
            if len(self._keys) > 2:
                self._keys.clear()
            self._keys[day] = key
        return key


def _read_claim(request: Request, query: dict[str, str]) -> Claim:
    header = request.headers.get(b"authorization")
    presigned = "X-Amz-Algorithm" in query
    if header is not None and presigned:
        raise InvalidSignatureException(
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP "
            "header."
        )
    if presigned:
        return _read_query(query)
    text = header.decode("latin-1").strip() if header is not None else ""
    if not text.startswith("AWS4-"):
        raise MissingAuthenticationTokenException("Request is missing Authentication Token")
    return _read_header(text, request.headers)


@lru_cache(maxsize=256)
def _read_words(text: str) -> tuple[str, dict[str, str]]:
    """The algorithm and the parts of an Authorization header. Cached: all but the signature stays
    the same for hours.
    """
    algorithm, *words = re.split(r"[ ,]+", text)
    members: dict[str, str] = {}
    for word in filter(None, words):
        name, equals, value = word.partition("=")
        if not equals:
            raise IncompleteSignatureException(
                f"'{name}' not a valid key=value pair (missing equal-sign) in Authorization "
                f"header: '{text}'."
            )
        members[name] = value
    return algorithm, members


def _read_header(text: str, headers: dict[bytes, bytes]) -> Claim:
    start, name, signature = text.rpartition("Signature=")
    if name and signature.isalnum():
        algorithm, members = _read_words(start)
    else:
        algorithm, members = _read_words(text)
        signature = members.get("Signature", "")
    date = (headers.get(b"x-amz-date") or headers.get(b"date", b"")).decode("latin-1")
    missing = [
        f"Authorization header requires '{name}' parameter. "
        for name, value in (
            ("Credential", members.get("Credential")),
            ("Signature", signature),
            ("SignedHeaders", members.get("SignedHeaders")),
        )
        if not value
    ]
    if not date:
        missing.append(
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        )
    if missing:
        raise IncompleteSignatureException("".join(missing) + "Authorization=" + text)
    return Claim(
        algorithm,
        members["Credential"],
        members["SignedHeaders"],
        signature,
        date,
        SKEW_SECONDS,
        presigned=False,
    )


def _read_query(query: dict[str, str]) -> Claim:
    names = (
        "X-Amz-Algorithm",
        "X-Amz-Credential",
        "X-Amz-Signature",
        "X-Amz-SignedHeaders",
        "X-Amz-Date",
    )
    missing = [
        f"AWS query-string parameters must include '{name}'. "
        for name in names
        if not query.get(name)
    ]
    if missing:
        raise IncompleteSignatureException(
            "".join(missing) + "Re-examine the query-string parameters."
        )
    seconds = query.get("X-Amz-Expires", str(SKEW_SECONDS))
    if not re.fullmatch(r"\d{1,9}", seconds) or int(seconds) > PRESIGNED_SECONDS_MAX:
        raise IncompleteSignatureException(
            f"X-Amz-Expires must be a number of seconds up to {PRESIGNED_SECONDS_MAX}, got "
            f"'{seconds}'"
        )
    algorithm, credential, signature, signed_headers, date = (query[name] for name in names)
    return Claim(
        algorithm, credential, signed_headers, signature, date, int(seconds), presigned=True
    )


@lru_cache(maxsize=256)
def _signed_names(text: str, has_target: bool) -> tuple[tuple[str, bytes], ...]:
    """The names of the signed headers, as text and as bytes.

    AWS requires Host. The target is required too: otherwise a signature would be valid for any
    other operation.
    """
    names = text.lower().split(";")
    for name in ("Host", "X-Amz-Target") if has_target else ("Host",):
        if name.lower() not in names:
            raise InvalidSignatureException(
                f"'{name}' must be a 'SignedHeader' in the AWS Authorization."
            )
    return tuple((name, name.encode("latin-1")) for name in names)


def _canonical_request(
    request: Request,
    query: list[tuple[str, str]],
    names: tuple[tuple[str, bytes], ...],
    *,
    presigned: bool,
) -> bytes:
    headers = request.headers
    values = [f"{name}:{_trim(headers.get(key, b''))}\n" for name, key in names]
    return "\n".join(
        (
            request.method.decode("latin-1"),
            "/" if request.url == b"/" else _canonical_path(request.path()),
            _canonical_query(query, presigned) if query else "",
            "".join(values),
            ";".join([name for name, _ in names]),
            sha256(
                request.body
            ).hexdigest(),  # always the body itself: DynamoDB does not accept UNSIGNED-PAYLOAD
        )
    ).encode("latin-1")  # the bytes of the headers as they came


def _trim(value: bytes) -> str:
    """A header's value with every run of blanks as one."""
    text = value.decode("latin-1")
    return " ".join(text.split()) if "  " in text or "\t" in text else text.strip()


def _canonical_path(path: bytes) -> str:
    """Without empty, `.` and `..` segments, then encoded once more: the rule of every service but
    S3.
    """
    segments: list[bytes] = []
    for segment in path.split(b"/"):
        if segment == b"..":
            segments = segments[:-1]
        elif segment not in (b"", b"."):
            segments.append(segment)
    end = b"/" if segments and path.endswith(b"/") else b""
    return quote(b"/" + b"/".join(segments) + end, safe="/-_.~")


def _canonical_query(query: list[tuple[str, str]], presigned: bool) -> str:
    pairs = sorted(
        (
            quote(name, safe="-_.~", encoding="latin-1"),
            quote(value, safe="-_.~", encoding="latin-1"),
        )
        for name, value in query
        if not (presigned and name == "X-Amz-Signature")
    )
    return "&".join(f"{name}={value}" for name, value in pairs)


def _query_pairs(url: bytes) -> list[tuple[str, str]]:
    """Bytes decoded as latin-1, so that any bytes can be encoded back."""
    _, _, query = url.decode("latin-1").partition("?")
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    return [(unquote(name, "latin-1"), unquote(value, "latin-1")) for name, _, value in pairs]


@lru_cache(maxsize=256)
def _parse_date(text: str) -> tuple[str, int]:
    """A date in ISO basic form, and its seconds. Also reads the form of the Date header."""
    try:
        if _ISO_BASIC.fullmatch(text):
            return text, timegm(strptime(text, "%Y%m%dT%H%M%SZ"))
        if (parsed := parsedate_tz(text)) is not None:
            seconds = mktime_tz(parsed)
            return _iso(seconds), seconds
    except (ValueError, OverflowError):
        pass
    raise IncompleteSignatureException(
        f"Date must be in ISO-8601 'basic format'. Got '{text}'. See "
        "http://en.wikipedia.org/wiki/ISO_8601"
    )


def _iso(seconds: float) -> str:
    return strftime("%Y%m%dT%H%M%SZ", gmtime(seconds))
