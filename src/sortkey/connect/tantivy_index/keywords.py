"""Exact values in letters and digits that tantivy's ranges can be asked for, in the same order as
the values.

The code is base64 whose signs are in the order of their numbers, so that codes compare as the bytes
of the texts do.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64

_LEAD = "k"
"""Before every code: so none is empty, a number, or a word of the query language."""
_USUAL = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_ORDERED = b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_TO_ORDERED, _TO_USUAL = bytes.maketrans(_USUAL, _ORDERED), bytes.maketrans(_ORDERED, _USUAL)
_AFTER_ANY = b"\xff"
"""Greater than every byte of a text."""


def encode(text: str) -> str:
    """The value as it is indexed."""
    return _code(text.encode())


def decode(code: str) -> str:
    usual = code[len(_LEAD) :].encode().translate(_TO_USUAL)
    return a2b_base64(usual + b"=" * (-len(usual) % 4)).decode()


def beginning(text: str) -> tuple[str, str]:
    """The first and the last code that a value can have which begins with a text."""
    raw = text.encode()
    return _code(raw), _code(raw + _AFTER_ANY)


def name_code(name: str) -> str:
    """A name that may stand in a path: letters and digits alone."""
    return _LEAD + name.encode().hex()


def _code(raw: bytes) -> str:
    return _LEAD + b2a_base64(raw, newline=False).rstrip(b"=").translate(_TO_ORDERED).decode()
