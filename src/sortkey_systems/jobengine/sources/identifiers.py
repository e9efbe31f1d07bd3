"""Names of tables in SQL: `orders`, `"a"."Order Details"`, `[dbo].[orders]`; and how they are kept
apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

PART = r"""(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|\[(?:[^\]]|\]\])+\]|[^\s().,;"'`\[\]]+)"""
NAME = rf"{PART}(?:\s*\.\s*{PART}){{0,2}}"
"""A pattern of a name with up to two schemas before it."""
_PART = re.compile(PART)
_QUOTES = {'"': '"', "`": "`", "[": "]"}

Qualified = tuple[str, str]
"""A schema, empty if not given, and a name in it."""


@lru_cache(maxsize=1024)  # a dump names the same tables and columns in every statement
def qualified(text: str) -> Qualified:
    """`a."b c"` is `b c` in schema `a`. A database before the schema is ignored."""
    parts = [bare(part) for part in _PART.findall(text)]
    return (parts[-2] if len(parts) > 1 else "", parts[-1])


def bare(name: str) -> str:
    """A name without its quotes."""
    name = name.strip()
    end = _QUOTES.get(name[:1])
    if end is None or name[-1:] != end:
        return name
    return name[1:-1].replace(end * 2, end)


@lru_cache(maxsize=1024)
def listed(text: str) -> tuple[str, ...]:
    """The names of a list: `(id, "The Name")`."""
    return tuple(bare(part) for part in _PART.findall(text))


def names_apart(tables: Iterable[Qualified]) -> dict[Qualified, str]:
    """The name of each table, with its schema if another schema has a table of that name."""
    listed = list(tables)
    times = Counter(name for _, name in listed)
    return {
        table: table[1] if times[table[1]] == 1 or not table[0] else ".".join(table)
        for table in listed
    }
