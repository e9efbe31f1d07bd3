"""Doubles as whole numbers of 64 bits in the same order, so that numbers of every kind share one
type of column.
"""

from __future__ import annotations

from struct import pack, unpack

_VALUE_BITS = 2**63 - 1


def sortable_double(number: float) -> int:
    """The bits of positive doubles are already in order. Those of negative ones run backwards and
    are reversed.
    """
    return _turned(unpack(">q", pack(">d", number))[0])


def double_of(sortable: int) -> float:
    return unpack(">d", pack(">q", _turned(sortable)))[0]


def _turned(bits: int) -> int:
    return bits if bits >= 0 else bits ^ _VALUE_BITS
