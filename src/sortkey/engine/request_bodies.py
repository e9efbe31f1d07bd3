"""Requests as JSON bodies. AWS gives no details about a body that it cannot parse."""

from __future__ import annotations

from typing import Any, cast

import orjson

from sortkey.errors import SerializationException
from sortkey.values.json_documents import read_document


def read_request(body: bytes) -> dict[str, Any]:
    """The members of a request's body. Raises SerializationException if it is not a JSON object."""
    try:
        members: Any = read_document(body)
    except ValueError:
        raise SerializationException() from None
    if isinstance(members, dict):
        return cast(dict[str, Any], members)
    raise SerializationException(
        "Start of list found where not expected" if isinstance(members, list) else ""
    )


def write_request(request: dict[str, Any]) -> bytes:
    """The body of a program's request. Raises SerializationException if it is not valid as JSON."""
    try:
        return orjson.dumps(request)
    except orjson.JSONEncodeError as error:
        raise SerializationException(f"The request cannot be written as JSON: {error}") from None
