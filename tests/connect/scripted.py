"""A server that does what a test wrote down: one list of acts for each connection, one act for each
request on it.
"""

from __future__ import annotations

import socket
import ssl
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Act = bytes | Callable[[socket.socket], object]
CLOSE = b""  # answer with nothing and close


@dataclass
class Request:
    head: str
    body: bytes
    connection: int  # by the order in which they came

    def header(self, name: str) -> str:
        lines = (line.partition(": ") for line in self.head.split("\r\n")[1:])
        return {key.lower(): value for key, _, value in lines}[name.lower()]


@dataclass
class Scripted:
    """`requests` are those that came in, in order."""

    url: str
    requests: list[Request] = field(default_factory=list[Request])
    connections: int = 0


@contextmanager
def scripted(*script: list[Act], tls: ssl.SSLContext | None = None) -> Iterator[Scripted]:
    """Connections beyond the script get its last list again. A list that is done closes its
    connection.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    scheme = "https" if tls else "http"
    server = Scripted(f"{scheme}://localhost:{listener.getsockname()[1]}")
    accepted: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            accepted.append(connection)
            number, server.connections = server.connections, server.connections + 1
            acts = script[min(number, len(script) - 1)]
            threading.Thread(target=serve, args=(connection, number, acts), daemon=True).start()

    def serve(plain: socket.socket, number: int, acts: list[Act]) -> None:
        try:
            with tls.wrap_socket(plain, server_side=True) if tls else plain as connection:
                _play(connection, number, acts, server.requests)
        except OSError:
            plain.close()  # the client went away, which some tests make it do

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)
        for connection in accepted:
            connection.close()


def _play(connection: socket.socket, number: int, acts: list[Act], requests: list[Request]) -> None:
    stream = connection.makefile("rb")
    for act in acts:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = stream.readline()
            if not line:
                return
            head += line
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        requests.append(Request(head.decode().strip(), stream.read(length), number))
        if callable(act):
            act(connection)
        else:
            connection.sendall(act)


def answer(
    body: bytes = b"{}", status: int = 200, *, checksum: int | None = None, **headers: str
) -> bytes:
    """An answer as DynamoDB sends it. Header names are given with underscores."""
    given = {
        "Content-Length": str(len(body)),
        "x-amz-crc32": str(zlib.crc32(body) if checksum is None else checksum),
    }
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode() + body


def error(code: str, status: int = 400, more: str = "") -> bytes:
    return answer(
        f'{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"because"{more}}}'.encode(),
        status,
    )


def silence(connection: socket.socket) -> None:
    """Say nothing until the client has gone."""
    connection.recv(1)
