"""The rows of one table: an encoded key, the item's bytes and size, when it expires, and a column
for each index key.

Index keys are columns of the row with a partial SQL index on (column, key), so an index can never
disagree with its item. Bounds are byte strings: lower inclusive, upper exclusive, None for open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sortkey.storage.database import Database
from sortkey.values.keys import partition_of

Row = tuple[bytes, bytes, int]
IndexRow = tuple[bytes, bytes, bytes, int]


class Rows:
    """Reads and writes one table's rows. `columns` are the live index columns, in the order of
    their values.
    """

    def __init__(self, database: Database, number: int, columns: Sequence[str]) -> None:
        self._db = database
        self._execute = database.execute
        self.name = f"t{number}"
        self._hot = database.hot.of(self.name)
        self._keep_hot = database.hot.keep
        self._pages = database.hot.pages_of(self.name)
        self.columns = tuple(columns)
        self._sql_get = f"select item, size from {self.name} where key = ?"
        self._sql_delete = f"delete from {self.name} where key = ?"
        names = ("key", "item", "size", "expires", *self.columns)
        self._sql_put = (
            f"insert into {self.name}({', '.join(names)}) values({', '.join('?' * len(names))}) "
            f"on conflict(key) do update set {', '.join(f'{n} = excluded.{n}' for n in names[1:])}"
        )
        self._sql_replace = f"update {self.name} set item = ?, size = ?, expires = ? where key = ?"

    # -- the table itself

    def create(self) -> None:
        """Create the table, with its index columns."""
        columns = "".join(f", {column} blob" for column in self.columns)
        self._execute(
            f"create table {self.name}(id integer primary key, key blob not null, item blob not "
            "null, "
            f"size integer not null, expires integer{columns})"
        )
        self._execute(f"create unique index {self.name}_key on {self.name}(key)")
        for column in self.columns:
            self.create_index(column)

    def add_column(self, column: str) -> None:
        """A new index column, empty; fill it with `set_column`."""
        self._execute(f"alter table {self.name} add column {column} blob")
        self.create_index(column)

    def create_index(self, column: str) -> None:
        self._execute(
            f"create index {self.name}_{column} on {self.name}({column}, key) where {column} is "
            "not null"
        )

    def drop_index(self, column: str) -> None:
        """Drop the index. The column stays unused: dropping it would rewrite every row."""
        self._execute(f"drop index if exists {self.name}_{column}")

    def index_expiry(self) -> None:
        self._execute(
            f"create index if not exists {self.name}_expires on {self.name}(expires) where expires "
            "is not null"
        )

    def rename(self, number: int) -> Rows:
        """Move the rows to another number, in constant time. Their indexes are dropped."""
        for column in self.columns:
            self.drop_index(column)
        self._execute(f"drop index if exists {self.name}_expires")
        self._execute(f"drop table if exists {self.name}_collection")
        self._execute(f"alter table {self.name} rename to t{number}")
        self._hot.clear()
        self._pages.clear()
        return Rows(self._db, number, [])

    def drop(self) -> None:
        self._hot.clear()
        self._pages.clear()
        self._execute(f"drop table if exists {self.name}")
        self._execute(f"drop table if exists {self.name}_collection")

    # -- one row

    def get(self, key: bytes) -> tuple[bytes, int] | None:
        row = self._hot.get(key)
        if row is None:
            row = self._execute(self._sql_get, (key,)).fetchone()
            if row is not None:
                self._keep_hot(self._hot, key, row)
        return row

    def put(
        self,
        key: bytes,
        item: bytes,
        size: int,
        expires: int | None,
        index_keys: Iterable[bytes | None],
    ) -> None:
        self._execute(self._sql_put, (key, item, size, expires, *index_keys))
        if key in self._hot:
            self._keep_hot(self._hot, key, (item, size))
        if self._pages:
            self._pages.pop(partition_of(key), None)

    def replace(self, key: bytes, item: bytes, size: int, expires: int | None) -> None:
        """The same for an existing row whose index keys do not change. Indexes are untouched."""
        self._execute(self._sql_replace, (item, size, expires, key))
        if key in self._hot:
            self._keep_hot(self._hot, key, (item, size))
        if self._pages:
            self._pages.pop(partition_of(key), None)

    def delete(self, key: bytes) -> None:
        self._execute(self._sql_delete, (key,))
        self._hot.pop(key, None)
        if self._pages:
            self._pages.pop(partition_of(key), None)

    # -- finished pages

    def page(self, partition: bytes, which: Any) -> Any | None:
        """A cached page of a partition, built since the last write to it."""
        pages = self._pages.get(partition)
        return None if pages is None else pages.get(which)

    def keep_page(self, partition: bytes, which: Any, page: Any, size: int) -> None:
        self._db.hot.keep_page(self._pages, partition, which, page, size)

    # -- many rows

    def range(
        self,
        lower: bytes,
        upper: bytes | None,
        *,
        after: bytes | None = None,
        descending: bool = False,
    ) -> Iterator[Row]:
        """Rows by key. `after` is the key of the last row already seen, in the direction of the
        walk.
        """
        where, values = _bounds(
            ("key",), lower, upper, None if after is None else (after,), descending
        )
        order = "desc" if descending else "asc"
        return self._execute(
            f"select key, item, size from {self.name} where {where} order by key {order}", values
        )

    def index_range(
        self,
        column: str,
        lower: bytes,
        upper: bytes | None,
        *,
        after: tuple[bytes, bytes] | None = None,
        descending: bool = False,
    ) -> Iterator[IndexRow]:
        """Rows by (index key, key), for those that have this index key."""
        where, values = _bounds((column, "key"), lower, upper, after, descending)
        order = "desc" if descending else "asc"
        return self._execute(
            f"select {column}, key, item, size from {self.name} indexed by {self.name}_{column} "
            f"where {column} is not null and {where} order by {column} {order}, key {order}",
            values,
        )

    def items(
        self,
        lower: bytes,
        upper: bytes | None,
        *,
        column: str | None = None,
        after: tuple[bytes | None, bytes] | None = None,
        descending: bool = False,
    ) -> Iterator[tuple[bytes, int]]:
        """Items and sizes only, for a page, by key or by the index key in a column."""
        order = "desc" if descending else "asc"
        if column is None:
            where, values = _bounds(("key",), lower, upper, after and after[1:], descending)
            return self._execute(
                f"select item, size from {self.name} where {where} order by key {order}", values
            )
        where, values = _bounds((column, "key"), lower, upper, after, descending)
        return self._execute(
            f"select item, size from {self.name} indexed by {self.name}_{column} "
            f"where {column} is not null and {where} order by {column} {order}, key {order}",
            values,
        )

    def by_id(self, after: int, limit: int) -> list[tuple[int, bytes, bytes, int]]:
        """A slice by row id, with which background work walks a table without locking it."""
        return self._execute(
            f"select id, key, item, size from {self.name} where id > ? order by id limit ?",
            (after, limit),
        ).fetchall()

    def walk(self, after: int) -> Iterator[tuple[int, bytes, bytes, int]]:
        """The same as an iterator, without a limit."""
        return self._execute(
            f"select id, key, item, size from {self.name} where id > ? order by id", (after,)
        )

    def last_id(self) -> int:
        return self._execute(f"select coalesce(max(id), 0) from {self.name}").fetchone()[0]

    def set_column(self, column: str, values: Iterable[tuple[Any, int]]) -> None:
        """Fill a column by row id: an index key, or `expires`."""
        self._db.executemany(f"update {self.name} set {column} = ? where id = ?", values)

    def expired(self, from_s: int, to_s: int, limit: int) -> list[bytes]:
        """Keys of rows that expire between two instants, both included, the earliest first."""
        rows = self._execute(
            f"select key from {self.name} where expires is not null and expires between ? and ? "
            "order by expires limit ?",
            (from_s, to_s, limit),
        )
        return [key for (key,) in rows]

    # -- item collections, for tables that have local indexes

    def create_collections(self) -> None:
        self._execute(
            f"create table {self.name}_collection(part blob primary key, bytes integer) without "
            "rowid"
        )

    def collection(self, part: bytes) -> int:
        """The total bytes under one partition key."""
        row = self._execute(
            f"select bytes from {self.name}_collection where part = ?", (part,)
        ).fetchone()
        return row[0] if row else 0

    def grow_collection(self, part: bytes, by: int) -> None:
        self._execute(
            f"insert into {self.name}_collection(part, bytes) values(?1, ?2) "
            "on conflict(part) do update set bytes = bytes + ?2",
            (part, by),
        )

    # -- figures

    def totals(self) -> tuple[int, int]:
        """The number of rows, and their bytes."""
        return self._execute(f"select count(*), coalesce(sum(size), 0) from {self.name}").fetchone()

    def index_totals(self, column: str) -> tuple[int, int]:
        return self._execute(
            f"select count(*), coalesce(sum(size), 0) from {self.name} where {column} is not null"
        ).fetchone()


def _bounds(
    columns: tuple[str, ...],
    lower: bytes,
    upper: bytes | None,
    after: tuple[Any, ...] | None,
    descending: bool,
) -> tuple[str, tuple[Any, ...]]:
    """The terms for a walk over (columns), bounded in the first of them.

    One term per side: of two terms SQLite uses only one to find its start, and scans all rows that
    the other one excludes.
    """
    low, high = f"{columns[0]} >= ?", "" if upper is None else f"{columns[0]} < ?"
    lows: tuple[Any, ...] = (lower,)
    highs: tuple[Any, ...] = () if upper is None else (upper,)
    if after is not None:
        place, marks = ", ".join(columns), ", ".join("?" * len(columns))
        if descending and (upper is None or after[0] < upper):
            high, highs = f"({place}) < ({marks})", after
        elif not descending and after[0] >= lower:
            low, lows = f"({place}) > ({marks})", after
    return f"{low} and {high}" if high else low, lows + highs
