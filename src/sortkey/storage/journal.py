"""The ordered record of changes. Streams read it forwards, point-in-time recovery backwards.

Sequence numbers rise by one and are never used twice, also not after the oldest entries were trimmed.
"""

from __future__ import annotations

from typing import NamedTuple

from sortkey.storage.database import Database

USER, TTL = 0, 1
"""Who changed the item: a request, or the service's own expiry."""


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

    @property
    def last(self) -> int:
        """The newest sequence number given out."""
        return self._last

    def append(
        self, table: int, at_ms: int, key: bytes, old: bytes | None, new: bytes | None, actor: int = USER
    ) -> int:
        self._last += 1
        self._db.execute(
            "insert into journal(seq, tbl, at_ms, key, old, new, actor) values(?, ?, ?, ?, ?, ?, ?)",
            (self._last, table, at_ms, key, old, new, actor),
        )
        return self._last

    def read(self, table: int, after: int, up_to: int | None = None, limit: int = 1000) -> list[Entry]:
        """Entries of a table with after < seq <= up_to, oldest first."""
        rows = self._db.execute(
            "select seq, at_ms, key, old, new, actor from journal "
            "where tbl = ? and seq > ? and seq <= ? order by seq limit ?",
            (table, after, self._last if up_to is None else up_to, limit),
        )
        return [Entry(*row) for row in rows]

    def read_back(self, table: int, from_ms: int, below: int | None = None, limit: int = 1000) -> list[Entry]:
        """Entries of a table made after an instant, newest first: what to undo to get back there."""
        rows = self._db.execute(
            "select seq, at_ms, key, old, new, actor from journal "
            "where tbl = ? and seq < ? and at_ms > ? order by seq desc limit ?",
            (table, self._last + 1 if below is None else below, from_ms, limit),
        )
        return [Entry(*row) for row in rows]

    def first(self, table: int) -> Entry | None:
        """The oldest entry that is still there."""
        row = self._db.execute(
            "select seq, at_ms, key, old, new, actor from journal where tbl = ? order by seq limit 1", (table,)
        ).fetchone()
        return Entry(*row) if row else None

    def trim(self, table: int, before_ms: int, limit: int = 5000) -> int:
        """Forget a table's entries older than an instant; says how many. Called in slices."""
        rows = self._db.execute(
            "delete from journal where seq in "
            "(select seq from journal where tbl = ? and at_ms < ? order by seq limit ?) returning seq",
            (table, before_ms, limit),
        ).fetchall()
        if rows:
            self._remember_last()
        return len(rows)

    def forget(self, table: int) -> None:
        """Drop all entries of a table."""
        self._db.execute("delete from journal where tbl = ?", (table,))
        self._remember_last()

    def reload(self) -> None:
        """After a rollback: the numbers given out in it are free again."""
        self._last = self._stored_last()

    def _remember_last(self) -> None:
        self._db.execute("insert or replace into meta(name, value) values('journal_last', ?)", (self._last,))

    def _stored_last(self) -> int:
        newest = self._db.execute("select coalesce(max(seq), 0) from journal").fetchone()[0]
        kept = self._db.execute("select value from meta where name = 'journal_last'").fetchone()
        return max(newest, kept[0] if kept else 0)
