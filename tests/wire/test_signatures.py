"""SigV4, with botocore's signer as the client: what it signs is let in, and every way of being
wrong has its error.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from hmac import digest

import botocore.auth
import pytest
from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials

from sortkey.errors import ServiceError
from sortkey.wire import signatures
from sortkey.wire.access import Access, Credentials
from sortkey.wire.request import Request
from tests.wire.harness import NOW, Start, http

KEY = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
BODY = b'{"TableName":"t"}'
MISSING = "Request is missing Authentication Token"
INVALID = "The security token included in the request is invalid."
MISMATCH = "The request signature we calculated does not match the signature you provided."


@pytest.fixture(autouse=True)
def botocore_signs_at_the_servers_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime.datetime.fromtimestamp(NOW, datetime.UTC)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda *_, **__: now)


def signed(
    *,
    access_key: str = KEY.access_key,
    secret_key: str = KEY.secret_key,
    region: str = "us-east-1",
    service: str = "dynamodb",
    url: str = "http://localhost:8000/",
    signer: type[SigV4Auth] = SigV4Auth,
    session_token: str | None = None,
    extra: dict[str, str] | None = None,
) -> Request:
    """A request that botocore has signed."""
    headers = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": "DynamoDB_20120810.ListTables",
    }
    headers |= extra or {}
    request = AWSRequest("POST", url, headers=headers, data=BODY)
    signer(BotoCredentials(access_key, secret_key, session_token), service, region).add_auth(
        request
    )
    sent = {name.lower().encode(): str(value).encode() for name, value in request.headers.items()}
    path = re.sub(r"^http://[^/]*", "", request.url) or "/"
    body = (
        BODY if signer is SigV4Auth else b""
    )  # botocore moves a presigned request's body into the query
    return Request(
        b"POST", path.encode(), {b"host": b"localhost:8000", **sent}, body, keep_alive=True
    )


def check(request: Request, clock: Callable[[], float] = lambda: NOW) -> str:
    """'ok', or the error's code and message."""
    try:
        Access(KEY, "us-east-1", clock, "folder-token").check(request)
    except ServiceError as error:
        return f"{error.code}: {error.message}"
    return "ok"


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:8000/",
        "http://localhost:8000",
        "http://localhost:8000/a%20path/b",
        "http://localhost:8000//",
        "http://localhost:8000/a//b/./c/../d/",
        "http://localhost:8000/..",
        "http://localhost:8000/%C3%BC",
        "http://localhost:8000/?b=2&a=1&a=0",
        "http://localhost:8000/?u=%C3%BC&v=%FF",
        "http://localhost:8000/?q=a%2Fb%20c&flag",
    ],
)
def test_what_botocore_signs_is_let_in(url: str) -> None:
    assert check(signed(url=url)) == "ok"


def test_a_presigned_url_is_let_in_until_it_expires() -> None:
    # botocore signs for an hour.
    request = signed(signer=SigV4QueryAuth)
    assert b"X-Amz-Signature" in request.url
    assert check(request) == "ok"
    assert check(request, lambda: NOW + 3599) == "ok"
    assert check(request, lambda: NOW + 3601).startswith(
        "InvalidSignatureException: Signature expired: 20260101T0000"
    )


def test_the_key_of_a_day_is_derived_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # Deriving it takes four hashes; a request needs one more, for its own signature.
    hashes: list[bytes] = []

    def counted(key: bytes, message: bytes, algorithm: str) -> bytes:
        hashes.append(message)
        return digest(key, message, algorithm)

    monkeypatch.setattr(signatures, "hmac", counted)
    access = Access(KEY, "us-east-1", lambda: NOW)
    counts: list[int] = []
    for _ in range(3):
        hashes.clear()
        access.check(signed())
        counts.append(len(hashes))
    assert counts == [5, 1, 1]


def test_commas_alone_may_separate_the_parts() -> None:
    # Some clients write no blanks there.
    request = signed()
    request.headers[b"authorization"] = request.headers[b"authorization"].replace(b", ", b",")
    assert check(request) == "ok"


def test_blanks_in_a_signed_value_count_once() -> None:
    request = signed()
    request.headers[b"content-type"] = b"  application/x-amz-json-1.0 "
    assert check(request) == "ok"


def test_a_signed_header_may_hold_any_bytes() -> None:
    # They are signed as they are sent, in whatever encoding.
    request = signed(extra={"X-Amz-Name": "Zoë"})
    assert check(request) == "ok"


def test_a_date_header_does_in_place_of_x_amz_date() -> None:
    # The mail form of the date too. botocore signs with x-amz-date, so only the reading of it is
    # seen here.
    request = signed()
    del request.headers[b"x-amz-date"]
    request.headers[b"date"] = b"Thu, 01 Jan 2026 00:00:00 GMT"
    assert check(request).startswith("InvalidSignatureException: " + MISMATCH)
    request.headers[b"date"] = b"Wed, 31 Dec 2025 23:00:00 GMT"
    assert "Signature expired: 20251231T230000Z is now earlier" in check(request)


