"""The header Range (RFC 9110, 14): one range of bytes of an object. Several at once are answered
with the whole.
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
    """The range lies behind the end."""


def range_in(header: str | None, size: int) -> ByteRange | None:
    """The range that is asked for; None where the whole is to be sent: no range, several, or
    something unknown.
    """
    found = _ONE_RANGE.fullmatch(header or "")
    if found is None or found[1] == found[2] == "":
        return None
    if not found[1]:  # bytes=-500: the last 500
        start, end = max(0, size - int(found[2])), size
    else:
        start, end = int(found[1]), min(int(found[2]) + 1, size) if found[2] else size
        if found[2] and int(found[2]) < start:
            return None  # turned around: no range at all, as the RFC has it
    if start >= size:
        raise Unsatisfiable
    return ByteRange(start, end)
