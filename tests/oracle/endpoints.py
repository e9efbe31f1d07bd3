"""The two sides of a comparison: DynamoDB Local over HTTP, and our engine in the process. Both give
an `Answer`.
"""

import http.client
import json
import time
import traceback
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

_AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=oracle/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=0"
)
OURS = "Sortkey"
_STREAM_OPERATIONS = {"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client would see, with an error's type and message taken out of the body."""

    status: int
    body: dict[str, Any]
    error: str = ""
    message: str = ""

    @property
    def ok(self) -> bool:
        return self.status == 200


class Endpoint(Protocol):
    """Answers one request given as JSON text."""

    name: str

    def call(self, operation: str, body: str) -> Answer: ...

    def work(self) -> None:
        """Let background work of the server go on."""
        ...


_TRIES = 3


class Http:
    """A server, over one keep-alive connection."""

    def __init__(self, name: str, port: int) -> None:
        self.name = name
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._tables: set[str] = (
            set()
        )  # made, and not deleted: not to be swept away when making one again fails

    def call(self, operation: str, body: str) -> Answer:
        answer = self._send(operation, body)
        if (
            self.name == OURS
            or operation not in {"CreateTable", "DeleteTable"}
            or answer.status not in {200, 500}
        ):
            return answer
        table = str(json.loads(body).get("TableName"))
        if operation == "CreateTable" and table not in self._tables:
            answer = self._until_made(table, body, answer)
        if answer.ok:
            self._tables = (
                self._tables | {table} if operation == "CreateTable" else self._tables - {table}
            )
        return answer

    def _until_made(self, table: str, body: str, answer: Answer) -> Answer:
        """DynamoDB Local fails now and then when two tables are made at once; what it refuses, it
        refuses again.
        """
        for _ in range(_TRIES):
            if answer.status != 500:
                break
            self._send("DeleteTable", json.dumps({"TableName": table}))
            answer = self._send("CreateTable", body)
        return answer

    def _send(self, operation: str, body: str) -> Answer:
        service = (
            "DynamoDBStreams_20120810" if operation in _STREAM_OPERATIONS else "DynamoDB_20120810"
        )
        headers = {
            "X-Amz-Target": f"{service}.{operation}",
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": _AUTHORIZATION,
        }
        try:
            self._connection.request("POST", "/", body.encode(), headers)
            response = self._connection.getresponse()
        except (http.client.HTTPException, ConnectionError):
            self._connection.close()
            self._connection.request("POST", "/", body.encode(), headers)
            response = self._connection.getresponse()
        return from_http(response.status, response.read())

    def work(self) -> None:
        time.sleep(0.005)  # it works by itself, in another process


class InProcess:
    """Our engine without a socket. The body is parsed again for every call, as the wire would."""

    def __init__(self, engine: Any) -> None:
        self.name = OURS
        self._engine = engine

    def call(self, operation: str, body: str) -> Answer:
        from sortkey.errors import ServiceError

        try:
            answer = self._engine.call(operation, orjson.loads(body))
        except ServiceError as error:
            extra = json.loads(orjson.dumps(error.extra))
            return Answer(error.status, extra, error.code, error.message)
        except (
            Exception
        ) as crash:  # a fault of ours is a difference like any other, and the walk goes on
            return Answer(
                500, {}, "InternalServerError", "".join(traceback.format_exception(crash)[-3:])
            )
        return Answer(200, json.loads(orjson.dumps(answer)))

    def work(self) -> None:
        self._engine.work()


def from_http(status: int, content: bytes) -> Answer:
    """Split an HTTP answer into what is compared."""
    body = json.loads(content) if content else {}
    if status == 200:
        return Answer(status, body)
    kind = str(body.pop("__type", "")).rpartition("#")[2]
    message = body.pop("message", None) or body.pop("Message", None) or ""
    body.pop("Message", None)
    return Answer(status, body, kind, message)