def change(**headers: str | None) -> Callable[[Request], None]:
    def apply(request: Request) -> None:
        for name, value in headers.items():
            key = name.replace("_", "-").encode()
            if value is None:
                request.headers.pop(key, None)
            else:
                request.headers[key] = value.encode()

    return apply


def replaced(old: str, new: str) -> Callable[[Request], None]:
    def apply(request: Request) -> None:
        before = request.headers[b"authorization"]
        request.headers[b"authorization"] = before.replace(old.encode(), new.encode())
        assert request.headers[b"authorization"] != before

    return apply


def with_url(url: str) -> Callable[[Request], None]:
    def apply(request: Request) -> None:
        request.url = url.encode()

    return apply


def with_body(request: Request) -> None:
    request.body = b"{}"


WRONG: dict[str, tuple[Callable[[Request], None], str]] = {
    "no header": (change(authorization=None), "MissingAuthenticationTokenException: " + MISSING),
    "another scheme": (
        change(authorization="Bearer x"),
        "MissingAuthenticationTokenException: " + MISSING,
    ),
    "nothing in it": (
        change(authorization="AWS4-", x_amz_date=None),
        "IncompleteSignatureException: Authorization header requires 'Credential' parameter. "
        "Authorization header requires 'Signature' parameter. "
        "Authorization header requires 'SignedHeaders' parameter. "
        "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        "Authorization=AWS4-",
    ),
    "half of it": (
        change(authorization="AWS4-HMAC-SHA256 Signature=b, Credential=a"),
        "IncompleteSignatureException: Authorization header requires 'SignedHeaders' parameter. "
        "Authorization=AWS4-HMAC-SHA256 Signature=b, Credential=a",
    ),
    "a word without a value": (
        change(authorization="AWS4-HMAC-SHA256 Signature=b, Credential"),
        "IncompleteSignatureException: 'Credential' not a valid key=value pair (missing "
        "equal-sign) in Authorization "
        "header: 'AWS4-HMAC-SHA256 Signature=b, Credential'.",
    ),
    "both forms": (
        with_url("/?X-Amz-Algorithm=x"),
        "InvalidSignatureException: Found both 'X-Amz-Algorithm' as a query-string param and "
        "'Authorization' as HTTP "
        "header.",
    ),
    "a date that is none": (
        change(x_amz_date="201"),
        "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got '201'. "
        "See http://en.wikipedia.org/wiki/ISO_8601",
    ),
    "a day that is none": (
        change(x_amz_date="20260231T000000Z"),
        "IncompleteSignatureException: Date must be in",
    ),
    "host not signed": (
        replaced("host;", ""),
        "InvalidSignatureException: 'Host' must be a 'SignedHeader' in the AWS Authorization.",
    ),
    "target not signed": (
        replaced(";x-amz-target", ""),
        "InvalidSignatureException: 'X-Amz-Target' must be a 'SignedHeader' in the AWS "
        "Authorization.",
    ),
    "another algorithm": (
        replaced("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA25"),
        "IncompleteSignatureException: Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' "
        "(only AWS4-HMAC-SHA256 for now). ",
    ),
    "half a credential": (
        replaced("/aws4_request", ""),
        "IncompleteSignatureException: Credential must have exactly 5 slash-delimited elements, "
        "e.g. keyid/date/region/service/term, got 'AKIDEXAMPLE/20260101/us-east-1/dynamodb'",
    ),
    "a scope that is all wrong": (
        replaced("20260101/us-east-1/dynamodb/aws4_request", "b/c/d/e"),
        "InvalidSignatureException: Credential should be scoped to a valid region, not 'c'. "
        "Credential should be scoped to correct service: 'dynamodb'. "
        "Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. "
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
        "'b' != '20260101', from '20260101T000000Z'.",
    ),
    "a forged signature": (
        replaced("Signature=", "Signature=0"),
        "InvalidSignatureException: " + MISMATCH,
    ),
    "a signature that is not ASCII": (
        replaced("Signature=", "Signature=ü"),
        "InvalidSignatureException: " + MISMATCH,
    ),
    "another target": (
        change(x_amz_target="DynamoDB_20120810.DeleteTable"),
        "InvalidSignatureException: " + MISMATCH,
    ),
    "another body": (with_body, "InvalidSignatureException: " + MISMATCH),
    "another host": (change(host="elsewhere"), "InvalidSignatureException: " + MISMATCH),
    "another query": (with_url("/?a=1"), "InvalidSignatureException: " + MISMATCH),
    "a wrong token": (
        change(authorization=None, x_sortkey_token="folder-toke"),
        "MissingAuthenticationTokenException: " + MISSING,
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_signature_is_refused_in_awss_words(case: str) -> None:
    # Every SDK's troubleshooting page is written around these texts.
    apply, expected = WRONG[case]
    request = signed()
    apply(request)
    found = check(request)
    assert found.startswith(expected)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (lambda: signed(access_key="OTHER"), "UnrecognizedClientException: " + INVALID),
        (lambda: signed(secret_key="wrong"), "InvalidSignatureException: " + MISMATCH),
        (
            lambda: signed(region="eu-west-1"),
            "InvalidSignatureException: Credential should be scoped to a valid region",
        ),
        (
            lambda: signed(service="s3"),
            "InvalidSignatureException: Credential should be scoped to correct service",
        ),
        (lambda: signed(session_token="x"), "UnrecognizedClientException: " + INVALID),
        (
            lambda: signed(signer=SigV4QueryAuth, session_token="x"),
            "UnrecognizedClientException: " + INVALID,
        ),
        (
            lambda: signed(signer=SigV4QueryAuth, secret_key="wrong"),
            "InvalidSignatureException: " + MISMATCH,
        ),
    ],
)
def test_a_signature_of_someone_else_is_refused(
    request_: Callable[[], Request], expected: str
) -> None:
    assert check(request_()).startswith(expected)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "/?X-Amz-Algorithm",
            "IncompleteSignatureException: AWS query-string parameters must include "
            "'X-Amz-Algorithm'. "
            "AWS query-string parameters must include 'X-Amz-Credential'. "
            "AWS query-string parameters must include 'X-Amz-Signature'. "
            "AWS query-string parameters must include 'X-Amz-SignedHeaders'. "
            "AWS query-string parameters must include 'X-Amz-Date'. Re-examine the query-string "
            "parameters.",
        ),
        (
            "/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d",
            "IncompleteSignatureException: AWS query-string parameters must include "
            "'X-Amz-SignedHeaders'. "
            "Re-examine the query-string parameters.",
        ),
        (
            "/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d&X-Amz-SignedHeaders=e&X-Amz-Expires=1e9",
            "IncompleteSignatureException: X-Amz-Expires must be",
        ),
        (
            "/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-SignedHeaders=host;x-amz-target;%E2%82%AC"
            "&X-Amz-Date=20260101T000000Z",
            "IncompleteSignatureException: Unsupported AWS 'algorithm': 'a'",
        ),
        (
            "/?X-Amz-Credential=a&X-Amz-Signature=b",
            "MissingAuthenticationTokenException: " + MISSING,
        ),
    ],
)
def test_an_incomplete_presigned_url_is_refused(url: str, expected: str) -> None:
    request = signed()
    del request.headers[b"authorization"]
    request.url = url.encode()
    assert check(request).startswith(expected)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (900, "ok"),
        (-900, "ok"),
        (
            901,
            "InvalidSignatureException: Signature expired: 20260101T000000Z is now earlier than "
            "20260101T000001Z "
            "(20260101T001501Z - 15 min.)",
        ),
        (
            -901,
            "InvalidSignatureException: Signature not yet current: 20260101T000000Z is still later "
            "than "
            "20251231T235959Z (20251231T234459Z + 15 min.)",
        ),
    ],
)
def test_a_signature_is_good_for_a_quarter_of_an_hour_either_way(
    seconds: int, expected: str
) -> None:
    # Old ones may have been recorded; new ones are of a clock that is wrong.
    assert check(signed(), lambda: NOW + seconds) == expected


def test_the_folders_token_opens_without_a_signature() -> None:
    # A second process that opens a served folder reads it from the lock file.
    request = signed()
    del request.headers[b"authorization"]
    request.headers[b"x-sortkey-token"] = b"folder-token"
    assert check(request) == "ok"


def test_without_credentials_no_signature_is_asked_for() -> None:
    Access(None, "us-east-1", lambda: NOW).check(Request(b"POST", b"/", {}, b"{}", keep_alive=True))


def test_a_secret_is_not_in_the_text_of_its_object() -> None:
    assert KEY.secret_key not in repr(KEY)


def test_a_server_with_credentials_refuses_over_the_wire(start: Start) -> None:
    # The order is AWS's: invalid JSON and unknown operations come before the signature is looked at.
    running = start(KEY)
    assert running.ask(http("ListTables")).error() == "MissingAuthenticationTokenException"
    assert running.ask(http("ListTables", b"{")).error() == "SerializationException"
    assert running.ask(http("DynamoDB_20120810.x.y")).error() == "UnknownOperationException"
    assert running.ask(http("PutItem", b"bomb", content_encoding="gzip")).error() == (
        "MissingAuthenticationTokenException"
    )
    assert running.ask(http(None, b"", method="GET")).status == 200
