"""Java details that AWS's messages reveal: the order of hash tables, `toString`, and the length of
strings.

AWS reports the members of a structure in the order of a Java HashMap over their names, and lists an
enum's values in the order of their hash codes in a table of 32. Both rules reproduce every
published answer of AWS that we found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from sortkey.engine.shapes.model import Shape, shape

_ENUM_SLOTS = 32
_LEVELS_MAX = 64  # deeper values are refused anyway; printing one must not exhaust the stack


def lower_first(name: str) -> str:
    """TableName → tableName, KMSMasterKeyId → kMSMasterKeyId: how AWS writes a member in a path."""
    return name[0].lower() + name[1:]


@cache
def member_order(names: tuple[str, ...]) -> tuple[str, ...]:
    """The members of a structure in the order of a HashMap of their lower-first names."""
    slots = 16
    while len(names) > slots * 3 // 4:
        slots *= 2
    return tuple(_by_slot(names, lambda name: _spread(lower_first(name)) % slots))


def hashed(names: tuple[str, ...], capacity: int) -> list[str]:
    """Names in the order of a HashSet of that initial capacity."""
    slots = 1
    while slots < capacity or len(names) > slots * 3 // 4:
        slots *= 2
    return _by_slot(names, lambda name: _spread(name) % slots)


@cache
def enum_order(values: tuple[str, ...]) -> tuple[str, ...]:
    # Later values come first within a slot, as if each was inserted at the head of a chain.
    return tuple(_by_slot(reversed(values), lambda value: _hash_code(value) % _ENUM_SLOTS))


def length(text: str) -> int:
    """UTF-16 units, as String.length counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def to_string(of: Shape, value: Any, levels: int = _LEVELS_MAX) -> str:
    """How AWS prints a value of that shape inside "Value '…'", without AWS's internal members."""
    if value is None:
        return "null"
    if not levels:
        return "…"
    if of.type == "structure":
        kinds = of.members.items()
        members = [
            f"{lower_first(name)}={to_string(shape(kind), value.get(name), levels - 1)}"
            for name, kind in kinds
        ]
        return f"{of.name}({', '.join(members)})"
    if of.type == "list":
        return (
            "["
            + ", ".join([to_string(shape(of.element), element, levels - 1) for element in value])
            + "]"
        )
    if of.type == "map":
        element = shape(of.element)
        return (
            "{"
            + ", ".join(
                [
                    f"{key}={to_string(element, content, levels - 1)}"
                    for key, content in value.items()
                ]
            )
            + "}"
        )
    return _scalar(of, value)


def _scalar(of: Shape, value: Any) -> str:
    if of.type == "blob":
        size = len(value) * 3 // 4 - value.count("=")
        return f"java.nio.HeapByteBuffer[pos=0 lim={size} cap={size}]"
    if of.type == "boolean":
        return "true" if value else "false"
    return str(value)


def _hash_code(text: str) -> int:
    code = 0
    for character in text:
        code = (31 * code + ord(character)) & 0xFFFFFFFF
    return code


def _spread(text: str) -> int:
    code = _hash_code(text)
    return code ^ (code >> 16)


def _by_slot(names: Iterable[str], slot: Callable[[str], int]) -> list[str]:
    return sorted(names, key=slot)
