"""Which fields of items a narrow table shows: those that tell items apart, then those that tell how
they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

TELLING = re.compile(r"(.*_)?(name|title|status|state|level|message|text|label)")
"""What people look for first."""
ID = re.compile(r"(.*_)?(id|arn|hash)")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")

Row = dict[str, Any]


def in_order(rows: Sequence[Row], keys: Sequence[str]) -> list[str]:
    """The fields as they stand beside each other: keys, plain values, times, and last what is
    nested.
    """

    def rank(name: str) -> int:
        is_nested = any(isinstance(row.get(name), (dict, list)) for row in rows)
        return 0 if name in keys else 3 if is_nested else 2 if name.endswith("_at") else 1

    there = dict.fromkeys(
        [*keys, *(name for row in rows for name, value in row.items() if value != "")]
    )
    return sorted(there, key=rank)


def by_use(rows: Sequence[Row], columns: Sequence[str], keys: Sequence[str]) -> list[int]:
    """The numbers of the columns in the order in which they should find room.

    An id or a time of the key says less than a status or a message; what is the same in all rows
    says nothing.
    """

    def rank(number: int) -> tuple[bool, int]:
        name = columns[number]
        values = [row.get(name) for row in rows]
        is_constant = len(rows) > 1 and all(value == values[0] for value in values)
        if TELLING.fullmatch(name):
            return False, 1  # that all have failed is worth a column
        if any(isinstance(value, (dict, list)) for value in values):
            return is_constant, 6
        is_time = any(isinstance(value, str) and TIME.match(value) for value in values)
        is_plain = not is_time and not ID.fullmatch(name)
        return is_constant, (
            0 if is_plain else 2
        ) if name in keys else 5 if is_time else 3 if is_plain else 4

    return sorted(range(len(columns)), key=rank)
