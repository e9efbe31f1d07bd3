"""Keys as bytes: a partition is a prefix, and inside it bytes sort as DynamoDB sorts the range key.

    key = crc32(hash part), 4 bytes  +  hash part  +  range part
    hash part = for each hash attribute: its length, 2 bytes, and its bytes
    range part = one attribute: its plain bytes; several (indexes only): each with a terminator

The values are canonical and within the size limits of keys, which the engine checks. Keys are never
decoded, because rows hold items.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from struct import Struct
from typing import Any, Literal
from zlib import crc32

from sortkey.values import numbers

KeyType = Literal["S", "N", "B"]
KeyAttributes = tuple[tuple[str, KeyType], ...]
Operator = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]
Bounds = tuple[
    bytes, bytes | None
]  # from the first, inclusive, to the second, exclusive; None: to the end
Encoder = Callable[[Mapping[str, Mapping[str, Any]]], bytes | None]

_HASH_SPACE = 2**32


@dataclass(frozen=True, slots=True)
class KeySchema:
    """The key of a table or an index. `encode` returns an item's key, or None for an item that is
    not in the index.
    """

    hash_attributes: KeyAttributes
    range_attributes: KeyAttributes = ()
    encode: Encoder = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "encode", compile_encoder(self.hash_attributes, self.range_attributes)
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.hash_attributes + self.range_attributes)

    def partition(self, values: Sequence[Mapping[str, Any]]) -> bytes:
        """The prefix of every key whose hash attributes have these values, given in the order of
        the schema.
        """
        return partition_prefix(hash_part(values))

    def bounds(
        self,
        partition: bytes,
        equals: Sequence[Mapping[str, Any]] = (),
        operator: Operator | None = None,
        operands: Sequence[Mapping[str, Any]] = (),
    ) -> Bounds:
        """The keys of a partition under a key condition.

        `equals` are the leading range attributes that are compared by `=`; `operator` and its
        operands (two for BETWEEN, else one) belong to the range attribute after them.
        """
        if len(self.range_attributes) < 2:
            if equals:
                operator, operands = "=", equals
            return range_bounds(partition, operator, [plain(operand) for operand in operands])
        prefix = partition + b"".join(map(delimited, equals))
        if operator == "begins_with":
            return prefix_bounds(prefix + _escape(plain(operands[0])))
        return _delimited_bounds(prefix, operator, [delimited(operand) for operand in operands])


def compile_encoder(
    hash_attributes: KeyAttributes, range_attributes: KeyAttributes = ()
) -> Encoder:
    """A function from an item to its key, or to None if a key attribute is missing or of another
    type.
    """
    kinds = tuple(kind for _, kind in hash_attributes), tuple(kind for _, kind in range_attributes)
    if kinds == (("S",), ()):
        return _hash_string(hash_attributes[0][0])
    if kinds == (("S",), ("S",)):
        return _string_and_string(hash_attributes[0][0], range_attributes[0][0])
    if kinds == (("S",), ("N",)):
        return _string_and_number(hash_attributes[0][0], range_attributes[0][0])
    return _any_schema(hash_attributes, range_attributes)


def plain(value: Mapping[str, Any]) -> bytes:
    """The bytes of a key attribute, which sort as its values do: UTF-8, raw bytes, or the encoded
    number.
    """
    if "S" in value:
        return value["S"].encode()
    if "N" in value:
        return numbers.encode(value["N"])
    return a2b_base64(value["B"])


def delimited(value: Mapping[str, Any]) -> bytes:
    """The same, but none is a prefix of another, so that more may follow. That holds for encoded
    numbers anyway.
    """
    return plain(value) if "N" in value else _escape(plain(value)) + b"\x00\x01"


def hash_part(values: Sequence[Mapping[str, Any]]) -> bytes:
    parts = [plain(value) for value in values]
    return b"".join(_LENGTH.pack(len(part)) + part for part in parts)


def range_part(values: Sequence[Mapping[str, Any]]) -> bytes:
    return plain(values[0]) if len(values) == 1 else b"".join(map(delimited, values))


def partition_prefix(hashed: bytes) -> bytes:
    return _CHECKSUM.pack(crc32(hashed)) + hashed


def encode_key(
    hash_values: Sequence[Mapping[str, Any]], range_values: Sequence[Mapping[str, Any]] = ()
) -> bytes:
    """The key of these values. An index with several range attributes needs all of them here."""
    return partition_prefix(hash_part(hash_values)) + range_part(range_values)


def partition_of(key: bytes) -> bytes:
    """The partition of a table's row key: its checksum, length and hash value."""
    return key[: 6 + (key[4] << 8) + key[5]]


