"""A server on a free port of loopback with a made-up engine, and a client that speaks raw HTTP to
it.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import orjson

from sortkey.errors import ConditionalCheckFailedException, UnknownOperationException
from sortkey.wire.server import Server

NOW = 1_767_225_600.0  # 2026-01-01T00:00:00Z
TARGET = "DynamoDB_20120810."


class FakeEngine:
    """Writes are names put on a list, kept on `flush`. A name may be set to break in `execute` or
    in `flush`.
    """

    def __init__(self) -> None:
        self.committed: list[str] = []
        self.pending: list[str] = []
        self.breaking: set[str] = set()
        self.breaking_in_flush: set[str] = set()
        self.flushes = 0
        self.works = 0
        self.closed = False

    @property
    def in_transaction(self) -> bool:
        return bool(self.pending)

    def execute(
        self, name: str, request: dict[str, Any], /, *, is_trusted: bool = True
    ) -> dict[str, Any]:
        match name:
            case "PutItem":
                self.pending.append(request["Name"])
                if request["Name"] in self.breaking:
                    raise RuntimeError("disk I/O error")
                return {"Count": len(self.committed) + len(self.pending)}
            case "GetItem":
                return {
                    "Item": orjson.Fragment(b'{"x":{"S":"' + b"x" * request.get("Size", 1) + b'"}}')
                }
            case "ListTables":
                return {"TableNames": [], "Seen": self.committed + self.pending}
            case "ListStreams":
                return {"Streams": []}
            case "DeleteItem":
                raise ConditionalCheckFailedException(Item={"pk": {"S": "a"}})
            case _:
                raise UnknownOperationException()

    def flush(self) -> None:
        self.flushes += 1
        if self.breaking_in_flush & set(self.pending):
            raise RuntimeError("disk full")
        self.committed += self.pending
        self.pending = []

    def rollback(self) -> None:
        self.pending = []

    def work(self) -> float:
        self.works += 1
        return 3600.0

    def close(self) -> None:
        self.closed = True


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def error(self) -> str:
        return self.json()["__type"].rpartition("#")[2]


class RawClient:
    """Bytes out, answers in. What the socket carries is what the test says."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.stream = self.socket.makefile("rb")

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self, *, head_only: bool = False) -> Answer:
        line = self.stream.readline()
        assert line, "the server closed the connection"
        status = int(line.split()[1])
        headers: dict[str, str] = {}
        while (line := self.stream.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        length = 0 if head_only else int(headers.get("content-length", "0"))
        return Answer(status, headers, self.stream.read(length))

    def closed(self) -> bool:
        """Whether the server has closed, with nothing more to say. Waits for it."""
        return self.stream.read(1) == b""

    def close(self) -> None:
        self.stream.close()
        self.socket.close()


def http(
    operation: str | None = "ListTables",
    body: bytes = b"{}",
    *,
    method: str = "POST",
    path: str = "/",
    length: bool = True,
    version: str = "1.1",
    **headers: str | None,
) -> bytes:
    """A request as bytes. Header names are given with underscores; None leaves out one of the usual
    ones.
    """
    given: dict[str, str | None] = {
        "host": "localhost",
        "content-type": "application/x-amz-json-1.0",
    }
    if operation is not None:
        given["x-amz-target"] = operation if "." in operation else TARGET + operation
    if length:
        given["content-length"] = str(len(body))
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{name}: {value}\r\n" for name, value in given.items() if value is not None]
    return f"{method} {path} HTTP/{version}\r\n".encode() + "".join(lines).encode() + b"\r\n" + body


@dataclass
class Running:
    """A server in its own thread. `run` does something in its loop and waits for it."""

    server: Server
    engine: FakeEngine
    port: int
    loop: asyncio.AbstractEventLoop
    clients: list[RawClient] = field(default_factory=list[RawClient])

    def client(self) -> RawClient:
        self.clients.append(RawClient(self.port))
        return self.clients[-1]

    def ask(self, request: bytes, *, head_only: bool = False) -> Answer:
        client = self.client()
        client.send(request)
        return client.read(head_only=head_only)

    def run(self, something: Callable[[], Any] | Coroutine[Any, Any, Any]) -> Any:
        async def call() -> Any:
            return something() if callable(something) else await something

        return asyncio.run_coroutine_threadsafe(call(), self.loop).result(10)


Start = Callable[..., Running]
