"""Where documents go: a SQLite file with a table for each resource, or a folder of JSON Lines.

Writing is idempotent: a document is known by its id and by the row it comes from. The same row
again changes nothing; another row with the same id is a duplicate, recorded and not written. A
folder has such a file too, until it is done.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from sortkey_systems.jobengine.stages.data_migration.documents import Built, Document, Finding
from sortkey_systems.jobengine.tmf import resources

WORKING_FILE = ".migration.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS _about (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS _findings (origin TEXT, path TEXT, resource TEXT, source TEXT, reason TEXT, value TEXT,
  PRIMARY KEY (origin, path));
"""


@dataclass(slots=True)
class Counts:
    """Counts for one table: documents written, rows refused, duplicate ids, and bad values."""

    written: int = 0
    refused: int = 0
    duplicates: int = 0
    bad_values: int = 0


def is_folder(address: str | Path) -> bool:
    """Whether a target is a folder of JSON Lines. Otherwise it is a SQLite file."""
    return Path(address).suffix.lower() not in (".sqlite", ".sqlite3", ".db")


def working_file(address: str | Path) -> Path:
    """The SQLite file of a target."""
    return Path(address) / WORKING_FILE if is_folder(address) else Path(address)


class Target:
    """An open target. Each batch is written in one transaction."""

    def __init__(self, address: str | Path) -> None:
        self.path, self.is_folder = Path(address), is_folder(address)
        if self.is_folder:
            self.path.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(
            working_file(address), isolation_level=None, check_same_thread=False
        )
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.executescript(_SCHEMA)
        self._made = {
            name
            for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }

    def __enter__(self) -> Target:
        return self

    def __exit__(self, *exc: object) -> None:
        self._db.close()

    # -- writing

    def begin(self, fingerprint: str) -> bool:
        """Bind the target to a plan. Documents of another plan of the same journey are removed.
        Returns whether there was another plan.
        """
        before = self.about("plan")
        is_other = before is not None and before != fingerprint
        if is_other:
            self.clear()
        self.say("plan", fingerprint)
        return is_other

    def clear(self) -> None:
        """Remove all documents and findings. The owner stays recorded."""
        for name in self.resources():
            self._db.execute(f'DELETE FROM "{name}"')
        self._db.execute("DELETE FROM _findings")
        self._db.execute("DELETE FROM _about WHERE name <> 'journey'")

    def write(self, resource: str, table: str, batch: list[Built]) -> None:
        """Write a batch atomically."""
        self._make(resource)
        self._db.execute("BEGIN IMMEDIATE")
        try:
            for built in batch:
                findings = list(built.findings)
                if built.document is not None and not self._put(resource, table, built):
                    findings.append(
                        Finding(
                            built.origin, "", f"duplicate: {built.id} was written from another row"
                        )
                    )
                self._db.executemany(
                    "INSERT OR REPLACE INTO _findings VALUES (?, ?, ?, ?, ?, ?)",
                    [
                        (
                            finding.origin,
                            finding.path,
                            resource,
                            table,
                            finding.reason,
                            finding.value,
                        )
                        for finding in findings
                    ],
                )
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # on a full disk SQLite has rolled back itself
                self._db.execute("ROLLBACK")
            raise

    def _put(self, resource: str, table: str, built: Built) -> bool:
        before = self._db.execute(
            f'SELECT origin FROM "{resource}" WHERE id = ?', (built.id,)
        ).fetchone()
        if before is not None and before[0] != built.origin:
            return False
        document = orjson.dumps(built.document).decode()
        values = (built.id, built.origin, table, document)
        self._db.execute(f'INSERT OR REPLACE INTO "{resource}" VALUES (?, ?, ?, ?)', values)
        return True

    def roll_back(self, resource: str, table: str) -> int:
        """Remove the documents of one table. Returns how many there were."""
        if resource not in self.resources():
            return 0
        removed = self._db.execute(f'DELETE FROM "{resource}" WHERE source = ?', (table,)).rowcount
        self._db.execute("DELETE FROM _findings WHERE source = ?", (table,))
        return removed

    def say(self, name: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO _about VALUES (?, ?)", (name, value))

    def export(self) -> list[str]:
        """Write one file per resource to a folder, each atomically. Returns their names."""
        if not self.is_folder:
            return []
        paths: list[str] = []
        for name in self.resources():
            part = self.path / f".{name}.jsonl.part"
            with part.open("wb") as file:
                for _, document in self.documents(name):
                    file.write(orjson.dumps(document) + b"\n")
            part.replace(self.path / f"{name}.jsonl")
            paths.append(f"{name}.jsonl")
        return paths

    # -- reading

    def about(self, name: str) -> str | None:
        row = self._db.execute("SELECT value FROM _about WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def resources(self) -> list[str]:
        """The resources that have a table."""
        return [name for name in resources() if name in self._made]

    def documents(self, resource: str) -> Iterator[tuple[str, Document]]:
        """All documents of a resource with their origin, ordered by id. Streamed, never all in
        memory.
        """
        if resource in self._made:
            for origin, text in self._db.execute(
                f'SELECT origin, document FROM "{resource}" ORDER BY id'
            ):
                yield origin, orjson.loads(text)

    def document_of(self, resource: str, origin: str) -> Document | None:
        row = self._db.execute(
            f'SELECT document FROM "{resource}" WHERE origin = ?', (origin,)
        ).fetchone()
        return orjson.loads(row[0]) if row else None

    def has(self, resource: str, document_id: str) -> bool:
        if resource not in self._made:
            return False
        return (
            self._db.execute(f'SELECT 1 FROM "{resource}" WHERE id = ?', (document_id,)).fetchone()
            is not None
        )

    def findings(self) -> Iterator[tuple[str, Finding]]:
        """Findings with their table. Refused rows come first."""
        rows = self._db.execute(
            "SELECT source, origin, path, reason, value FROM _findings ORDER BY path <> '', "
            "source, origin"
        )
        for source, *rest in rows:
            yield source, Finding(*rest)

    def document(self, resource: str, document_id: str) -> Document | None:
        """The document with an id."""
        if resource not in self._made:
            return None
        row = self._db.execute(
            f'SELECT document FROM "{resource}" WHERE id = ?', (document_id,)
        ).fetchone()
        return orjson.loads(row[0]) if row else None

    def findings_of_documents(self, table: str) -> dict[str, int]:
        """How many values of a table's documents were not converted, by path."""
        query = (
            "SELECT path, COUNT(*) FROM _findings f WHERE source = ? AND path <> ''"
            " AND NOT EXISTS (SELECT 1 FROM _findings r WHERE r.origin = f.origin AND r.path = '') "
            "GROUP BY path"
        )
        return dict(self._db.execute(query, (table,)).fetchall())

    def losses(self) -> Iterator[tuple[str, Finding]]:
        """Refused rows and values that were not converted, with their tables."""
        rows = self._db.execute(
            "SELECT source, origin, path, reason, value FROM _findings f WHERE path = '' OR NOT "
            "EXISTS"
            " (SELECT 1 FROM _findings r WHERE r.origin = f.origin AND r.path = '') ORDER BY "
            "source, origin"
        )
        for source, *rest in rows:
            yield source, Finding(*rest)

    def is_refused(self, origin: str) -> bool:
        row = self._db.execute(
            "SELECT 1 FROM _findings WHERE origin = ? AND path = ''", (origin,)
        ).fetchone()
        return row is not None

    def counts(self, resource: str, table: str) -> Counts:
        """The counts of a table, read from the target rather than tracked during writing."""
        written = 0
        if resource in self._made:
            written = _one(self._db, f'SELECT COUNT(*) FROM "{resource}" WHERE source = ?', table)
        rows = "SELECT COUNT(*) FROM _findings WHERE source = ? AND path = '' AND reason "
        return Counts(
            written,
            _one(self._db, rows + "NOT LIKE 'duplicate%'", table),
            _one(self._db, rows + "LIKE 'duplicate%'", table),
            _one(self._db, "SELECT COUNT(*) FROM _findings WHERE source = ? AND path <> ''", table),
        )

    def _make(self, resource: str) -> None:
        if resource not in resources():
            raise ValueError(f"{resource!r} is not a TMF resource")
        if resource not in self._made:
            self._db.execute(
                f'CREATE TABLE "{resource}" (id TEXT PRIMARY KEY, origin TEXT NOT NULL UNIQUE, '
                "source TEXT NOT NULL,"
                " document TEXT NOT NULL)"
            )
            self._made.add(resource)


def _one(db: sqlite3.Connection, query: str, *values: Any) -> int:
    return db.execute(query, values).fetchone()[0]
