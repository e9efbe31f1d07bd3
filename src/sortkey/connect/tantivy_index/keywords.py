"""Exact values encoded in letters and digits, which tantivy's ranges accept, in the same order.

The code is base64 with an alphabet in ASCII order, so that codes compare like the bytes of texts.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from functools import lru_cache

_LEAD = "k"
"""Starts every code, so that none is empty, a number, or a keyword of the query language."""
_USUAL = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_ORDERED = b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_TO_ORDERED, _TO_USUAL = bytes.maketrans(_USUAL, _ORDERED), bytes.maketrans(_ORDERED, _USUAL)
_AFTER_ANY = b"\xff"
"""Greater than every byte of a text."""


def encode(text: str) -> str:
    """The code of a value."""
    return _code(text.encode())


@lru_cache(4096)
def encode_repeated(text: str) -> str:
    """The same, remembered: for values that many documents share."""
    return _code(text.encode())


def decode(code: str) -> str:
    usual = code[len(_LEAD) :].encode().translate(_TO_USUAL)
    return a2b_base64(usual + b"=" * (-len(usual) % 4)).decode()


def beginning(text: str) -> tuple[str, str]:
    """The first and the last possible code of values that begin with a text."""
    raw = text.encode()
    return _code(raw), _code(raw + _AFTER_ANY)


def name_code(name: str) -> str:
    """A name that is valid in a path: letters and digits only."""
    return _LEAD + name.encode().hex()


def _code(raw: bytes) -> str:
    return _LEAD + b2a_base64(raw, newline=False).rstrip(b"=").translate(_TO_ORDERED).decode()
