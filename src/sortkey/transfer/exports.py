"""Tables into a folder: a file of JSON Lines for each, and `export.json`, which describes the
tables.
"""

from __future__ import annotations

import gzip as compression
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from sortkey.errors import TransferRefused
from sortkey.runtime.backend import Backend
from sortkey.runtime.store import Store
from sortkey.transfer.progress import OnProgress, Tracker, no_progress
from sortkey.transfer.table_files import Export, ExportedTable, Format, line_of, read_export
from sortkey.transfer.tables import all_tables, definition_of, describe, has_recovery, ttl_of

SAVE_SECONDS = 1.0


def export_tables(
    store: Store,
    folder: str | os.PathLike[str],
    tables: Sequence[str] = (),
    *,
    format: Format = "dynamodb",
    gzip: bool = False,
    on_progress: OnProgress = no_progress,
) -> Export:
    """Export tables, all of them by default, into a new folder, and return the export.

    `format` is DynamoDB JSON, which keeps every type, or plain JSON for people and other programs.
    An export that was interrupted continues. Tables that change meanwhile are exported as they are
    read; a backup keeps one moment.
    """
    export = _begin(store.backend, Path(folder), list(tables), format, gzip)
    for table in export.tables:
        if not table.is_done:
            _export(store.backend, export, table, on_progress)
    return export


def _begin(backend: Backend, folder: Path, tables: list[str], format: Format, gzip: bool) -> Export:
    """A new export, or the one in the folder that was interrupted."""
    names = tables or all_tables(backend)
    known = read_export(folder)
    if known is not None:
        if known.is_done:
            raise TransferRefused(
                f"{folder} already holds an export: choose another folder, or remove it"
            )
        if ([table.name for table in known.tables], known.format, known.gzip) != (
            names,
            format,
            gzip,
        ):
            raise TransferRefused(
                f"{folder} holds the beginning of another export: choose another folder"
            )
        return known
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TransferRefused(f"{folder} is not empty: choose another folder")
    described = [_described(backend, name, gzip) for name in names]
    folder.mkdir(parents=True, exist_ok=True)
    export = Export(folder, format, gzip, described)
    export.save()
    return export


def _described(backend: Backend, name: str, gzip: bool) -> ExportedTable:
    described = describe(backend, name)
    if described is None:
        raise TransferRefused(f"there is no table {name}")
    file = f"{name}.jsonl{'.gz' if gzip else ''}"
    return ExportedTable(
        name, file, definition_of(described), ttl_of(backend, name), has_recovery(backend, name)
    )


def _export(
    backend: Backend, export: Export, table: ExportedTable, on_progress: OnProgress
) -> None:
    total = (describe(backend, table.name) or {}).get("ItemCount")
    with open(export.folder / table.file, "ab") as file:
        file.truncate(table.bytes)  # what came after the last note in export.json comes again
        tracker = Tracker(on_progress, table.name, total)
        tracker.advance(table.items)
        saved = time.monotonic()
        for page, next_key in _pages(backend, table):
            content = b"".join(line_of(item, export.format) for item in page)
            packed = (
                compression.compress(content, 6, mtime=0) if export.gzip and content else content
            )
            table.bytes += file.write(packed)
            table.items, table.next = table.items + len(page), next_key
            tracker.advance(len(page))
            if time.monotonic() - saved > SAVE_SECONDS:
                _save(export, file)
                saved = time.monotonic()
        table.is_done = True
        _save(export, file)


def _save(export: Export, file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())  # before the note that says so
    export.save()


def _pages(
    backend: Backend, table: ExportedTable
) -> Iterator[tuple[list[dict[str, Any]], dict[str, Any] | None]]:
    request: dict[str, Any] = {"TableName": table.name}
    next_key = table.next
    while True:
        start = {} if next_key is None else {"ExclusiveStartKey": next_key}
        answer = backend.call("Scan", {**request, **start})
        next_key = answer.get("LastEvaluatedKey")
        yield answer["Items"], next_key
        if next_key is None:
            return
