"""Broken and hostile requests to a real server: `python -m tests.wire.fuzz --requests 50000 --seed
7`.

Requests of all operations are damaged in their JSON, their bytes, their headers or their signature,
and sent over a socket. Whatever comes, the server answers in time and never with 500, logs no
failure of its own, and goes on serving.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import orjson

import sortkey.engine
from sortkey.connect.sigv4 import Credentials as SigningKeys
from sortkey.connect.sigv4 import Post, Signer
from sortkey.engine.operations import STREAM_OPERATIONS
from sortkey.wire.access import Access, Credentials
from sortkey.wire.addresses import bind
from sortkey.wire.server import Server
from tests.oracle.random_tables import random_table
from tests.wire.fuzz_damage import as_body, damage_body, damage_head, damage_tree, zipped
from tests.wire.fuzz_requests import Requests
from tests.wire.harness import NOW, Answer, RawClient

REQUESTS_PER_SESSION = 2_500
_KEYS = Credentials("fuzzer", "secret")
_STAMP = Signer("us-east-1").stamp(int(NOW), SigningKeys(_KEYS.access_key, _KEYS.secret_key))


@dataclass
class Outcome:
    """What was answered, and what should not have been."""

    answered: Counter[str] = field(default_factory=Counter[str])
    faults: list[str] = field(default_factory=list[str])


def run(requests: int, seed: int, faults_max: int = 20) -> Outcome:
    """Send so many requests, in sessions with a new server each. Every third server asks for
    signatures.
    """
    outcome = Outcome()
    for number in range(-(-requests // REQUESTS_PER_SESSION)):
        count = min(REQUESTS_PER_SESSION, requests - number * REQUESTS_PER_SESSION)
        credentials = _KEYS if number % 3 == 2 else None
        source = random.Random(f"{seed}/{number}")
        with _serving(credentials, source.getrandbits(64)) as (port, failures):
            session = Session(port, source, outcome, failures, signs=credentials is not None)
            session.fill()
            for _ in range(count):
                session.step()
                if len(outcome.faults) >= faults_max:
                    return outcome
            session.close()
    return outcome


@contextmanager
def _serving(credentials: Credentials | None, seed: int) -> Iterator[tuple[int, list[str]]]:
    """A server on a free port with an empty engine, whose clock stands still; and the failures that
    it logs.
    """
    failures = _Failures()
    logger = logging.getLogger("sortkey")
    logger.addHandler(failures)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    settings: dict[str, Any] = {"clock": lambda: NOW, "entropy": random.Random(seed).randbytes}
    with (
        tempfile.TemporaryDirectory() as folder,
        sortkey.engine.own(buckets=folder, **settings) as engine,
    ):
        server = Server(engine, Access(credentials, "us-east-1", lambda: NOW), clock=lambda: NOW)
        sockets = bind("127.0.0.1", 0)
        asyncio.run_coroutine_threadsafe(server.start(sockets), loop).result(10)
        try:
            yield sockets[0].getsockname()[1], failures.texts
        finally:
            asyncio.run_coroutine_threadsafe(server.stop(), loop).result(30)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)
            loop.close()
            logger.removeHandler(failures)


class _Failures(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []
        self.setFormatter(logging.Formatter())

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


class Session:
    """One client of one server, which connects again whenever it was cut off."""

    def __init__(
        self,
        port: int,
        source: random.Random,
        outcome: Outcome,
        failures: list[str],
        *,
        signs: bool = False,
    ) -> None:
        self._port, self._source, self._outcome, self._failures, self._signs = (
            port,
            source,
            outcome,
            failures,
            signs,
        )
        self._tables = [random_table(f"fuzz-{number}", source) for number in range(3)]
        self._requests = Requests(self._tables, source)
        self._client: RawClient | None = None

    def fill(self) -> None:
        """Make the tables, with what the operations on tables need: recovery, a backup, time to
        live.
        """
        for table in self._tables:
            self._send("CreateTable", as_body(table.create_request()))
            recovery = {"PointInTimeRecoveryEnabled": True}
            named = {"TableName": table.name}
            self._send(
                "UpdateContinuousBackups",
                as_body(named | {"PointInTimeRecoverySpecification": recovery}),
            )
            self._send("CreateBackup", as_body(named | {"BackupName": "first"}))
            for _ in range(20):
                self._send("PutItem", as_body(named | {"Item": table.item(self._source)}))
        self._send("ListStreams", b"{}")

    def step(self) -> None:
        """One request, most often broken in one way."""
        operation, request = self._requests.draw()
        kind = self._source.random()
        if kind < 0.25:
            self._send(operation, as_body(request))
        elif kind < 0.80:
            self._send(operation, as_body(damage_tree(request, self._source)))
        elif kind < 0.90:
            self._send(operation, damage_body(as_body(request), self._source))
        elif kind < 0.97:
            self._send(operation, as_body(request), damaged_head=True)
        else:
            self._send_in_pieces(operation, as_body(request))

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _send(self, operation: str, body: bytes, *, damaged_head: bool = False) -> None:
        headers = self._headers(operation, body)
        if damaged_head:
            if self._source.random() < 0.2:
                body = zipped(body, self._source)
                headers = self._headers(operation, body) | {"Content-Encoding": "gzip"}
            else:
                headers = damage_head(headers, self._source)
        headers["Content-Length"] = str(len(body))
        answer = self._ask(_request(headers) + body)
        self._judge(operation, headers, body, answer)

    def _ask(self, data: bytes) -> Answer | None:
        """The answer; None where the server closed the connection without one."""
        try:
            if self._client is None:
                self._client = RawClient(self._port)
            self._client.send(data)
            answer = self._client.read()
            if answer.headers.get("connection") != "close":
                return answer
        except (ConnectionError, AssertionError):
            answer = None
        self.close()
        return answer

    def _send_in_pieces(self, operation: str, body: bytes) -> None:
        """Bytes that are no whole request, or several: cut, chunked, pipelined, garbage. Read until
        the server ends.
        """
        source = self._source
        head = _request(self._headers(operation, body) | {"Content-Length": str(len(body))})
        chunks = b"".join(
            b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (body[:7], body[7:]) if piece
        )
        chunked = _request(self._headers(operation, body) | {"Transfer-Encoding": "chunked"})
        data = source.choice(
            (
                (head + body) * 3,
                (head + body)[: source.randint(0, len(head))],
                head + body[: len(body) // 2],
                chunked + chunks + b"0\r\n\r\n",
                chunked + b"zz\r\n" + body,
                source.randbytes(200),
                b"GET /" + b"x" * source.choice((10, 70_000)) + b" HTTP/1.1\r\n\r\n",
                head.replace(b"HTTP/1.1", b"HTTP/9.9") + body,
                head.replace(b"\r\nContent-Length: ", b"\r\nContent-Length: -"),
                head.replace(b"\r\nContent-Length: ", b"\r\nContent-Length: 99999999999"),
                head.replace(
                    b"POST", source.choice((b"PUT", b"HEAD", b"OPTIONS", b"BREW", b"post"))
                )
                + body,
            )
        )
        self.close()
        client = RawClient(self._port)
        content = b""
        with suppress(ConnectionError):
            client.send(data)
            client.socket.shutdown(1)
            content = client.stream.read()
        client.close()
        self._outcome.answered["in pieces"] += 1
        if b"HTTP/1.1 500" in content or self._failures:
            self._fault(operation, data, content[:300])

    def _headers(self, operation: str, body: bytes) -> dict[str, str]:
        service = (
            "DynamoDBStreams_20120810" if operation in STREAM_OPERATIONS else "DynamoDB_20120810"
        )
        headers = {
            "Host": f"127.0.0.1:{self._port}",
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": f"{service}.{operation}",
        }
        return _signed(headers, body) if self._signs else headers

    def _judge(
        self, operation: str, headers: dict[str, str], body: bytes, answer: Answer | None
    ) -> None:
        self._outcome.answered[str(answer.status) if answer else "closed"] += 1
        sent = repr(headers).encode() + b" " + body
        if (
            self._failures
            or answer is None
            or (answer.status >= 500 and not _is_of_encoding(answer))
        ):
            self._fault(operation, sent, b"no answer" if answer is None else answer.body)
        elif answer.status == 200 and answer.headers.get("content-type", "").startswith(
            "application/"
        ):
            self._requests.learn(orjson.loads(answer.body))

    def _fault(self, operation: str, sent: bytes, answer: bytes) -> None:
        shown = sent if len(sent) < 1500 else sent[:1000] + b" ... " + sent[-400:]
        self._outcome.faults.append(
            f"{operation} {shown!r}\n  answered {answer!r}\n" + "\n".join(self._failures)
        )
        self._failures.clear()


def _is_of_encoding(answer: Answer) -> bool:
    """DynamoDB itself answers 500 to a body that is not in its Content-Encoding."""
    return any(words in answer.body for words in (b"content encoding", b"gzip members"))


def _request(headers: dict[str, str]) -> bytes:
    lines = "".join(f"{name}: {content}\r\n" for name, content in headers.items())
    return b"POST / HTTP/1.1\r\n" + lines.encode("latin-1", "replace") + b"\r\n"


def _signed(headers: dict[str, str], body: bytes) -> dict[str, str]:
    post = Post.to(headers["Host"].encode(), headers["X-Amz-Target"].encode())
    lines = _STAMP.headers(post, body).decode().splitlines()
    return headers | {
        name: content for name, _, content in (line.partition(": ") for line in lines)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--faults", type=int, default=20, help="stop after so many")
    arguments = parser.parse_args()
    began = time.monotonic()
    outcome = run(arguments.requests, arguments.seed, arguments.faults)
    for fault in outcome.faults:
        print(fault, end="\n\n")
    total = outcome.answered.total()
    print(
        f"seed {arguments.seed}: {total} requests in {time.monotonic() - began:.0f} s, "
        f"{dict(outcome.answered)}"
    )
    sys.exit(
        f"{len(outcome.faults)} faults; run again with --seed {arguments.seed}"
        if outcome.faults
        else 0
    )


if __name__ == "__main__":
    main()
