"""What a network and a server can do to a client, by a server that does it on purpose. Each with
every client.
"""

from __future__ import annotations

import gzip
import socket
import threading
import zlib
from collections.abc import Callable

import pytest

from sortkey.connect.dynamodb.http import Fault
from sortkey.errors import Unreachable
from tests.connect.conftest import Connect
from tests.connect.scripted import CLOSE, Act, answer, scripted, silence
from tools.dynamodb_local import free_port

DONE = answer(b'{"done":true}')


def test_a_connection_is_used_again(connect: Connect) -> None:
    # A new one for each call would cost a round trip, and three with TLS.
    with scripted([DONE] * 5) as server:
        caller = connect(server.url)
        assert [caller.call() for _ in range(5)] == [{"done": True}] * 5
    assert server.connections == 1


def test_an_answer_that_ends_its_connection_is_believed(connect: Connect) -> None:
    # The server says so before it closes; the next request must not go there.
    with scripted([answer(Connection="close"), DONE], [DONE]) as server:
        caller = connect(server.url)
        caller.call()
        assert caller.call() == {"done": True}
    assert [request.connection for request in server.requests] == [0, 1]


def test_a_kept_connection_that_was_closed_is_replaced_at_once(connect: Connect) -> None:
    # Servers close what is idle. That is not a failure: no pause, nothing from the budget.
    with scripted([DONE, CLOSE], [DONE]) as server:
        caller = connect(server.url, attempts_max=1)
        caller.call()
        assert caller.call() == {"done": True}
    assert caller.slept == []


def test_a_kept_connection_that_ends_in_the_middle_of_an_answer_was_not_idle(
    connect: Connect,
) -> None:
    # The server has seen this request: it is a failure like any other, paid for from the budget.
    with scripted([DONE, DONE[:-4]], [DONE]) as server:
        caller = connect(server.url)
        assert [caller.call(), caller.call()] == [{"done": True}] * 2
    assert caller.slept == [0.05]


def test_a_new_connection_that_is_closed_without_an_answer_is_tried_again_after_a_pause(
    connect: Connect,
) -> None:
    # A server that is starting or going down: give it a moment.
    with scripted([CLOSE], [DONE]) as server:
        caller = connect(server.url)
        assert caller.call() == {"done": True}
    assert caller.slept == [0.05]


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(DONE[:-4], id="half a body"),
        pytest.param(DONE[:30], id="half a head"),
        pytest.param(b"SSH-2.0-OpenSSH_9.2\r\n", id="another protocol"),
        pytest.param(answer(b'{"done":true}', checksum=1), id="wrong checksum"),
        pytest.param(
            answer(b'{"done":true}', checksum=1, Content_Encoding="identity"),
            id="wrong checksum, plain",
        ),
        pytest.param(answer(b"<html>Welcome to the hotel</html>"), id="no JSON"),
        pytest.param(answer(b"[1]"), id="no object"),
        pytest.param(answer(b"no gzip", Content_Encoding="gzip"), id="no gzip"),
        pytest.param(answer(gzip.compress(b"{}")[:-4], Content_Encoding="gzip"), id="half a gzip"),
        pytest.param(answer(b"{}") + answer(b"{}"), id="two answers"),
        pytest.param(
            b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n", id="upgrade"
        ),
    ],
)
def test_a_broken_answer_is_tried_again_on_another_connection(
    connect: Connect, broken: bytes
) -> None:
    # Later bytes on the same connection cannot be distinguished from the broken answer's rest.
    with scripted([broken], [DONE]) as server:
        caller = connect(server.url)
        assert caller.call() == {"done": True}
    assert (server.connections, caller.slept) == (2, [0.05])


def test_what_stays_broken_is_unreachable_and_says_why(connect: Connect) -> None:
    # The last word names operation, address and reason, and keeps the cause.
    with scripted([b"SSH-2.0-OpenSSH_9.2\r\n"]) as server:
        caller = connect(server.url, attempts_max=3)
        with pytest.raises(
            Unreachable, match=rf"ListTables at {server.url}: .*not valid HTTP.* \(attempt 3\)"
        ):
            caller.call()
    assert caller.slept == [0.05, 0.1]


def test_nobody_there_is_unreachable(connect: Connect) -> None:
    # The commonest mistake of all: the server is not running.
    caller = connect(f"http://127.0.0.1:{free_port()}", attempts_max=2)
    with pytest.raises(Unreachable, match=r"(?i)refused|connect") as raised:
        caller.call()
    assert isinstance(raised.value.__cause__, Fault)
    assert isinstance(raised.value.__cause__.__cause__, OSError)


def test_an_unknown_host_is_unreachable(connect: Connect) -> None:
    # A name that never resolves: RFC 2606 keeps .invalid for that.
    with pytest.raises(Unreachable):
        connect("http://nowhere.invalid", attempts_max=1).call()


def test_no_answer_in_time_is_tried_again(connect: Connect) -> None:
    # A server that hangs must not hang us.
    with scripted([silence], [DONE]) as server:
        caller = connect(server.url, answer_seconds=0.3)
        assert caller.call() == {"done": True}
    assert caller.slept[:1] == [0.05]  # a busy machine may answer too late once more