def successor(prefix: bytes) -> bytes | None:
    """The smallest bytes greater than all that start with `prefix`. None if there are none (only
    0xFF).
    """
    head = prefix.rstrip(b"\xff")
    return head[:-1] + bytes((head[-1] + 1,)) if head else None


def prefix_bounds(prefix: bytes) -> Bounds:
    return prefix, successor(prefix)


def segment_bounds(segment: int, total: int) -> Bounds:
    """The keys of one of the `total` segments of a parallel scan: an even share of the 32-bit hash
    space.
    """
    first = (segment * _HASH_SPACE + total - 1) // total
    end = ((segment + 1) * _HASH_SPACE + total - 1) // total
    return (_CHECKSUM.pack(first) if first else b""), (
        _CHECKSUM.pack(end) if end < _HASH_SPACE else None
    )


def range_bounds(partition: bytes, operator: Operator | None, operands: Sequence[bytes]) -> Bounds:
    """Bounds where the range part is one plain value: the next key after `x` is `x` and a zero
    byte.
    """
    match operator:
        case None:
            return prefix_bounds(partition)
        case "=":
            return partition + operands[0], partition + operands[0] + b"\x00"
        case "<":
            return partition, partition + operands[0]
        case "<=":
            return partition, partition + operands[0] + b"\x00"
        case ">":
            return partition + operands[0] + b"\x00", successor(partition)
        case ">=":
            return partition + operands[0], successor(partition)
        case "BETWEEN":
            return partition + operands[0], partition + operands[1] + b"\x00"
        case "begins_with":
            return prefix_bounds(partition + operands[0])


def _delimited_bounds(
    prefix: bytes, operator: Operator | None, operands: Sequence[bytes]
) -> Bounds:
    """Bounds where more components follow: the next key after component `x` is the successor of all
    that start with `x`.
    """
    match operator:
        case "=" | "begins_with":
            return prefix_bounds(prefix + operands[0])
        case "<":
            return prefix, prefix + operands[0]
        case "<=":
            return prefix, successor(prefix + operands[0])
        case ">":
            after = successor(prefix + operands[0])
            return (prefix, prefix) if after is None else (after, successor(prefix))
        case ">=":
            return prefix + operands[0], successor(prefix)
        case "BETWEEN":
            return prefix + operands[0], successor(prefix + operands[1])
        case None:
            return prefix_bounds(prefix)


_LENGTH = Struct(">H")
_CHECKSUM = Struct(">I")


def _escape(raw: bytes) -> bytes:
    return raw.replace(b"\x00", b"\x00\xff")


# The three schemas that nearly every table has. A missing attribute, or one of another type, is a
# KeyError.


def _hash_string(hash_name: str) -> Encoder:
    def encode(item: Mapping[str, Mapping[str, Any]]) -> bytes | None:
        try:
            text = item[hash_name]["S"].encode()
        except KeyError:
            return None
        hashed = _LENGTH.pack(len(text)) + text
        return _CHECKSUM.pack(crc32(hashed)) + hashed

    return encode


def _string_and_string(hash_name: str, range_name: str) -> Encoder:
    def encode(item: Mapping[str, Mapping[str, Any]]) -> bytes | None:
        try:
            text = item[hash_name]["S"].encode()
            hashed = _LENGTH.pack(len(text)) + text
            return _CHECKSUM.pack(crc32(hashed)) + hashed + item[range_name]["S"].encode()
        except KeyError:
            return None

    return encode


def _string_and_number(hash_name: str, range_name: str) -> Encoder:
    def encode(item: Mapping[str, Mapping[str, Any]]) -> bytes | None:
        try:
            text = item[hash_name]["S"].encode()
            hashed = _LENGTH.pack(len(text)) + text
            return _CHECKSUM.pack(crc32(hashed)) + hashed + numbers.encode(item[range_name]["N"])
        except KeyError:
            return None

    return encode


def _any_schema(hash_attributes: KeyAttributes, range_attributes: KeyAttributes) -> Encoder:
    attributes = hash_attributes + range_attributes
    hashes = len(hash_attributes)

    def encode(item: Mapping[str, Mapping[str, Any]]) -> bytes | None:
        values: list[Mapping[str, Any]] = []
        for name, kind in attributes:
            value = item.get(name)
            if value is None or kind not in value:
                return None
            values.append(value)
        return encode_key(values[:hashes], values[hashes:])

    return encode
