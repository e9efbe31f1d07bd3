"""What an operation answers: members, which may hold stored bytes as fragments, or a body that is
finished already.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from zlib import crc32


class Finished(NamedTuple):
    """A whole answer as JSON, with its checksum: made once, sent as often as it is asked for."""

    body: bytes
    checksum: int

    @staticmethod
    def of(body: bytes) -> Finished:
        return Finished(body, crc32(body))


Answer = dict[str, Any] | Finished
