"""Our signatures beside botocore's own signer, and the credentials that make them."""

from __future__ import annotations

import datetime

import botocore.auth
import pytest
from botocore.awsrequest import AWSRequest

from sortkey.connect.dynamodb.endpoints import Endpoint
from sortkey.connect.sigv4 import Credentials, Post, Signer
from sortkey.errors import NotConfigured

PLAIN = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
SESSION = Credentials("ASIAEXAMPLE", "secret ü with a blank", "FwoGZXIvYXdzE//////////wEaD==")
NOON = 1_767_268_800  # 2026-01-01T12:00:00Z


@pytest.mark.parametrize("credentials", [PLAIN, SESSION], ids=["plain", "session"])
@pytest.mark.parametrize(
    "body", [b"{}", b"", '{"TableName":"täble"}'.encode(), b"x" * 100_000], ids=len
)
@pytest.mark.parametrize(
    ("url", "region"),
    [
        ("https://dynamodb.eu-west-1.amazonaws.com", "eu-west-1"),
        ("https://dynamodb.cn-north-1.amazonaws.com.cn/", "cn-north-1"),
        ("http://127.0.0.1:8000", "us-east-1"),
        ("http://localhost:80", "us-east-1"),
        ("https://db.example:443", "us-east-1"),
        ("http://[::1]:8000", "local"),
    ],
)
def test_the_signature_is_botocores(
    url: str, region: str, body: bytes, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A byte of difference anywhere and AWS refuses every request.
    target = "DynamoDB_20120810.GetItem"
    stamp = Signer(region).stamp(NOON, credentials)
    ours = stamp.headers(Post.to(Endpoint.parse(url).authority, target.encode()), body).decode()
    assert _headers(ours) == _botocore_headers(url, region, target, body, credentials, monkeypatch)


def test_the_key_follows_the_day_and_the_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    # It is kept; one that outlived its day or its owner would be refused until the program is
    # started again.
    signer = Signer("us-east-1")
    post = Post.to(b"db.example", b"DynamoDB_20120810.GetItem")
    for second, credentials in [
        (NOON, PLAIN),
        (NOON + 86_400, PLAIN),
        (NOON + 86_400, SESSION),
        (NOON, PLAIN),
    ]:
        theirs = _botocore_headers(
            "http://db.example",
            "us-east-1",
            "DynamoDB_20120810.GetItem",
            b"{}",
            credentials,
            monkeypatch,
            second,
        )
        assert _headers(signer.stamp(second, credentials).headers(post, b"{}").decode()) == theirs


@pytest.mark.parametrize(
    ("key", "token"),
    [("", None), ("key\n", None), ("a b", None), ("schlüssel", None), ("key", "token\r\nX: y")],
)
def test_a_key_that_cannot_stand_in_a_header_is_refused(key: str, token: str | None) -> None:
    # Mostly the line end of a file that was read whole; at worst a header of somebody else's
    # making.
    with pytest.raises(NotConfigured, match="blank, a line end"):
        Credentials(key, "secret", token)


def test_secrets_do_not_show() -> None:
    # Credentials end up in logs by way of repr.
    assert repr(SESSION) == "Credentials(access_key='ASIAEXAMPLE')"


def _headers(text: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.strip().split("\r\n"))


def _botocore_headers(
    url: str,
    region: str,
    target: str,
    body: bytes,
    credentials: Credentials,
    monkeypatch: pytest.MonkeyPatch,
    second: int = NOON,
) -> dict[str, str]:
    now = datetime.datetime.fromtimestamp(second, datetime.UTC)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: now)
    headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": target}
    request = AWSRequest("POST", url, headers, body)
    botocore.auth.SigV4Auth(credentials, "dynamodb", region).add_auth(request)
    return {name: value for name, value in request.headers.items() if name not in headers}
