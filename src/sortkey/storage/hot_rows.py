"""Rows and pages that were read lately, in memory.

A read of one key, and of the old item before a write, asks here for the row; a query of a partition
for the finished page, which the next write to that partition drops. One dictionary of each for a
table, shared by everyone who reads or writes it, and one bound for all. When it is reached,
everything goes: what is hot is back after one read, and there is no order to keep.
"""

from __future__ import annotations

from typing import Any

BYTES_MAX = 64 * 1024 * 1024
ENTRY_BYTES = 200
"""What an entry takes besides its item: the key, the tuple, its place in the dictionary."""

PAGE_BYTES_MAX = 256 * 1024
"""A larger page is not kept: making it anew costs little beside sending it."""

Row = tuple[bytes, int]
Pages = dict[bytes, dict[Any, Any]]
"""By partition, then by what was asked of it."""


class HotRows:
    def __init__(self, bytes_max: int = BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._tables: dict[str, dict[bytes, Row]] = {}
        self._pages: dict[str, Pages] = {}

    def of(self, table: str) -> dict[bytes, Row]:
        return self._tables.setdefault(table, {})

    def pages_of(self, table: str) -> Pages:
        return self._pages.setdefault(table, {})

    def keep_page(self, pages: Pages, partition: bytes, which: Any, page: Any, size: int) -> None:
        """Remember a page of a partition, until something is written there."""
        if size > PAGE_BYTES_MAX:
            return
        self._make_room(size)
        pages.setdefault(partition, {})[which] = page

    def keep(self, rows: dict[bytes, Row], key: bytes, row: Row) -> None:
        """Remember a row, new or changed, in the dictionary of its table."""
        self._make_room(len(row[0]))
        rows[key] = row

    def clear(self) -> None:
        """Forget everything: after a rollback, and when there is no more room."""
        for entries in (*self._tables.values(), *self._pages.values()):
            entries.clear()
        self._bytes = 0

    def _make_room(self, size: int) -> None:
        self._bytes += size + ENTRY_BYTES
        if self._bytes > self._bytes_max:
            self.clear()
            self._bytes = size + ENTRY_BYTES
