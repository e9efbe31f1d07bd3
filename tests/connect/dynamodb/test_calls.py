"""What goes out: targets, heads, signatures that follow the clock and the credentials."""

from __future__ import annotations

import pytest

from sortkey.connect.dynamodb import Credentials
from sortkey.errors import UnknownOperationException
from tests.connect.conftest import Connect
from tests.connect.scripted import answer, scripted

DONE = answer(b'{"done":true}')
NOW = 1_767_268_800.0  # 2026-01-01T12:00:00Z


def test_a_request_has_what_dynamodb_asks_for_and_no_more(connect: Connect) -> None:
    # Every byte is sent with every request.
    with scripted([DONE]) as server:
        connect(server.url, clock=lambda: NOW + 0.9).call("GetItem", {"TableName": "täble"})
    head, signature = server.requests[0].head.rsplit("Signature=", 1)
    assert head.split("\r\n") == [
        "POST / HTTP/1.1",
        f"Host: {server.url.removeprefix('http://')}",
        "Content-Type: application/x-amz-json-1.0",
        "X-Amz-Target: DynamoDB_20120810.GetItem",
        "Accept-Encoding: identity",
        "User-Agent: sortkey",
        "X-Amz-Date: 20260101T120000Z",
        "Authorization: AWS4-HMAC-SHA256 "
        "Credential=someone/20260101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date;x-amz-target, ",
    ]
    assert signature.split("\r\n")[1:] == ["Content-Length: 22"]
    assert server.requests[0].body == '{"TableName":"täble"}'.encode()


@pytest.mark.parametrize(
    "operation", ["ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"]
)
def test_operations_of_streams_have_the_target_of_streams(connect: Connect, operation: str) -> None:
    # Another service at AWS, with the same signature.
    with scripted([DONE]) as server:
        connect(server.url).call(operation)
    assert server.requests[0].header("X-Amz-Target") == f"DynamoDBStreams_20120810.{operation}"


@pytest.mark.parametrize("name", ["", "Get Item", "GetItem\r\nX: y", "Gèt"])
def test_a_name_that_can_be_no_operation_is_not_sent(connect: Connect, name: str) -> None:
    # It would end up in the head, between other people's headers.
    with scripted([DONE]) as server, pytest.raises(UnknownOperationException):
        connect(server.url).call(name)
    assert server.requests == []


def test_signatures_follow_the_clock(connect: Connect) -> None:
    # The date is kept for a second, and must not be kept for longer: AWS refuses what is five
    # minutes old.
    now = [NOW]
    with scripted([DONE] * 4) as server:
        caller = connect(server.url, clock=lambda: now[0])
        for seconds in (0.0, 0.5, 0.5, 12 * 3600.0):
            now[0] += seconds
            caller.call()
    dates = [request.header("x-amz-date") for request in server.requests]
    assert dates == ["20260101T120000Z", "20260101T120000Z", "20260101T120001Z", "20260102T000001Z"]
    assert "/20260102/us-east-1/" in server.requests[3].header("authorization")


class Renewing:
    """A source that has new credentials every time, with the threads it was asked from."""

    def __init__(self) -> None:
        self.count = 0
        self.needed = True

    def due(self) -> bool:
        return self.needed

    def current(self) -> Credentials:
        self.count += 1
        return Credentials(f"key{self.count}", "secret", f"token{self.count}")


@pytest.mark.parametrize("due", [True, False])
def test_credentials_that_change_are_asked_for_every_second(connect: Connect, due: bool) -> None:
    # Those of a role end after an hour; a program runs for longer.
    now, source = [NOW], Renewing()
    source.needed = due
    with scripted([DONE] * 3) as server:
        caller = connect(server.url, clock=lambda: now[0], credentials=source)
        for seconds in (0, 0, 1):
            now[0] += seconds
            caller.call()
    tokens = [request.header("x-amz-security-token") for request in server.requests]
    assert tokens == ["token1", "token1", "token2"]
    assert "Credential=key2/" in server.requests[2].header("authorization")
    assert "x-amz-date;x-amz-security-token;x-amz-target" in server.requests[2].header(
        "authorization"
    )
