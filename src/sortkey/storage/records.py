"""Small named documents: table definitions, streams, backups, idempotency tokens. JSON by kind and
id.
"""

from __future__ import annotations

from typing import Any

import orjson

from sortkey.storage.database import Database


class Records:
    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, kind: str, id: str) -> Any | None:
        row = self._db.execute(
            "select body from record where kind = ? and id = ?", (kind, id)
        ).fetchone()
        return orjson.loads(row[0]) if row else None

    def put(self, kind: str, id: str, body: Any) -> None:
        self._db.execute(
            "insert or replace into record(kind, id, body) values(?, ?, ?)",
            (kind, id, orjson.dumps(body)),
        )

    def delete(self, kind: str, id: str) -> None:
        self._db.execute("delete from record where kind = ? and id = ?", (kind, id))

    def all(self, kind: str) -> list[tuple[str, Any]]:
        """Every record of a kind, in the order of their ids."""
        rows = self._db.execute("select id, body from record where kind = ? order by id", (kind,))
        return [(id, orjson.loads(body)) for id, body in rows]

    def delete_kinds(self, first: str, before: str, limit: int) -> int:
        """Delete some records whose kind is in a half-open range. Returns how many."""
        self._db.execute(
            "delete from record where (kind, id) in "
            "(select kind, id from record where kind >= ? and kind < ? order by kind, id limit ?)",
            (first, before, limit),
        )
        return self._db.execute("select changes()").fetchone()[0]

    def next_number(self, name: str) -> int:
        """The next number of the counter with this name. Numbers are never reused."""
        row = self._db.execute(
            "insert into meta(name, value) values(?, 1) on conflict(name) do update set value = "
            "value + 1 "
            "returning value",
            (name,),
        ).fetchone()
        return row[0]