def test_an_answer_that_drips_has_no_more_time_than_one_that_does_not_come(
    connect: Connect,
) -> None:
    # A byte now and then would keep a timeout between bytes from ever being reached.
    gone = threading.Event()

    def drip(connection: socket.socket) -> None:
        try:
            for byte in DONE * 1000:
                connection.sendall(bytes([byte]))
                gone.wait(0.002)
        except OSError:
            gone.set()

    with scripted([drip]) as server, pytest.raises(Unreachable, match="no answer in time"):
        connect(server.url, answer_seconds=0.1, attempts_max=1).call()


def test_a_late_answer_does_not_reach_the_next_request(connect: Connect) -> None:
    # After a timeout the old answer may still come: to a connection that nobody reads any more.
    asked_again, is_sent = threading.Event(), threading.Event()

    def late(connection: socket.socket) -> None:
        asked_again.wait(60)
        try:
            connection.sendall(answer(b'{"late":true}'))
        finally:
            is_sent.set()

    def punctual(connection: socket.socket) -> None:
        asked_again.set()
        is_sent.wait(60)
        connection.sendall(DONE)

    # The second try is answered behind the late answer. A busy machine may need a third, which is
    # no different.
    with scripted([late, DONE], [punctual, DONE]) as server:
        caller = connect(server.url, answer_seconds=0.3)
        assert [caller.call(), caller.call()] == [{"done": True}] * 2
    assert is_sent.is_set()


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_answers_in_chunks_are_put_together(connect: Connect, size: int) -> None:
    # Balancers and compatible servers send them; DynamoDB itself does not.
    body = b'{"items":"' + b"x" * 200_000 + b'"}' if size > 7 else b'{"items":"abcdefghijk"}'
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-AMZ-CRC32: %d\r\n\r\n" % zlib.crc32(
        body
    )
    with scripted([head + chunks, DONE]) as server:
        caller = connect(server.url)
        assert len(caller.call()["items"]) == len(body) - 12
        assert caller.call() == {"done": True}
    assert server.connections == 1


@pytest.mark.parametrize(
    ("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("GZIP", gzip.compress)]
)
def test_packed_answers_are_unpacked(
    connect: Connect, name: str, pack: Callable[[bytes], bytes]
) -> None:
    # The checksum is that of the packed bytes, as AWS has it.
    packed = pack(b'{"done":true}')
    with scripted([answer(packed, Content_Encoding=name)]) as server:
        assert connect(server.url, gzip=True).call() == {"done": True}
    assert server.requests[0].header("accept-encoding") == "gzip"


def test_an_encoding_that_nobody_asked_for_is_refused_at_once(connect: Connect) -> None:
    # It would be the same the next time.
    with scripted([answer(b"?", Content_Encoding="br")]) as server:
        caller = connect(server.url)
        with pytest.raises(Unreachable, match="'br'"):
            caller.call()
    assert (caller.slept, server.requests[0].header("accept-encoding")) == ([], "identity")


def test_checksums_can_be_left_unchecked(connect: Connect) -> None:
    # For a server that gets them wrong.
    with scripted([answer(b'{"done":true}', checksum=1)]) as server:
        assert connect(server.url, checksums=False).call() == {"done": True}


def test_an_answer_without_a_checksum_or_body_is_taken(connect: Connect) -> None:
    # Compatible servers send no checksum; TagResource answers with nothing.
    with scripted([b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"]) as server:
        assert connect(server.url).call("TagResource") == {}


def test_an_informational_answer_is_not_the_answer(connect: Connect) -> None:
    # RFC 9110: any number of them may come first.
    with scripted(
        [b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + DONE]
    ) as server:
        assert connect(server.url).call() == {"done": True}


@pytest.mark.parametrize(
    "parting", [b"", answer(b'{"__type":"RequestTimeout"}', 408)], ids=["end", "parting word"]
)
def test_an_idle_connection_is_looked_at_before_it_is_used(
    connect: Connect, parting: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some servers say 408 before they close; it is not the answer to the next request.
    now = [1000.0]
    monkeypatch.setattr("sortkey.connect.dynamodb.idle.monotonic", lambda: now[0])
    said = threading.Event()

    def answer_and_part(connection: socket.socket) -> None:
        connection.sendall(DONE)
        spoken.wait(5)
        connection.sendall(parting)
        connection.shutdown(socket.SHUT_RDWR)
        said.set()

    spoken = threading.Event()
    with scripted([answer_and_part], [DONE]) as server:
        caller = connect(server.url, attempts_max=1)
        caller.call()
        spoken.set()
        assert said.wait(5)
        now[0] += 2
        assert caller.call() == {"done": True}
    assert [request.connection for request in server.requests] == [0, 1]


def test_a_connection_is_not_kept_for_longer_than_configured(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    # NAT gateways forget a connection without a word; a request on it would wait for nothing.
    now = [1000.0]
    monkeypatch.setattr("sortkey.connect.dynamodb.idle.monotonic", lambda: now[0])
    acts: list[Act] = [DONE] * 3
    with scripted(acts) as server:
        caller = connect(server.url, idle_seconds=10)
        for seconds in (0, 9, 11):
            now[0] += seconds
            caller.call()
    assert [request.connection for request in server.requests] == [0, 0, 1]
