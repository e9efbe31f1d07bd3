"""A call from request to result, without I/O: a generator of steps that both clients drive.

It decides what to send, reads the answers and decides on retries. The clients only send, sleep and
fetch credentials.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import orjson

from sortkey.connect.dynamodb.answers import Refusal, read
from sortkey.connect.dynamodb.endpoints import Endpoint
from sortkey.connect.dynamodb.http import Fault
from sortkey.connect.dynamodb.place import Place
from sortkey.connect.dynamodb.retries import (
    SUCCESS_TOKENS,
    Budget,
    pause_seconds,
    raise_last_word,
    tokens_for,
)
from sortkey.connect.dynamodb.settings import Settings
from sortkey.connect.sigv4 import CONTENT_TYPE, Credentials, Post, Signer, Stamp
from sortkey.errors import UnknownOperationException

STREAM_OPERATIONS = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})

# Operations that the service runs once per token, so that a retry is harmless.
_TOKENS = {
    "TransactWriteItems": "ClientRequestToken",
    "ExecuteTransaction": "ClientRequestToken",
    "ExportTableToPointInTime": "ClientToken",
    "ImportTable": "ClientToken",
}


@dataclass(slots=True)
class Send:
    """Send these bytes and return the Reply or the Fault. `fresh`: over a new connection."""

    data: bytes
    streams: bool
    fresh: bool = False


@dataclass(slots=True)
class Sleep:
    """Wait."""

    seconds: float


class Renew:
    """Return the source's current credentials, which may take a while."""


Steps = Generator[Send | Sleep | Renew, Any, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Operation:
    """What the requests of one operation have in common."""

    head: bytes
    post: Post
    streams: bool
    endpoint: Endpoint


def with_token(name: str, request: dict[str, Any]) -> dict[str, Any]:
    """The request, with the token that makes it harmless to send it twice, where its operation has
    one.
    """
    member = _TOKENS.get(name)
    return (
        request if member is None or member in request else {**request, member: str(uuid.uuid4())}
    )


class Calls:
    """All calls of one client. Threads share it. `headers` are sent with each, unsigned."""

    def __init__(
        self,
        place: Place,
        settings: Settings,
        clock: Callable[[], float],
        random: Callable[[], float],
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._headers = b"".join(
            f"{name}: {value}\r\n".encode("latin-1") for name, value in (headers or {}).items()
        )
        self._place = place
        self._settings = settings
        self._clock = clock
        self._random = random
        self._signer = Signer(place.region)
        self._stamp: Stamp | None = None
        self._operations: dict[str, _Operation] = {}
        self.budget = Budget()

    def steps(self, name: str, request: dict[str, Any]) -> Steps:
        """Run one operation, with its retries."""
        operation = self._operations.get(name) or self._prepare(name)
        body = orjson.dumps(with_token(name, request))
        tokens = SUCCESS_TOKENS
        was_sent = False
        for attempt in count(1):
            try:
                result = yield from self._attempt(operation, body)
            except (Fault, Refusal) as problem:
                tokens = tokens_for(problem)
                was_sent = was_sent or not isinstance(problem, Fault) or problem.was_sent
                if (
                    not tokens
                    or attempt >= self._settings.attempts_max
                    or not self.budget.spend(tokens)
                ):
                    raise_last_word(
                        problem, f"{name} at {operation.endpoint.url}", attempt, was_sent=was_sent
                    )
            else:
                self.budget.earn(tokens)  # what the last retry took, as AWS does it
                return result
            yield Sleep(pause_seconds(attempt, self._random()))
        raise AssertionError  # endless

    def _attempt(self, operation: _Operation, body: bytes) -> Steps:
        stamp = self._stamp
        if stamp is None or stamp.second != int(self._clock()):
            stamp = yield from self._new_stamp()
        head = stamp.headers(operation.post, body)
        send = Send(
            b"%b%bContent-Length: %d\r\n\r\n%b" % (operation.head, head, len(body), body),
            operation.streams,
        )
        outcome = yield send
        if isinstance(outcome, Fault) and outcome.stale and self._settings.resends:
            send.fresh = True  # the service has hardly seen it: no retry in the sense of the budget
            outcome = yield send
        if isinstance(outcome, Fault):
            raise outcome
        return read(outcome, checksums=self._settings.checksums)

    def _new_stamp(self) -> Generator[Renew, Credentials, Stamp]:
        """Made once a second, because fetching the credentials costs more than a signature."""
        source = self._place.credentials
        credentials = (yield Renew()) if source.due() else source.current()
        stamp = self._stamp = self._signer.stamp(int(self._clock()), credentials)
        return stamp

    def _prepare(self, name: str) -> _Operation:
        if not (name.isascii() and name.isalnum()):
            raise UnknownOperationException(f"{name!r} is not the name of an operation")
        streams = name in STREAM_OPERATIONS
        target = f"DynamoDB{'Streams' if streams else ''}_20120810.{name}".encode()
        endpoint = self._place.streams if streams else self._place.main
        head = (
            b"POST / HTTP/1.1\r\nHost: %b\r\nContent-Type: %b\r\nX-Amz-Target: %b\r\n"
            b"Accept-Encoding: %b\r\nUser-Agent: sortkey\r\n%b"
        ) % (
            endpoint.authority,
            CONTENT_TYPE,
            target,
            b"gzip" if self._settings.gzip else b"identity",
            self._headers,
        )
        operation = _Operation(head, Post.to(endpoint.authority, target), streams, endpoint)
        self._operations[name] = operation
        return operation
