"""What a client sees over HTTP: formats, errors of form, methods, keep-alive, pipelining,
limits.
"""

from __future__ import annotations

import asyncio
import re
import time
import zlib

import pytest

from sortkey.wire.request import Request
from sortkey.wire.server import Limits
from tests.wire.harness import Running, Start, http

SERIALIZATION = b'{"__type":"com.amazon.coral.service#SerializationException"}'
UNKNOWN_OPERATION = b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'
NOT_FOUND = b"<UnknownOperationException/>\n"


def test_an_answer_carries_what_sdks_read(running: Running) -> None:
    # SDKs log the request id and retry when the checksum does not fit the body.
    answer = running.ask(http("ListTables"))
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/x-amz-json-1.0"
    assert re.fullmatch(r"[0-9A-Z]{52}", answer.headers["x-amzn-requestid"])
    assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(answer.body)
    assert answer.headers["date"] == "Thu, 01 Jan 2026 00:00:00 GMT"


def test_an_error_names_its_type_and_carries_its_members(running: Running) -> None:
    # ReturnValuesOnConditionCheckFailure: the item stands beside the message, which AWS spells with
    # a capital then.
    answer = running.ask(http("DeleteItem"))
    assert answer.status == 400
    assert answer.json() == {
        "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
        "Message": "The conditional request failed",
        "Item": {"pk": {"S": "a"}},
    }
    assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(answer.body)


@pytest.mark.parametrize("kind", ["application/x-amz-json-1.0", "application/json"])
def test_an_answer_has_the_json_type_of_its_request(running: Running, kind: str) -> None:
    # aiodynamo refuses an answer of another type than it sent.
    assert running.ask(http(content_type=kind + ";charset=utf-8")).headers["content-type"] == kind


# AWS's answers to requests that are none; from runs of dynalite's and Alternator's suites against
# AWS.
FORMS = {
    "another content type": (http(content_type="text/plain"), 404, NOT_FOUND),
    "JSON 1.1, which DynamoDB does not speak": (
        http(content_type="application/x-amz-json-1.1"),
        404,
        NOT_FOUND,
    ),
    "no content type": (http(content_type=None), 404, NOT_FOUND),
    "almost a content type": (http(content_type="application/jsonasdf"), 404, NOT_FOUND),
    "half an object": (http(body=b'{"a":'), 400, SERIALIZATION),
    "a word": (http(body=b"hi"), 400, SERIALIZATION),
    "two objects": (http(body=b"{}{}"), 400, SERIALIZATION),
    "bytes that are no text": (http(body=b'{"a":"\xff"}'), 400, SERIALIZATION),
    "a number": (http(body=b"7"), 400, SERIALIZATION),
    "null": (http(body=b"null"), 400, SERIALIZATION),
    "nesting without end": (
        http(body=b'{"a":' * 10_000 + b"1" + b"}" * 10_000),
        400,
        SERIALIZATION,
    ),
    "no body": (http(body=b""), 400, SERIALIZATION),
    "no JSON and no target": (http(None, b"hi"), 400, SERIALIZATION),
    "no target": (http(None), 400, UNKNOWN_OPERATION),
    "no target and no body": (http(None, b"", content_type=None), 400, UNKNOWN_OPERATION),
    "a target of no service": (http("whatever.ListTables"), 400, UNKNOWN_OPERATION),
    "no such operation": (http("ListTable"), 400, UNKNOWN_OPERATION),
    "an operation with an invalid name": (http("List-Tables"), 400, UNKNOWN_OPERATION),
    "a stream's operation of the wrong service": (http("ListStreams"), 400, UNKNOWN_OPERATION),
    "a table's operation of the wrong service": (
        http("DynamoDBStreams_20120810.GetItem"),
        400,
        UNKNOWN_OPERATION,
    ),
    "the version before": (http("DynamoDB_20111205.ListTables"), 400, UNKNOWN_OPERATION),
    "PUT": (http(method="PUT"), 404, NOT_FOUND),
    "DELETE": (http(method="DELETE"), 404, NOT_FOUND),
    "OPTIONS from no browser": (http(method="OPTIONS"), 404, NOT_FOUND),
    "GET elsewhere": (http(None, b"", method="GET", path="/else"), 404, NOT_FOUND),
}


@pytest.mark.parametrize("case", FORMS)
def test_what_is_no_request_is_answered_as_aws_does(running: Running, case: str) -> None:
    # An SDK's retry rules hang on these.
    request, status, body = FORMS[case]
    answer = running.ask(request)
    assert (answer.status, answer.body) == (status, body)
    assert re.fullmatch(r"[0-9A-Z]{52}", answer.headers["x-amzn-requestid"])


