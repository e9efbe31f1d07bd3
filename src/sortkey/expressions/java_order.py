"""The iteration order of a Java HashMap. AWS's error messages name things in this order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

_Key = TypeVar("_Key", str, int, str | int)


def java_order(keys: Iterable[_Key], salt: int = 0) -> list[_Key]:
    """The keys in the order in which a HashMap of them iterates (in one bucket: as passed).

    The salt is what the keys' class adds to the hash of its string or integer.
    """
    ordered_keys = list(keys)
    buckets = 16
    while len(ordered_keys) > buckets * 3 // 4:
        buckets *= 2
    return sorted(ordered_keys, key=lambda key: _spread_hash(key, salt) % buckets)


def _spread_hash(key: str | int, salt: int) -> int:
    code = (salt + (key if isinstance(key, int) else _string_hash(key))) & 0xFFFFFFFF
    return code ^ (code >> 16)


def _string_hash(text: str) -> int:
    code = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (code * 31 + (high << 8 | low)) & 0xFFFFFFFF
    return code
