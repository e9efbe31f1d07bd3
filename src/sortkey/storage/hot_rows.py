"""A cache of recently read rows and pages.

A read of one key, and of the old item before a write, looks for the row here. A query of a
partition looks for the finished page, which the next write to that partition drops. Each table has
one dictionary of rows and one of pages, and all share one limit. When it is reached, the whole
cache is cleared: hot rows are back after one read, and no order has to be maintained.
"""

from __future__ import annotations

from typing import Any

BYTES_MAX = 64 * 1024 * 1024
ENTRY_BYTES = 200
"""The memory of an entry besides its item: the key, the tuple, its slot in the dictionary."""

PAGE_BYTES_MAX = 256 * 1024
"""Larger pages are not cached: building them costs little compared to sending them."""

Row = tuple[bytes, int]
Pages = dict[bytes, dict[Any, Any]]
"""By partition, then by query."""


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
        """Cache a page of a partition until the next write there."""
        if size > PAGE_BYTES_MAX:
            return
        self._make_room(size)
        pages.setdefault(partition, {})[which] = page

    def keep(self, rows: dict[bytes, Row], key: bytes, row: Row) -> None:
        """Cache a row, new or changed."""
        self._make_room(len(row[0]))
        rows[key] = row

    def clear(self) -> None:
        """Clear the cache, after a rollback or when it is full."""
        for entries in (*self._tables.values(), *self._pages.values()):
            entries.clear()
        self._bytes = 0

    def _make_room(self, size: int) -> None:
        self._bytes += size + ENTRY_BYTES
        if self._bytes > self._bytes_max:
            self.clear()
            self._bytes = size + ENTRY_BYTES