def test_a_list_in_place_of_an_object_is_named(running: Running) -> None:
    # AWS spells the member of this error with a capital.
    assert (
        running.ask(http(body=b"[]")).json()["Message"] == "Start of list found where not expected"
    )


def test_streams_are_served_on_the_same_port(running: Running) -> None:
    assert running.ask(http("DynamoDBStreams_20120810.ListStreams")).json() == {"Streams": []}


def test_any_path_takes_operations(running: Running) -> None:
    # AWS does not look at it; an endpoint_url may have one.
    assert running.ask(http(path="/some/where?x=y")).status == 200


@pytest.mark.parametrize("path", ["/", "/ping", "/?x"])
def test_get_says_healthy(running: Running, path: str) -> None:
    # Load balancers and people look here first.
    answer = running.ask(http(None, b"", method="GET", path=path, content_type=None))
    assert (answer.status, answer.body) == (200, b"healthy: dynamodb.us-east-1.amazonaws.com ")


def test_head_is_get_without_a_body(running: Running) -> None:
    # The length is that of the body which GET would have; a client must not wait for it.
    client = running.client()
    client.send(http(None, b"", method="HEAD") + http("ListTables"))
    assert client.read(head_only=True).headers["content-length"] == "42"
    assert client.read().status == 200


def test_a_connection_is_kept(running: Running) -> None:
    client = running.client()
    for _ in range(3):
        client.send(http())
        assert client.read().headers["connection"] == "keep-alive"


@pytest.mark.parametrize(
    ("request_bytes", "kept"),
    [
        (http(connection="close"), False),
        (http(version="1.0"), False),
        (http(version="1.0", connection="keep-alive"), True),
    ],
)
def test_a_connection_is_closed_when_the_client_asks(
    running: Running, request_bytes: bytes, kept: bool
) -> None:
    client = running.client()
    client.send(request_bytes)
    assert client.read().headers["connection"] == ("keep-alive" if kept else "close")
    if kept:
        client.send(request_bytes)
        assert client.read().status == 200
    else:
        assert client.closed()


def test_a_request_may_arrive_byte_by_byte(running: Running) -> None:
    # TCP keeps no boundaries.
    client = running.client()
    for byte in http("PutItem", b'{"Name":"a"}'):
        client.send(bytes([byte]))
    assert client.read().status == 200


def test_a_chunked_request_is_put_together(running: Running) -> None:
    client = running.client()
    client.send(http("PutItem", b"", length=False, transfer_encoding="chunked"))
    client.send(b'8\r\n{"Name":\r\n4\r\n"ab"\r\n1\r\n}\r\n0\r\n\r\n')
    assert client.read().status == 200
    assert running.engine.committed == ["ab"]


def test_pipelined_requests_are_answered_in_order(running: Running) -> None:
    # Writes wait for a commit and reads do not: order must come from the connection, not from who
    # is done first.
    client = running.client()
    sizes = [1, 5000, 2, 70_000, 3]
    client.send(
        b"".join(
            http("PutItem", b'{"Name":"%d"}' % size)
            + http("GetItem", b'{"Size":%d}' % size)
            + http(None)
            for size in sizes
        )
    )
    for count, size in enumerate(sizes, start=1):
        assert client.read().json() == {"Count": count}
        assert len(client.read().json()["Item"]["x"]["S"]) == size
        assert client.read().status == 400


def test_thousands_of_pipelined_requests_are_answered(running: Running) -> None:
    # They come in one read: answering must not nest one call for each.
    client = running.client()
    client.send(http("GetItem") * 3000 + http("PutItem", b'{"Name":"x"}') + http("GetItem") * 3000)
    for _ in range(6001):
        assert client.read().status == 200


def test_a_slow_reader_does_not_fill_memory(running: Running) -> None:
    # 400 MB of answers asked for at once: only what the client takes is made.
    client = running.client()
    client.send(http("GetItem", b'{"Size":1000000}') * 400)
    for _ in range(5):
        assert len(client.read().body) > 1_000_000
    connection = next(iter(running.server.connections))
    assert running.run(connection._transport.get_write_buffer_size) < 5_000_000
    for _ in range(395):
        client.read()


