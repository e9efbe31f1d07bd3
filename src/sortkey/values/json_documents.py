"""JSON from outside, read only if it can also be written again.

orjson reads 1024 levels and writes 254. A deeper document would fail later, when it is stored,
compared by its bytes or returned, so it is refused here. Requests need about 80 levels, for an item
that nests 32.
"""

from __future__ import annotations

from typing import Any

import orjson

LEVELS_MAX = 254


def read_document(content: bytes) -> Any:
    """Parse JSON bytes. Raises ValueError if they are not JSON or are nested too deeply."""
    document: Any = orjson.loads(content)
    if (
        content.count(b"{") + content.count(b"[") > LEVELS_MAX
    ):  # few enough brackets cannot nest too deeply
        try:
            orjson.dumps(document)
        except orjson.JSONEncodeError:
            raise ValueError(
                f"the JSON document is nested more than {LEVELS_MAX} levels deep"
            ) from None
    return document
