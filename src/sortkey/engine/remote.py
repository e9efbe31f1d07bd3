"""The engine of a folder that another process serves: the same `call`, over that process's local address."""

from __future__ import annotations

import http.client
import socket
import threading
from typing import Any
from urllib.parse import urlsplit

import orjson

from sortkey import errors
from sortkey.engine.operations import STREAM_OPERATIONS
from sortkey.engine.request_bodies import write_request
from sortkey.errors import InternalServerError, ServiceError


class RemoteEngine:
    """What `open` gives for a folder that a running server owns. Made from what that server wrote into the folder."""

    def __init__(self, address: str, token: str | None) -> None:
        self.address = address
        self._headers = {"Content-Type": "application/x-amz-json-1.0", "x-sortkey-token": token or ""}
        self._local = threading.local()

    def call(self, name: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run one request there."""
        return orjson.loads(self.answer(name, write_request(request)))

    def answer(self, name: str, body: bytes) -> bytes:
        family = "DynamoDBStreams" if name in STREAM_OPERATIONS else "DynamoDB"
        headers = {**self._headers, "X-Amz-Target": f"{family}_20120810.{name}"}
        connection = self._connection()
        try:
            connection.request("POST", "/", body, headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        if response.status != 200:
            raise _error(response.status, content)
        return content

    def close(self) -> None:
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def __enter__(self) -> RemoteEngine:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _connection(self) -> http.client.HTTPConnection:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            where = urlsplit(self.address)
            connection = self._local.connection = http.client.HTTPConnection(where.hostname or "", where.port)
        elif _dropped(connection):
            connection.close()  # the next request opens it again
        return connection


def _dropped(connection: http.client.HTTPConnection) -> bool:
    """Whether the server has closed it meanwhile, as it does with what is idle. Nothing else can be there to read."""
    if not isinstance(connection.sock, socket.socket):
        return False
    try:
        connection.sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _error(status: int, content: bytes) -> ServiceError:
    """The error as the serving process raised it."""
    body: dict[str, Any] = orjson.loads(content)
    name = str(body.pop("__type", "")).rpartition("#")[2]
    message = str(body.pop("message", None) or body.pop("Message", None) or "")
    kind: Any = getattr(errors, name, None)
    if not (isinstance(kind, type) and issubclass(kind, ServiceError)):
        return InternalServerError(f"{status} {name}: {message}")
    error: ServiceError = kind.__new__(kind)
    ServiceError.__init__(error, message, **body)
    return error
