"""The index of a folder of objects: one SQLite database that several processes share. All SQL of
objects is here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from sortkey.connect.files.rows import PartRow, UploadRow, Version
from sortkey.errors import ObjectNotFound
from sortkey.runtime.objects import refuse_existing, refuse_other
from sortkey.storage.failures import named_failures

BUSY_MS = 60_000
"""Transactions are short: waiting this long means that another process hangs."""

HIGHEST = "\U0010ffff"
"""Sorts after everything that can follow a prefix."""

SCHEMA = """
create table if not exists version(
    seq integer primary key autoincrement,
    key text not null,
    id text not null unique,
    marker integer not null,
    size integer not null,
    sha256 text not null,
    type text not null,
    encoding text,
    metadata text not null,
    modified_ms integer not null,
    tier text not null
);
create index if not exists version_key on version(key, seq);
create table if not exists upload(
    id text primary key, key text not null, type text not null, encoding text, metadata text not null,
    begun_ms integer not null
) without rowid;
create table if not exists part(
    upload text not null, number integer not null, file text not null unique, size integer not null,
    sha256 text not null, primary key(upload, number)
) without rowid;
create table if not exists garbage(file text primary key) without rowid;
create table if not exists setting(name text primary key, value text not null) without rowid;
"""
_VERSION = "key, id, marker, size, sha256, type, encoding, metadata, modified_ms, tier"
_LATEST = "seq = (select max(seq) from version as newer where newer.key = version.key)"


class Index:
    """The one connection of this process. Threads take turns, and processes wait for each other's
    transactions.
    """

    def __init__(self, path: Path) -> None:
        self._lock, self._folder = threading.RLock(), path.parent
        self._connection: Any = apsw.Connection(str(path))
        self._connection.set_busy_timeout(BUSY_MS)
        # FULL: an object must be on the disk before an item that points to it can be.
        self._switch_to_wal()
        self._rows("pragma synchronous=full")
        with self.transaction():
            self._connection.execute(SCHEMA)

    def _switch_to_wal(self) -> None:
        """Wait for others that open the file at the same moment, which SQLite does not do here."""
        deadline = time.monotonic() + BUSY_MS / 1000
        while True:
            try:
                self._rows("pragma journal_mode=wal")
                return
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    @contextmanager
    def transaction(self) -> Generator[None]:
        with self._lock, named_failures(self._folder):
            self._connection.execute("begin immediate")
            try:
                yield
                self._connection.execute("commit")
            except BaseException:
                # On a full disk SQLite may have rolled back by itself.
                if self._connection.in_transaction:
                    self._connection.execute("rollback")
                raise

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    # -- versions

    def add(
        self, version: Version, *, if_absent: bool = False, if_match: str | None = None
    ) -> None:
        """Make a version the newest of its key, if the conditions hold. Raises
        PreconditionFailed.
        """
        with self.transaction():
            self.check(version.key, if_absent=if_absent, if_match=if_match)
            self._insert(version)

    def check(self, key: str, *, if_absent: bool, if_match: str | None) -> None:
        if not if_absent and if_match is None:
            return
        latest = self.latest(key)
        is_there = latest is not None and not latest.is_marker
        if if_absent and is_there:
            raise refuse_existing(key)
        if if_match is not None and (latest is None or not is_there or latest.etag != if_match):
            raise refuse_other(key, if_match)

    def mark_deleted(self, marker: Version, *, only: str | None = None) -> bool:
        """Add a delete marker as the newest version; with `only`, if that version is still the
        newest.
        """
        with self.transaction():
            latest = self.latest(marker.key)
            if latest is None or latest.is_marker or (only is not None and latest.id != only):
                return False
            self._insert(marker)
            return True

    def remove(self, key: str, id: str) -> list[str]:
        """Remove a version. Returns the files that are garbage now."""
        with self.transaction():
            rows = self._rows(
                "delete from version where key = ? and id = ? returning id, marker", key, id
            )
            return self._discard([file for file, marker in rows if not marker])

    def latest(self, key: str) -> Version | None:
        return self._version("where key = ? order by seq desc limit 1", key)

    def get(self, key: str, id: str | None) -> Version:
        """A version by its id, or the newest. Raises ObjectNotFound, also for a delete marker."""
        version = (
            self.latest(key) if id is None else self._version("where id = ? and key = ?", id, key)
        )
        if version is None or version.is_marker:
            which = "" if id is None else f" in the version {id}"
            raise ObjectNotFound(f"there is no object {key}{which}")
        return version

    def page(self, prefix: str, after: str | None, limit: int) -> list[Version]:
        """The newest versions of keys, in the order of keys, without those that are deleted."""
        where = (
            f"where key >= ? and key < ? and key > ? and not marker and {_LATEST} order by key "
            "limit ?"
        )
        return self._versions(where, prefix, prefix + HIGHEST, after or "", limit)

    def history(
        self, prefix: str, after: tuple[str, int], limit: int
    ) -> list[tuple[int, bool, Version]]:
        """(sequence, is latest, version) by key, newest first, after a key and sequence."""
        key, seq = after
        where = (
            "where key >= ? and key < ? and (key > ? or (key = ? and seq < ?)) order by key, seq "
            "desc limit ?"
        )
        rows = self._rows(
            f"select seq, {_LATEST}, {_VERSION} from version {where}",
            prefix,
            prefix + HIGHEST,
            key,
            key,
            seq,
            limit,
        )
        return [(row[0], bool(row[1]), _version(row[2:])) for row in rows]

    def since(self, seq: int, limit: int) -> list[tuple[int, bool, Version]]:
        """(sequence, is latest, version) in the order in which they were added, after a
        sequence.
        """
        where = "where seq > ? order by seq limit ?"
        rows = self._rows(f"select seq, {_LATEST}, {_VERSION} from version {where}", seq, limit)
        return [(row[0], bool(row[1]), _version(row[2:])) for row in rows]

    def knows(self, file: str) -> bool:
        """Whether a file belongs to a version or a part."""
        query = (
            "select exists(select 1 from version where id = ?) or exists(select 1 from part where "
            "file = ?)"
        )
        return bool(self._rows(query, file, file)[0][0])

    # -- uploads

    def begin(self, upload: UploadRow) -> None:
        row = (
            upload.id,
            upload.key,
            upload.content_type,
            upload.content_encoding,
            upload.metadata,
            upload.begun_ms,
        )
        with self.transaction():
            self._rows("insert into upload values (?, ?, ?, ?, ?, ?)", *row)

    def upload(self, id: str, key: str) -> UploadRow:
        rows = self._rows(
            "select id, key, type, encoding, metadata, begun_ms from upload where id = ? and key = "
            "?",
            id,
            key,
        )
        if not rows:
            raise ObjectNotFound(
                f"there is no upload {id} of {key}: it was completed, aborted, or never begun"
            )
        return UploadRow(*rows[0])

    def uploads(self, prefix: str) -> list[UploadRow]:
        where = "where key >= ? and key < ? order by key, begun_ms"
        rows = self._rows(
            f"select id, key, type, encoding, metadata, begun_ms from upload {where}",
            prefix,
            prefix + HIGHEST,
        )
        return [UploadRow(*row) for row in rows]

    def add_part(self, key: str, part: PartRow) -> list[str]:
        """Record a part. Returns the file of the part that it replaces."""
        with self.transaction():
            self.upload(part.upload, key)
            where = "where upload = ? and number = ?"
            old = self._rows(f"delete from part {where} returning file", part.upload, part.number)
            row = (part.upload, part.number, part.file, part.size, part.sha256)
            self._rows("insert into part values (?, ?, ?, ?, ?)", *row)
            return self._discard([file for (file,) in old])

    def parts(self, upload: str) -> dict[int, PartRow]:
        rows = self._rows(
            "select upload, number, file, size, sha256 from part where upload = ?", upload
        )
        return {row[1]: PartRow(*row) for row in rows}

    def complete(
        self, upload: UploadRow, version: Version, *, if_absent: bool, if_match: str | None
    ) -> list[str]:
        """Turn an upload into a version, once. Returns the files of its parts."""
        with self.transaction():
            self.upload(upload.id, upload.key)
            self.check(version.key, if_absent=if_absent, if_match=if_match)
            self._insert(version)
            return self._end_upload(upload.id)

    def abort(self, upload: str) -> list[str]:
        with self.transaction():
            return self._end_upload(upload)

    def _end_upload(self, upload: str) -> list[str]:
        self._rows("delete from upload where id = ?", upload)
        return self._discard(
            [
                file
                for (file,) in self._rows(
                    "delete from part where upload = ? returning file", upload
                )
            ]
        )

    # -- the lifecycle

    def due_for_expiry(self, prefix: str, before_ms: int) -> list[Version]:
        where = (
            f"where key >= ? and key < ? and modified_ms <= ? and not marker and {_LATEST} order "
            "by key"
        )
        return self._versions(where, prefix, prefix + HIGHEST, before_ms)

    def due_for_removal(self, prefix: str, before_ms: int) -> list[Version]:
        """Versions that were replaced long enough ago, and markers that no longer hide anything."""
        newer = (
            "select min(newer.seq) from version as newer where newer.key = version.key and "
            "newer.seq > version.seq"
        )
        hidden = f"(select modified_ms from version as next where next.seq = ({newer})) <= ?"
        alone = (
            "marker and modified_ms <= ? and (select count(*) from version as other where "
            "other.key = version.key) = 1"
        )
        where = f"where key >= ? and key < ? and ({hidden} or ({alone})) order by key, seq"
        return self._versions(where, prefix, prefix + HIGHEST, before_ms, before_ms)

    def archive(self, prefix: str, before_ms: int) -> list[str]:
        """Record the tier of objects that are old enough. Returns their keys."""
        with self.transaction():
            where = (
                "where key >= ? and key < ? and modified_ms <= ? and not marker and tier = "
                "'standard'"
            )
            rows = self._rows(
                f"update version set tier = 'archive' {where} returning key",
                prefix,
                prefix + HIGHEST,
                before_ms,
            )
        return sorted(key for (key,) in rows)

    # -- garbage: files without a row that are perhaps not removed yet

    def garbage(self) -> list[str]:
        return [file for (file,) in self._rows("select file from garbage")]

    def forget(self, files: Sequence[str]) -> None:
        """Forget garbage files that were removed."""
        if files:
            with self.transaction():
                self._connection.executemany(
                    "delete from garbage where file = ?", [(file,) for file in files]
                )

    def _discard(self, files: list[str]) -> list[str]:
        self._connection.executemany(
            "insert or ignore into garbage values (?)", [(file,) for file in files]
        )
        return files

    # -- settings

    def setting(self, name: str) -> str | None:
        rows = self._rows("select value from setting where name = ?", name)
        return rows[0][0] if rows else None

    def set(self, name: str, value: str) -> None:
        with self.transaction():
            self._rows("insert or replace into setting values (?, ?)", name, value)

    # -- rows

    def _insert(self, version: Version) -> None:
        row = (
            version.key,
            version.id,
            version.is_marker,
            version.size,
            version.sha256,
            version.content_type,
            version.content_encoding,
            version.metadata,
            version.modified_ms,
            version.tier,
        )
        self._rows(f"insert into version({_VERSION}) values ({', '.join('?' * len(row))})", *row)

    def _version(self, where: str, *values: Any) -> Version | None:
        versions = self._versions(where, *values)
        return versions[0] if versions else None

    def _versions(self, where: str, *values: Any) -> list[Version]:
        return [
            _version(row) for row in self._rows(f"select {_VERSION} from version {where}", *values)
        ]

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()


def _version(row: Sequence[Any]) -> Version:
    key, id, marker, *rest = row
    return Version(key, id, bool(marker), *rest)
