"""Which fields of items a narrow table shows: first those that distinguish items, then those that
describe their state.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

DESCRIPTIVE = re.compile(r"(.*_)?(name|title|status|state|level|message|text|label)")
"""What people look for first."""
ID = re.compile(r"(.*_)?(id|arn|hash)")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")

Row = dict[str, Any]


def in_order(rows: Sequence[Row], keys: Sequence[str]) -> list[str]:
    """The columns from left to right: keys, plain values, times, nested values."""

    def rank(name: str) -> int:
        is_nested = any(isinstance(row.get(name), (dict, list)) for row in rows)
        if name in keys:
            return 0
        if is_nested:
            return 3
        return 2 if name.endswith("_at") else 1

    names = dict.fromkeys(
        [*keys, *(name for row in rows for name, value in row.items() if value != "")]
    )
    return sorted(names, key=rank)


def by_use(rows: Sequence[Row], columns: Sequence[str], keys: Sequence[str]) -> list[int]:
    """The column numbers in the order in which they get room.

    An id or a time of the key is less useful than a status or a message. A value that is the same
    in all rows is the least useful.
    """

    def rank(number: int) -> tuple[bool, int]:
        name = columns[number]
        values = [row.get(name) for row in rows]
        is_constant = len(rows) > 1 and all(value == values[0] for value in values)
        if DESCRIPTIVE.fullmatch(name):
            return False, 1  # useful even if all have the same status
        if any(isinstance(value, (dict, list)) for value in values):
            return is_constant, 6
        is_time = any(isinstance(value, str) and TIME.match(value) for value in values)
        is_plain = not is_time and not ID.fullmatch(name)
        if name in keys:
            return is_constant, 0 if is_plain else 2
        if is_time:
            return is_constant, 5
        return is_constant, 3 if is_plain else 4

    return sorted(range(len(columns)), key=rank)
