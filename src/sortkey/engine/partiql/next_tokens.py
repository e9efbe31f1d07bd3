"""NextToken: where a page stopped. It is only valid for the same statement on the same table."""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from typing import Any

import orjson

from sortkey.engine.tables import Table
from sortkey.errors import ValidationException
from sortkey.values.attributes import Item

_SIGNATURE_BYTES = 16


def write_token(table: Table, request: dict[str, Any], key: Item) -> str:
    content = orjson.dumps(key)
    return urlsafe_b64encode(_sign(table, request, content) + content).decode()


def read_token(table: Table, request: dict[str, Any]) -> Item | None:
    """The key to continue after, or None without a token."""
    token = request.get("NextToken")
    if token is None:
        return None
    try:
        raw = urlsafe_b64decode(token)
    except (NotBase64, ValueError):
        raise _invalid() from None
    signature, content = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
    if not hmac.compare_digest(signature, _sign(table, request, content)):
        raise _invalid()
    return orjson.loads(content)


def _sign(table: Table, request: dict[str, Any], content: bytes) -> bytes:
    bound = orjson.dumps(
        [request["Statement"], request.get("Parameters")], option=orjson.OPT_SORT_KEYS
    )
    return hmac.new(table.id.encode(), bound + content, hashlib.sha256).digest()[:_SIGNATURE_BYTES]


def _invalid() -> ValidationException:
    return ValidationException("Invalid NextToken")
