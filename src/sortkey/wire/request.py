"""One HTTP request as received, and the operation that it names."""

from __future__ import annotations

from dataclasses import dataclass

from sortkey.engine.operations import STREAM_OPERATIONS

JSON_TYPES = frozenset(
    {b"application/x-amz-json-1.0", b"application/json"}
)  # AWS answers 404 to any other, including 1.1


@dataclass(slots=True)
class Request:
    """Header names are in lower case. The values of a repeated header are joined by commas."""

    method: bytes
    url: bytes
    headers: dict[bytes, bytes]
    body: bytes
    keep_alive: bool

    def path(self) -> bytes:
        return self.url.partition(b"?")[0]

    def content_type(self) -> bytes:
        """The media type without its parameters."""
        value = self.headers.get(b"content-type", b"")
        return value if value in JSON_TYPES else value.partition(b";")[0].strip()


def operation_of(target: bytes) -> str | None:
    """`DynamoDB_20120810.PutItem` → `PutItem`; None for another service's target."""
    if (name := _known.get(target)) is not None:
        return name
    service, _, operation = target.partition(b".")
    if not operation.isalpha():
        return None
    name = operation.decode()
    if (service == b"DynamoDBStreams_20120810") is not (name in STREAM_OPERATIONS):
        return None
    if service not in (b"DynamoDB_20120810", b"DynamoDBStreams_20120810"):
        return None
    if len(_known) < _KNOWN_MAX:
        _known[target] = name
    return name


_known: dict[bytes, str] = {}
_KNOWN_MAX = 200  # a client that makes up names must not fill the memory
