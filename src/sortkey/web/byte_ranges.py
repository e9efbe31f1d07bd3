"""The header Range (RFC 9110, 14): one range of bytes of an object. A request for several ranges
gets the whole object.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ONE_RANGE = re.compile(r"\s*bytes\s*=\s*(\d{0,18})\s*-\s*(\d{0,18})\s*", re.IGNORECASE | re.ASCII)


class ByteRange(NamedTuple):
    """From `start` to before `end`."""

    start: int
    end: int


class Unsatisfiable(Exception):
    """The range begins after the end."""


def range_in(header: str | None, size: int) -> ByteRange | None:
    """The requested range. None means the whole object: no range, several, or an unknown unit."""
    match = _ONE_RANGE.fullmatch(header or "")
    if match is None or match[1] == match[2] == "":
        return None
    if not match[1]:  # bytes=-500: the last 500
        start, end = max(0, size - int(match[2])), size
    else:
        start, end = int(match[1]), min(int(match[2]) + 1, size) if match[2] else size
        if match[2] and int(match[2]) < start:
            return None  # reversed: the RFC says to ignore it
    if start >= size:
        raise Unsatisfiable
    return ByteRange(start, end)
