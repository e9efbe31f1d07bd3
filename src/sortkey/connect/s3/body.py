"""The body of an answer as a reader wants it."""

from __future__ import annotations

import importlib
from typing import Any

from sortkey.errors import Unreachable


class Body:
    """Bytes as they come from S3. A connection that breaks in the middle is Unreachable, not the
    end.
    """

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