def test_expect_100_continue_is_answered_before_the_body(running: Running) -> None:
    # curl and some SDKs wait for it with large bodies.
    client = running.client()
    head, _, body = http("PutItem", b'{"Name":"a"}', expect="100-continue").partition(b"\r\n\r\n")
    client.send(head + b"\r\n\r\n")
    assert client.read().status == 100
    client.send(body)
    assert client.read().status == 200


def test_another_expectation_is_refused(running: Running) -> None:
    assert running.ask(http(expect="a miracle")).status == 417


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_beyond_the_limit_is_refused_and_the_client_sees_why(
    start: Start, chunked: bool
) -> None:
    # The rest of the body is read and dropped; closing at once would show as a reset.
    running = start(limits=Limits(body_bytes=1_000_000))
    client = running.client()
    body = b" " * 5_000_000
    if chunked:
        client.send(http("ListTables", b"", length=False, transfer_encoding="chunked"))
        client.send(b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n")
    else:
        client.send(http("ListTables", body))
    answer = client.read()
    assert (answer.status, answer.error()) == (413, "RequestEntityTooLarge")
    assert client.closed()


def test_a_body_at_the_limit_is_taken(start: Start) -> None:
    running = start(limits=Limits(body_bytes=1000))
    assert running.ask(http(body=b"{" + b" " * 998 + b"}")).status == 200


@pytest.mark.parametrize(
    "head",
    [
        b"POST / HTTP/1.1\r\nx: " + b"a" * 100_000,
        b"POST /" + b"a" * 100_000,
        b"POST / HTTP/1.1\r\n"
        + b"".join(b"x%d: y\r\n" % number for number in range(200))
        + b"\r\n",
        b"POST / HTTP/1.1\r\n" + b"x: yyyyyy\r\n" * 2000 + b"\r\n",
    ],
)
def test_a_head_beyond_the_limit_is_refused(running: Running, head: bytes) -> None:
    client = running.client()
    client.send(head)
    assert client.read().status == 431


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS client\r\n\r\n",
        b"HELLO\r\n\r\n",
        http(content_length="x"),
        http(transfer_encoding="chunked", length=True),
        http(connection="upgrade", upgrade="websocket"),
        b"CONNECT example.com:80 HTTP/1.1\r\nhost: example.com\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused(running: Running, garbage: bytes) -> None:
    client = running.client()
    client.send(garbage)
    assert client.read().status == 400
    assert client.closed()


def test_garbage_after_a_good_request_does_not_cost_its_answer(running: Running) -> None:
    client = running.client()
    client.send(http("PutItem", b'{"Name":"a"}') + b"GARBAGE\r\n\r\n")
    assert client.read().json() == {"Count": 1}
    assert client.read().status == 400


def test_a_client_that_is_still_sending_sees_why_it_was_refused(running: Running) -> None:
    # Closing while bytes are unread shows as a reset, and the answer is lost.
    client = running.client()
    client.send(b"NONSENSE\r\n\r\n")
    for _ in range(50):
        client.send(b"more of it " * 10_000)
    assert client.read().status == 400
    assert client.closed()
    client.close()
    while running.server.connections:
        running.run(lambda: None)


def test_nothing_after_a_refusal_is_answered(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    client = running.client()
    client.send(http(expect="a miracle") + http("PutItem", b'{"Name":"a"}', expect="100-continue"))
    assert client.read().status == 417
    assert client.closed()
    assert (running.engine.committed, caplog.text) == ([], "")


def test_a_refused_client_that_stays_is_ended(start: Start) -> None:
    running = start(limits=Limits(request_seconds=3))
    client = running.client()
    client.send(b"NONSENSE\r\n\r\n")
    assert client.read().status == 400
    for _ in range(4):
        running.run(running.server.sweep)
    while running.server.connections:
        running.run(lambda: None)


@pytest.mark.parametrize(
    ("refused", "status"),
    [
        (http(expect="a miracle"), 417),
        (http(connection="upgrade", upgrade="websocket"), 400),
        (http(**{f"x{number}": "y" for number in range(200)}), 431),
    ],
)
def test_a_refusal_does_not_cost_the_write_before_it_its_answer(
    running: Running, refused: bytes, status: int
) -> None:
    # The write waits for its commit while the refused request is read to its end.
    client = running.client()
    client.send(http("PutItem", b'{"Name":"a"}') + refused)
    assert client.read().json() == {"Count": 1}
    assert client.read().status == status
    assert client.closed()


def test_http_1_0_has_no_expectations(running: Running) -> None:
    # RFC 9110: an interim answer would be taken for the answer.
    assert running.ask(http(version="1.0", expect="100-continue")).status == 200


CHUNKED = http(None, b"", length=False, transfer_encoding="chunked") + b"2\r\n{}\r\n"


def test_trailers_are_no_headers(running: Running) -> None:
    # A signature covers none of them, so none may say what is to be done.
    assert (
        running.ask(CHUNKED + b"0\r\nx-amz-target: DynamoDB_20120810.ListTables\r\n\r\n").status
        == 400
    )


@pytest.mark.parametrize("start_", [b"0\r\nx: ", b"0\r\n", b"2;"])
def test_trailers_and_extensions_without_end_are_refused(start: Start, start_: bytes) -> None:
    # The parser holds them, so a limit on the body alone would let a stranger fill memory.
    running = start(limits=Limits(head_bytes=1000))
    client = running.client()
    client.send(CHUNKED + start_)
    while running.run(
        lambda: not any(connection.receiving for connection in running.server.connections)
    ):
        pass
    client.send(b"x: y\r\n" * 10_000 if start_ == b"0\r\n" else b"y" * 60_000)
    client.send(b"y" * 2000)
    assert client.read().status == 431
    assert client.closed()


def test_small_chunks_may_have_much_around_them(start: Start) -> None:
    running = start(limits=Limits(head_bytes=1000))
    client = running.client()
    client.send(CHUNKED.replace(b"{}", b"{ ", 1) + b"1\r\n \r\n" * 5000 + b"1\r\n}\r\n0\r\n\r\n")
    assert client.read().error() == "UnknownOperationException"


def test_a_fault_of_the_server_is_answered_and_costs_no_other_client(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The next request is read while the answers of a commit go out: an exception there would lose
    # the rest of them.
    def break_(request: Request) -> None:
        if b"broken" in request.body:
            raise ZeroDivisionError

    monkeypatch.setattr(running.server._access, "check", break_)
    client, other = running.client(), running.client()
    for _ in range(20):
        client.send(http("PutItem", b'{"Name":"a"}') + http(body=b'{"broken":1}') + http())
        other.send(http("PutItem", b'{"Name":"b"}'))
        assert [client.read().status for _ in range(3)] == [200, 500, 200]
        assert other.read().status == 200


def test_a_client_that_takes_no_answer_is_not_waited_for_forever(start: Start) -> None:
    # Its answers are held in memory, and closing waits until they are gone.
    running = start(limits=Limits(idle_seconds=5, request_seconds=3))
    one, several = running.client(), running.client()
    one.send(http("GetItem", b'{"Size":20000000}'))
    several.send(http("GetItem", b'{"Size":20000000}') * 3)
    while sum(connection.stalled() for connection in running.server.connections) < 2:
        running.run(lambda: None)
    for _ in range(4):
        running.run(running.server.sweep)
    while running.server.connections:
        running.run(lambda: None)


def test_idle_and_unfinished_connections_are_closed_after_their_time(start: Start) -> None:
    # Seconds are counted by `sweep`, so no test has to wait for them.
    running = start(limits=Limits(idle_seconds=5, request_seconds=3))
    idle, unfinished = running.client(), running.client()
    idle.send(http())
    idle.read()
    unfinished.send(http()[:-1])
    idle.send(http())
    idle.read()
    while not any(connection.receiving for connection in running.server.connections):
        running.run(lambda: None)
    for _ in range(4):
        running.run(running.server.sweep)
    assert unfinished.closed()
    idle.send(http())
    assert idle.read().status == 200
    for _ in range(6):
        running.run(running.server.sweep)
    assert idle.closed()


def test_connections_beyond_the_limit_are_closed(start: Start) -> None:
    running = start(limits=Limits(connections=1))
    assert running.ask(http()).status == 200
    assert running.client().closed()


def test_background_work_is_run(running: Running) -> None:
    running.ask(http())
    assert running.engine.works > 0


def test_a_request_ends_the_rest_between_two_looks_for_work(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Idle costs next to nothing, and yet what a request begins, an index to be built, is not left
    # waiting.
    monkeypatch.setattr("sortkey.wire.server.REST_SECONDS_MAX", 3600.0)
    running = start()
    while not running.engine.works:
        running.run(lambda: None)
    assert running.engine.works == 1
    running.ask(http())
    end = time.monotonic() + 30
    while running.engine.works == 1 and time.monotonic() < end:
        running.run(asyncio.sleep(0.01))
    assert running.engine.works > 1
