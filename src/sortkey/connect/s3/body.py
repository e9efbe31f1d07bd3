"""The body of an answer as a readable stream."""

from __future__ import annotations

import importlib
from typing import Any

from sortkey.errors import Unreachable


class Body:
    """The bytes that S3 sends. A connection that breaks raises Unreachable. It is not an end."""

    def __init__(self, key: str, stream: Any) -> None:
        self._key, self._stream = key, stream
        self._errors: Any = importlib.import_module("botocore.exceptions")

    def read(self, size: int, /) -> bytes:
        try:
            return self._stream.read(size)
        except (self._errors.HTTPClientError, self._errors.IncompleteReadError) as error:
            raise Unreachable(
                f"{self._key}: the connection broke while it was read: {error}"
            ) from error

    def close(self) -> None:
        self._stream.close()
