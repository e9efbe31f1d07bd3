"""A real `sortkey serve` that can be killed at any moment, and a client that says what it knows
when it is.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import orjson

Item = dict[str, Any]


class Served:
    """A server process on a folder. `kill` is SIGKILL: nothing is flushed, nothing is closed."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._said = TemporaryFile()  # noqa: SIM115  not a pipe: nobody reads it before the end
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "sortkey",
                "serve",
                "--port",
                "0",
                "--data",
                str(folder),
                *arguments,
            ],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            stderr=self._said,
        )
        assert self.process.stdout is not None
        found = re.search(rb"http://\S+:(\d+)", self.process.stdout.readline())
        assert found, self.end()
        self.port = int(found[1])

    def client(self) -> Client:
        return Client(self.port)

    def kill(self) -> None:
        """Idempotent, from any thread."""
        self.process.kill()

    def end(self) -> str:
        """Kill it if it still runs; what it said on stderr."""
        self.process.kill()
        self.process.wait()
        self._said.seek(0)
        return self._said.read().decode()

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *exc: object) -> None:
        self.end()
        self._said.close()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Gone(Exception):
    """The server died before it answered: whether it did what was asked is not known."""


class Refused(Exception):
    """The answer is an error."""

    def __init__(self, status: int, body: Item) -> None:
        super().__init__(status, body)
        self.status = status
        self.name = str(body["__type"]).rpartition("#")[2]


class Client:
    """One connection, one request at a time, little CPU."""

    def __init__(self, port: int) -> None:
        try:
            self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        except OSError as error:
            raise Gone from error
        self._stream = self._socket.makefile("rb")

    def call(self, name: str, request: Item) -> Item:
        self.send(name, request)
        try:
            status, answer = self._read()
        except (OSError, ValueError) as error:
            raise Gone from error
        if status != 200:
            raise Refused(status, orjson.loads(answer))
        return orjson.loads(answer)

    def send(self, name: str, request: Item) -> None:
        """Ask without waiting for the answer."""
        body = orjson.dumps(request)
        family = (
            "DynamoDBStreams"
            if name in ("DescribeStream", "GetShardIterator", "GetRecords")
            else "DynamoDB"
        )
        head = (
            f"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-amz-json-1.0\r\n"
            f"x-amz-target: {family}_20120810.{name}\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        try:
            self._socket.sendall(head.encode() + body)
        except OSError as error:
            raise Gone from error

    def close(self) -> None:
        self._stream.close()
        self._socket.close()

    def _read(self) -> tuple[int, bytes]:
        line = self._stream.readline()
        if not line:
            raise ConnectionResetError
        status, length = int(line.split()[1]), 0
        while (line := self._stream.readline()) != b"\r\n":
            if not line.endswith(b"\n"):
                raise ConnectionResetError
            if line.lower().startswith(b"content-length:"):
                length = int(line[15:])
        body = self._stream.read(length)
        if len(body) < length:
            raise ConnectionResetError
        return status, body
