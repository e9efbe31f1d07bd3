"""Tables from files: what `export_tables` wrote, and items of others, such as AWS's
exports to S3.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from sortkey.errors import TransferFailed, TransferRefused, ValidationException
from sortkey.runtime.backend import Backend
from sortkey.runtime.evolution.record_removal import forget_backfills
from sortkey.runtime.store import Store
from sortkey.transfer.batches import BATCH, in_batches, put_of, write_batch
from sortkey.transfer.import_state import ImportState
from sortkey.transfer.progress import OnProgress, Tracker, no_progress
from sortkey.transfer.table_files import Export, ExportedTable, data_files, lines_of, read_export
from sortkey.transfer.tables import definition_of, describe, key_names, key_types, make_table


@dataclass(frozen=True, slots=True)
class Source:
    """Files that go into one table."""

    table: str
    files: list[Path]
    definition: dict[str, Any]
    items: int | None


def import_tables(
    store: Store,
    path: str | os.PathLike[str],
    tables: Sequence[str] = (),
    *,
    rename: str | None = None,
    into: str | None = None,
    merge: bool = False,
    destination: str = "",
    on_progress: OnProgress = no_progress,
) -> dict[str, int]:
    """Import the tables of an export, or files of items `into` a table. Returns the number of items
    by table.

    Tables that are missing are created as they were, with indexes, TTL, stream and recovery;
    `rename` is another name for a single one. Tables that hold items are refused unless `merge` is
    set. An interrupted import continues: `destination` names the store, where the same files are
    imported into several.
    """
    source_path = Path(path)
    if not source_path.exists():
        raise TransferRefused(f"there is no file or folder {source_path}")
    sources = _sources(store.backend, source_path, tables, rename, into)
    state = ImportState(source_path, destination)
    for source in sources:
        _begin(store, source, state, merge)
    state.save()
    try:
        counts = {
            source.table: _import(store.backend, source, state, on_progress) for source in sources
        }
    except BaseException:
        state.save()
        raise
    state.forget()
    return counts


def _sources(
    backend: Backend, path: Path, tables: Sequence[str], rename: str | None, into: str | None
) -> list[Source]:
    export = read_export(path)
    if export is None:
        return [_foreign(backend, path, into)]
    if into is not None:
        raise TransferRefused(
            f"{path} is an export of Sortkey, which names its tables: rename one instead"
        )
    chosen = _chosen(export, tables)
    if rename is not None and len(chosen) != 1:
        raise TransferRefused("only a single table can be renamed: name it")
    return [_own(backend, path, table, rename or table.name) for table in chosen]


def _own(backend: Backend, path: Path, table: ExportedTable, name: str) -> Source:
    if describe(backend, name) is None:
        make_table(backend, name, table.definition, table.ttl, table.recovery)
    return Source(name, [path / table.file], table.definition, table.items)


def _chosen(export: Export, names: Sequence[str]) -> list[ExportedTable]:
    there = {table.name: table for table in export.tables}
    if unknown := [name for name in names if name not in there]:
        raise TransferRefused(f"the export has no {', '.join(unknown)}; it has: {', '.join(there)}")
    chosen = [there[name] for name in names or there]
    if unfinished := [table.name for table in chosen if not table.is_done]:
        raise TransferRefused(
            f"the export of {', '.join(unfinished)} was interrupted: finish it first"
        )
    return chosen


def _foreign(backend: Backend, path: Path, into: str | None) -> Source:
    if into is None:
        raise TransferRefused(f"{path} is not an export of Sortkey: name the table for the items")
    described = describe(backend, into)
    if described is None:
        raise TransferRefused(
            f"there is no table {into}: create it first, a model's with `sortkey apply MODEL`"
        )
    files = data_files(path)
    if not files:
        raise TransferRefused(
            f"there are no files of items in {path}: .jsonl or .json, also with .gz"
        )
    return Source(into, files, definition_of(described), None)


def _begin(store: Store, source: Source, state: ImportState, merge: bool) -> None:
    if source.table in state.items:
        return
    if not merge and store.backend.call("Scan", {"TableName": source.table, "Limit": 1})["Count"]:
        raise TransferRefused(f"{source.table} already holds items: merge to add to them")
    forget_backfills(store, source.table)
    state.items[source.table] = 0


def _import(backend: Backend, source: Source, state: ImportState, on_progress: OnProgress) -> int:
    keys, done = key_names(source.definition), state.items[source.table]
    tracker = Tracker(on_progress, source.table, source.items)
    tracker.advance(done)
    for batch in in_batches(_items(source, done), BATCH):
        # A batch must not have a key twice: the later item wins, as in single writes.
        unique = {str([item.get(name) for name in keys]): item for item in batch}
        try:
            write_batch(backend, source.table, [put_of(item) for item in unique.values()])
        except ValidationException as error:
            items = f"{done + 1:,} to {done + len(batch):,}"
            raise TransferFailed(f"one of the items {items} was refused: {error}") from None
        done += len(batch)
        tracker.advance(len(batch))
        state.note(source.table, done)
    return done


def _items(source: Source, skip: int) -> Iterator[dict[str, Any]]:
    types = key_types(source.definition)
    lines = (line for file in source.files for line in lines_of(file))
    keys = {name: types[name] for name in key_names(source.definition)}
    return (line.item(types, keys) for line in islice(lines, skip, None))
