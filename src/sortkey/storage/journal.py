"""The ordered record of changes. Streams read it forwards, point-in-time recovery backwards.

Sequence numbers increase by one and are never reused, not even after the oldest entries were
trimmed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sortkey.storage.database import Database

USER, TTL = 0, 1
"""Who changed the item: a request, or expiry."""


class Entry(NamedTuple):
    seq: int
    at_ms: int
    key: bytes
    old: bytes | None
    new: bytes | None
    actor: int


class Journal:
    def __init__(self, database: Database) -> None:
        self._db = database
        self._last = self._stored_last()
        self._last_ms = self._stored_last_ms()

    @property
    def last(self) -> int:
        """The newest sequence number."""
        return self._last

    def append(
        self,
        table: int,
        at_ms: int,
        key: bytes,
        old: bytes | None,
        new: bytes | None,
        actor: int = USER,
    ) -> int:
        """Record a change. If the clock was set back, time stands still here: entries stay in the
        order of their instants.
        """
        self._last += 1
        self._last_ms = at_ms = max(at_ms, self._last_ms)
        self._db.execute(
            "insert into journal(seq, tbl, at_ms, key, old, new, actor) values(?, ?, ?, ?, ?, ?, "
            "?)",
            (self._last, table, at_ms, key, old, new, actor),
        )
        return self._last

    def read(
        self, table: int, after: int, up_to: int | None = None, limit: int = 1000
    ) -> list[Entry]:
        """Entries of a table with after < seq <= up_to, oldest first."""
        rows = self._db.execute(
            "select seq, at_ms, key, old, new, actor from journal "
            "where tbl = ? and seq > ? and seq <= ? order by seq limit ?",
            (table, after, self._last if up_to is None else up_to, limit),
        )
        return [Entry(*row) for row in rows]

    def newest(self, after: int, limit: int, table: int | None = None) -> list[tuple[int, Entry]]:
        """The latest entries of one table, or of all, with seq > after, newest first, each with its
        table's number.
        """
        of_table, numbers = ("", ()) if table is None else ("tbl = ? and ", (table,))
        rows = self._db.execute(
            f"select tbl, seq, at_ms, key, old, new, actor from journal where {of_table}seq > ? "
            "order by seq desc limit ?",
            (*numbers, after, limit),
        )
        return [(table, Entry(*row)) for table, *row in rows]

    def walk_back(self, table: int, after: int, below: int) -> Iterator[Entry]:
        """Entries of a table with after < seq < below, newest first: what to undo to get back to
        `after`.
        """
        rows = self._db.execute(
            "select seq, at_ms, key, old, new, actor from journal where tbl = ? and seq > ? and "
            "seq < ? "
            "order by seq desc",
            (table, after, below),
        )
        return (Entry(*row) for row in rows)

    def at(self, table: int, at_ms: int) -> int:
        """The sequence number that separates a table's entries up to an instant from later ones.

        A binary search: entries are in the order of their instants, and there may be millions.
        """
        low, high = 0, self._last
        while low < high:
            middle = (low + high) // 2
            next_ms = self._next_ms(table, middle)
            if next_ms is None or next_ms > at_ms:
                high = middle
            else:
                low = middle + 1
        return low

    def tables(self) -> list[int]:
        """The tables that have entries, without reading the entries."""
        return [
            number
            for (number,) in self._db.execute(
                "with recursive found(tbl) as (select min(tbl) from journal union all "
                "select (select min(tbl) from journal where tbl > found.tbl) from found where "
                "found.tbl is not null) "
                "select tbl from found where tbl is not null"
            )
        ]

    def first(self, table: int) -> Entry | None:
        """The oldest remaining entry."""
        row = self._db.execute(
            "select seq, at_ms, key, old, new, actor from journal where tbl = ? order by seq limit "
            "1",
            (table,),
        ).fetchone()
        return Entry(*row) if row else None

    def trim(self, table: int, before_ms: int, up_to: int | None = None, limit: int = 5000) -> int:
        """Delete a table's oldest entries, if they are older than an instant. Returns how many."""
        cut = count = 0
        for seq, at_ms in self._db.execute(
            "select seq, at_ms from journal where tbl = ? and seq <= ? order by seq limit ?",
            (table, self._last if up_to is None else up_to, limit),
        ):
            if at_ms >= before_ms:
                break  # not a filter: later entries need not be checked
            cut, count = seq, count + 1
        if count:
            self._db.begin()
            self._db.execute("delete from journal where tbl = ? and seq <= ?", (table, cut))
            self._remember_last()
        return count

    def reserve(self) -> int:
        """A sequence number without an entry: a mark between the entries before it and those after
        it.
        """
        self._db.begin()
        self._last += 1
        self._remember_last()
        return self._last

    def forget(self, table: int) -> None:
        """Drop all entries of a table."""
        self._db.execute("delete from journal where tbl = ?", (table,))
        self._remember_last()

    def reload(self) -> None:
        """After a rollback: its sequence numbers are free again."""
        self._last = self._stored_last()
        self._last_ms = self._stored_last_ms()

    def _next_ms(self, table: int, after: int) -> int | None:
        row = self._db.execute(
            "select at_ms from journal where tbl = ? and seq > ? order by seq limit 1",
            (table, after),
        ).fetchone()
        return row[0] if row else None

    def _remember_last(self) -> None:
        self._db.execute(
            "insert or replace into meta(name, value) values('journal_last', ?)", (self._last,)
        )

    def _stored_last(self) -> int:
        newest = self._db.execute("select coalesce(max(seq), 0) from journal").fetchone()[0]
        row = self._db.execute("select value from meta where name = 'journal_last'").fetchone()
        return max(newest, row[0] if row else 0)

    def _stored_last_ms(self) -> int:
        row = self._db.execute("select at_ms from journal order by seq desc limit 1").fetchone()
        return row[0] if row else 0
