"""JSON that comes from outside: read only where it can also be written again.

orjson reads 1024 levels and writes 254. What is deeper than that would fail wherever it is stored,
compared by its bytes or answered, so it is refused at the door. Requests need about 80 levels, for
an item that nests 32.
"""

from __future__ import annotations

from typing import Any

import orjson

LEVELS_MAX = 254


def read_document(content: bytes) -> Any:
    """The value that the bytes hold. Raises ValueError for what is not JSON, or is nested too
    deeply.
    """
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
