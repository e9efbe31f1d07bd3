"""Shard iterators: a position in a shard as signed text, valid for fifteen minutes."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from sortkey.errors import ExpiredIteratorException, ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

LIFETIME_MS = 15 * 60 * 1000
EXPIRED = (
    "The shard iterator has expired and can no longer be used to retrieve stream records. "
    "A shard iterator expires 15 minutes after it is retrieved using the GetShardIterator action."
)
_MAC_BYTES = 16


@dataclass(frozen=True)
class Iterator:
    """The position after the sequence number `after`, in a shard of a stream."""

    stream_arn: str
    shard_id: str
    after: int


def write(engine: Engine, iterator: Iterator) -> str:
    content = orjson.dumps([iterator.shard_id, iterator.after, int(engine.clock() * 1000)])
    mac = _mac(engine, iterator.stream_arn, content)
    return f"{iterator.stream_arn}|1|{urlsafe_b64encode(mac + content).decode()}"


def read(engine: Engine, text: str) -> Iterator:
    """Parse an iterator. Raises if `write` did not make it or it has expired."""
    stream_arn, _, rest = text.partition("|1|")
    try:
        content = b64decode(rest, altchars=b"-_", validate=True)
    except ValueError:
        content = b""
    mac, content = content[:_MAC_BYTES], content[_MAC_BYTES:]
    if not content or not hmac.compare_digest(mac, _mac(engine, stream_arn, content)):
        raise ValidationException("Invalid ShardIterator")
    shard_id, after, issued_ms = orjson.loads(content)
    if engine.clock() * 1000 - issued_ms > LIFETIME_MS:
        raise ExpiredIteratorException(EXPIRED)
    return Iterator(stream_arn, shard_id, after)


def _mac(engine: Engine, stream_arn: str, content: bytes) -> bytes:
    return hmac.digest(_secret(engine), stream_arn.encode() + b"|" + content, hashlib.sha256)[
        :_MAC_BYTES
    ]


def _secret(engine: Engine) -> bytes:
    """Stored with the data, so that iterators survive a restart."""
    secret = engine.records.get("secret", "shard-iterator")
    if secret is None:
        secret = engine.entropy(32).hex()
        engine.database.begin()
        engine.records.put("secret", "shard-iterator", secret)
    return bytes.fromhex(secret)
