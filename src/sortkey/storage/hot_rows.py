"""Rows that were read lately, in memory: a read of one key, and of the old item before a write, asks here first.

One dictionary for each table, shared by everyone who reads or writes it, and one bound for all. When it is reached,
everything goes: the hot rows are back after one read each, and there is no order to keep.
"""

from __future__ import annotations

BYTES_MAX = 32 * 1024 * 1024
ENTRY_BYTES = 200
"""What an entry takes besides its item: the key, the tuple, its place in the dictionary."""

Row = tuple[bytes, int]


class HotRows:
    def __init__(self, bytes_max: int = BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._tables: dict[str, dict[bytes, Row]] = {}

    def of(self, table: str) -> dict[bytes, Row]:
        return self._tables.setdefault(table, {})

    def keep(self, rows: dict[bytes, Row], key: bytes, row: Row) -> None:
        """Remember a row, new or changed, in the dictionary of its table."""
        self._bytes += len(row[0]) + ENTRY_BYTES
        if self._bytes > self._bytes_max:
            self.clear()
        rows[key] = row

    def clear(self) -> None:
        """Forget everything: after a rollback, and when there is no more room."""
        for rows in self._tables.values():
            rows.clear()
        self._bytes = 0
