"""Cursors: the signed position where a page ended, bound to a query and a tenant.

They are not encrypted: a client can read the key of the last item, but not change it.
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
"""The first byte of zlib data, which JSON never has."""


def sign(secret: bytes, tenant: str, query: dict[str, Any], position: Any) -> str:
    """A cursor for a position in the results of a query."""
    body = orjson.dumps(position)
    if len(body) > LONG_BYTES:
        body = compress(body)  # positions of many shards compress well: their keys are similar
    return urlsafe_b64encode(_mac(secret, tenant, query, body) + body).rstrip(b"=").decode()


def read(secret: bytes, tenant: str, query: dict[str, Any], cursor: str) -> Any:
    """The position in a cursor. Raises BadCursor if it is not valid."""
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (Error, ValueError):
        raise BadCursor(
            "not a valid cursor: pass back the cursor of a page unchanged, or none for the first "
            "page"
        ) from None
    mac, body = raw[:MAC_BYTES], raw[MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(secret, tenant, query, body)):
        raise BadCursor(
            "the cursor belongs to another query: pass it with the same query, or none for the "
            "first page"
        )
    return orjson.loads(
        decompress(body) if body.startswith(COMPRESSED) else body
    )  # signed by us, so its size is limited


def _mac(secret: bytes, tenant: str, query: dict[str, Any], body: bytes) -> bytes:
    about = orjson.dumps([tenant, query], option=orjson.OPT_SORT_KEYS)
    return hmac.new(secret, len(about).to_bytes(4, "big") + about + body, sha256).digest()[
        :MAC_BYTES
    ]
