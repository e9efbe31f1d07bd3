"""The order in which a Java HashMap hands out its keys. AWS's error messages name things in this order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

_Key = TypeVar("_Key", str, int, str | int)


def java_order(keys: Iterable[_Key]) -> list[_Key]:
    """The keys as a HashMap that holds just these would iterate them (of one bucket: in the order given)."""
    listed = list(keys)
    buckets = 16
    while len(listed) > buckets * 3 // 4:
        buckets *= 2
    return sorted(listed, key=lambda key: _spread_hash(key) % buckets)


def _spread_hash(key: str | int) -> int:
    if isinstance(key, int):
        return key ^ (key >> 16)
    code = 0
    units = key.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (code * 31 + (high << 8 | low)) & 0xFFFFFFFF
    return code ^ (code >> 16)
