"""Exact values in letters and digits alone, in the same order: the only texts that tantivy's ranges can be asked for.

Each byte of the UTF-8 is one code: itself, or a leading letter that keeps its place in the order and two digits.
"""

from __future__ import annotations

import re

_LEAD = "k"
"""Before every value: so none is empty, a number, or a word of the query language."""


def encode(text: str) -> str:
    """The value as it is indexed. The code of a beginning is the beginning of the code."""
    return _LEAD + text.encode().decode("latin-1").translate(_CODES)


def decode(coded: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[0][1:], 16)), coded[1:]).encode("latin-1").decode()


def _code(byte: int) -> str:
    # 0, A, a and z lead the bytes up to themselves, or from themselves on; the other letters and digits stay.
    for last, lead in ((0x30, "0"), (0x39, ""), (0x41, "A"), (0x5A, ""), (0x61, "a"), (0x79, ""), (0xFF, "z")):
        if byte <= last:
            return f"{lead}{byte:02x}" if lead else chr(byte)
    raise AssertionError(byte)


_CODES = {byte: _code(byte) for byte in range(256)}
_ESCAPED = re.compile(r"[0Aaz][0-9a-f]{2}")
