"""AWS Signature Version 4, checked as DynamoDB checks it: the same order, the same errors, the same words.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html has the algorithm. Both forms are known:
the Authorization header, and the query of a presigned URL.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from hashlib import sha256
from hmac import compare_digest
from hmac import digest as hmac
from time import gmtime, strftime, strptime
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
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key "
    "and signing method. Consult the service documentation for details."
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a request says of its own signature."""

    algorithm: str
    credential: str
    signed_headers: str
    signature: str
    date: str
    valid_seconds: int
    presigned: bool


class Verifier:
    """Checks signatures made with one key pair for one region."""

    def __init__(self, access_key: str, secret_key: str, region: str, clock: Callable[[], float]) -> None:
        self._access_key = access_key
        self._secret = b"AWS4" + secret_key.encode()
        self._region = region
        self._clock = clock
        self._keys: dict[str, bytes] = {}

    def verify(self, request: Request) -> None:
        """Raise unless the request is signed with our secret, for us, and about now."""
        query = _query_pairs(request.url)
        claim = _read_claim(request, dict(query))
        date = self._check_date(claim)
        _check_signed_headers(claim, request)
        if claim.algorithm != ALGORITHM:
            raise IncompleteSignatureException(
                f"Unsupported AWS 'algorithm': '{claim.algorithm}' (only {ALGORITHM} for now). "
            )
        scope = self._check_scope(claim, date)
        canonical = _canonical_request(request, query, claim)
        to_sign = f"{ALGORITHM}\n{date}\n{scope}\n{sha256(canonical.encode()).hexdigest()}"
        expected = hmac(self._signing_key(date[:8]), to_sign.encode(), "sha256").hex()
        if not compare_digest(expected.encode(), claim.signature.encode()):
            raise InvalidSignatureException(_MISMATCH)
        if b"x-amz-security-token" in request.headers:  # a configured key pair has no session
            raise UnrecognizedClientException(_INVALID_TOKEN)

    def _check_date(self, claim: Claim) -> str:
        """The date in ISO basic form, if it is within the window."""
        seconds = _parse_date(claim.date)
        now = self._clock()
        date = _iso(seconds)
        oldest, newest = now - claim.valid_seconds, now + SKEW_SECONDS
        if seconds < oldest:
            raise InvalidSignatureException(
                f"Signature expired: {date} is now earlier than {_iso(oldest)} "
                f"({_iso(now)} - {claim.valid_seconds // 60} min.)"
            )
        if seconds > newest:
            raise InvalidSignatureException(
                f"Signature not yet current: {date} is still later than {_iso(newest)} "
                f"({_iso(now)} + {SKEW_SECONDS // 60} min.)"
            )
        return date

    def _check_scope(self, claim: Claim, date: str) -> str:
        parts = claim.credential.rstrip("/").split("/")
        if len(parts) != 5:
            raise IncompleteSignatureException(
                "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
                f"got '{claim.credential}'"
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
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
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
            if len(self._keys) > 2:  # yesterday, today and tomorrow are all that the window lets through
                self._keys.clear()
            self._keys[day] = key
        return key


def _read_claim(request: Request, query: dict[str, str]) -> Claim:
    header = request.headers.get(b"authorization")
    presigned = "X-Amz-Algorithm" in query
    if header is not None and presigned:
        raise InvalidSignatureException(
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
        )
    if presigned:
        return _read_query(query)
    text = header.decode("latin-1").strip() if header is not None else ""
    if not text.startswith("AWS4-"):
        raise MissingAuthenticationTokenException("Request is missing Authentication Token")
    return _read_header(text, request.headers)


def _read_header(text: str, headers: dict[bytes, bytes]) -> Claim:
    algorithm, *words = re.split(r"[ ,]+", text)
    given: dict[str, str] = {}
    for word in filter(None, words):
        name, equals, value = word.partition("=")
        if not equals:
            raise IncompleteSignatureException(
                f"'{name}' not a valid key=value pair (missing equal-sign) in Authorization header: '{text}'."
            )
        given[name] = value
    date = (headers.get(b"x-amz-date") or headers.get(b"date", b"")).decode("latin-1")
    missing = [
        f"Authorization header requires '{name}' parameter. "
        for name in ("Credential", "Signature", "SignedHeaders")
        if not given.get(name)
    ]
    if not date:
        missing.append("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")
    if missing:
        raise IncompleteSignatureException("".join(missing) + "Authorization=" + text)
    return Claim(
        algorithm, given["Credential"], given["SignedHeaders"], given["Signature"], date, SKEW_SECONDS, presigned=False
    )


def _read_query(query: dict[str, str]) -> Claim:
    names = ("X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date")
    missing = [f"AWS query-string parameters must include '{name}'. " for name in names if not query.get(name)]
    if missing:
        raise IncompleteSignatureException("".join(missing) + "Re-examine the query-string parameters.")
    seconds = query.get("X-Amz-Expires", str(SKEW_SECONDS))
    if not re.fullmatch(r"\d{1,9}", seconds) or int(seconds) > PRESIGNED_SECONDS_MAX:
        raise IncompleteSignatureException(
            f"X-Amz-Expires must be a number of seconds up to {PRESIGNED_SECONDS_MAX}, got '{seconds}'"
        )
    algorithm, credential, signature, signed_headers, date = (query[name] for name in names)
    return Claim(algorithm, credential, signed_headers, signature, date, int(seconds), presigned=True)


def _check_signed_headers(claim: Claim, request: Request) -> None:
    """Host by AWS's rule; the target because without it a signature would fit any other operation as well."""
    signed = claim.signed_headers.lower().split(";")
    for name in ("Host", "X-Amz-Target"):
        if name.lower() not in signed and (name == "Host" or b"x-amz-target" in request.headers):
            raise InvalidSignatureException(f"'{name}' must be a 'SignedHeader' in the AWS Authorization.")


def _canonical_request(request: Request, query: list[tuple[str, str]], claim: Claim) -> str:
    names = claim.signed_headers.lower().split(";")
    values = [
        name + ":" + " ".join(request.headers.get(name.encode("latin-1"), b"").decode("latin-1").split()) + "\n"
        for name in names
    ]
    pairs = sorted(
        (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
        for name, value in query
        if not (claim.presigned and name == "X-Amz-Signature")
    )
    return "\n".join(
        (
            request.method.decode("latin-1"),
            quote(request.path().decode("latin-1") or "/", safe="/-_.~"),
            "&".join(f"{name}={value}" for name, value in pairs),
            "".join(values),
            ";".join(names),
            sha256(request.body).hexdigest(),  # always the body itself: DynamoDB takes no UNSIGNED-PAYLOAD
        )
    )


def _query_pairs(url: bytes) -> list[tuple[str, str]]:
    _, _, query = url.decode("latin-1").partition("?")
    if not query:
        return []
    pairs = (pair.partition("=") for pair in query.split("&"))
    return [(unquote(name), unquote(value)) for name, _, value in pairs]


def _parse_date(text: str) -> int:
    """Seconds of an ISO basic date, or of the form that the Date header has."""
    if _ISO_BASIC.fullmatch(text):
        try:
            return timegm(strptime(text, "%Y%m%dT%H%M%SZ"))
        except ValueError:
            pass
    elif (parsed := parsedate_tz(text)) is not None:
        try:
            return mktime_tz(parsed)
        except (ValueError, OverflowError):
            pass
    raise IncompleteSignatureException(
        f"Date must be in ISO-8601 'basic format'. Got '{text}'. See http://en.wikipedia.org/wiki/ISO_8601"
    )


def _iso(seconds: float) -> str:
    return strftime("%Y%m%dT%H%M%SZ", gmtime(seconds))
