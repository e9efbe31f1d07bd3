"""Cursors: where a page ended, signed, and bound to the query and the tenant that they were given
out for.

They are not encrypted: the key of the last item can be read from one, but not changed.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from hashlib import sha256
from typing import Any
from zlib import compress, decompress

import orjson

from sortkey.errors import BadCursor

MAC_BYTES = 16
LONG_BYTES = 500
COMPRESSED = b"x"
"""What zlib begins with, and JSON does not."""


def sign(secret: bytes, tenant: str, query: dict[str, Any], position: Any) -> str:
    """A cursor for a position in the answer to a query."""
    body = orjson.dumps(position)
    if len(body) > LONG_BYTES:
        body = compress(body)  # the places of many shards: their keys are nearly the same
    return urlsafe_b64encode(_mac(secret, tenant, query, body) + body).rstrip(b"=").decode()


def read(secret: bytes, tenant: str, query: dict[str, Any], cursor: str) -> Any:
    """The position in a cursor of ours. Raises BadCursor for any other."""
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (Error, ValueError):
        raise BadCursor(
            "this is no cursor: pass one back as it came, or none for the first page"
        ) from None
    mac, body = raw[:MAC_BYTES], raw[MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(secret, tenant, query, body)):
        raise BadCursor(
            "the cursor is not of this query: pass it back with the same query, or none for the "
            "first page"
        )
    return orjson.loads(
        decompress(body) if body.startswith(COMPRESSED) else body
    )  # ours, so of a size that we made


def _mac(secret: bytes, tenant: str, query: dict[str, Any], body: bytes) -> bytes:
    about = orjson.dumps([tenant, query], option=orjson.OPT_SORT_KEYS)
    return hmac.new(secret, len(about).to_bytes(4, "big") + about + body, sha256).digest()[
        :MAC_BYTES
    ]
