"""The answer of an operation: members, which may hold stored bytes as fragments, or a finished
body.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from zlib import crc32


class Finished(NamedTuple):
    """A complete answer as JSON with its checksum, made once and sent many times."""

    body: bytes
    checksum: int

    @staticmethod
    def of(body: bytes) -> Finished:
        return Finished(body, crc32(body))


Answer = dict[str, Any] | Finished
