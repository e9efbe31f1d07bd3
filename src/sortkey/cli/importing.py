"""`sortkey import`: what `sortkey export` wrote, and other files of items, into tables."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.batches import BATCH, in_batches, put_of, write_batch
from sortkey.cli.failure import FAILED, USAGE, CommandFailed
from sortkey.cli.options import Data, Json, check_place
from sortkey.cli.printing import print_json, progress
from sortkey.cli.table_files import Export, data_files, lines_of, read_export, write_whole
from sortkey.cli.tables import check_name, definition_of, describe, key_names, key_types, make_table

if TYPE_CHECKING:
    from sortkey.runtime.backend import Backend

EXAMPLES = """\
examples:
  sortkey import out/                       every table of an export
  sortkey import out/ Orders --as Orders-2  one of them, under another name
  sortkey import items.jsonl --into Orders  JSON Lines from elsewhere
  sortkey import AWSDynamoDB/0173…/data --into Orders
"""
SAVE_SECONDS = 1.0


@dataclass(frozen=True)
class Source:
    """Files that go into one table."""

    table: str
    files: list[Path]
    definition: dict[str, Any]
    items: int | None


def run(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Folder of an export, or a file or folder of items.")],
    tables: Annotated[list[str] | None, typer.Argument(metavar="TABLE", help="Tables of it (default: all).")] = None,
    data: Data = "data",
    new_name: Annotated[str | None, typer.Option("--as", metavar="TABLE", help="Another name for the table.")] = None,
    into: Annotated[
        str | None, typer.Option(metavar="TABLE", help="The table for items that are no export of Sortkey's.")
    ] = None,
    merge: Annotated[
        bool, typer.Option("--merge", help="Put into tables that hold items; those of the same key are replaced.")
    ] = False,
    json: Json = False,
) -> None:
    """Import tables: those that are missing are created as they were, with indexes, TTL, stream and recovery.

    Files that are no export of Sortkey's need --into and a table: JSON Lines, plain or DynamoDB JSON, also packed,
    such as AWS's exports to S3. An import that was interrupted goes on where it ended.
    """
    import sortkey
    from sortkey.runtime.evolution.forgetting import forget_backfills

    if not path.exists():
        raise CommandFailed(f"there is no file or folder {path}", USAGE)
    check_name("--as", new_name)
    check_name("--into", into)
    check_place(data, makes=True)  # a new folder is as good as one that is there
    with sortkey.open(data) as store:
        sources = _sources(store.backend, path, tables or [], new_name, into)
        state = State(path, data)
        for source in sources:
            is_begun = source.table in state.items
            _check_empty(store.backend, source.table, merge or is_begun)
            if not is_begun:
                forget_backfills(store, source.table)
            state.items.setdefault(source.table, 0)
        state.save()
        try:
            counts = {source.table: _import(store.backend, source, state) for source in sources}
        except BaseException:
            state.save()
            raise
        state.forget()
    if json:
        print_json({"tables": [{"table": name, "items": count} for name, count in counts.items()]})
        return
    for name, count in counts.items():
        print(f"{name}: {count:,} items")


def _sources(backend: Backend, path: Path, names: list[str], new_name: str | None, into: str | None) -> list[Source]:
    export = read_export(path)
    if export is None:
        return [_foreign(backend, path, into)]
    if into is not None:
        raise CommandFailed("this is an export of Sortkey's: --as gives a table another name", USAGE)
    chosen = _chosen(export, names)
    if new_name is not None and len(chosen) != 1:
        raise CommandFailed("--as is for one table: name it", USAGE)
    sources: list[Source] = []
    for table in chosen:
        name = new_name or table.name
        if describe(backend, name) is None:
            make_table(backend, name, table.definition, table.ttl, table.recovery)
        sources.append(Source(name, [path / table.file], table.definition, table.items))
    return sources


def _chosen(export: Export, names: list[str]) -> list[Any]:
    there = {table.name: table for table in export.tables}
    if unknown := [name for name in names if name not in there]:
        raise CommandFailed(f"the export has no {', '.join(unknown)}; it has: {', '.join(there)}", USAGE)
    chosen = [there[name] for name in names or there]
    if unfinished := [table.name for table in chosen if not table.is_done]:
        raise CommandFailed(f"the export of {', '.join(unfinished)} was interrupted: finish it first", USAGE)
    return chosen


def _foreign(backend: Backend, path: Path, into: str | None) -> Source:
    files = data_files(path)
    if into is None:
        raise CommandFailed(f"{path} is no export of Sortkey's: say with --into which table the items are for", USAGE)
    described = describe(backend, into)
    if described is None:
        raise CommandFailed(f"there is no table {into}: make it first; a model's with `sortkey put --ensure`", USAGE)
    if not files:
        raise CommandFailed(f"there are no files of items in {path}: .jsonl or .json, also with .gz", USAGE)
    return Source(into, files, definition_of(described), None)


def _check_empty(backend: Backend, table: str, is_meant: bool) -> None:
    if not is_meant and backend.call("Scan", {"TableName": table, "Limit": 1})["Count"]:
        raise CommandFailed(f"{table} holds items already: --merge puts the others among them", USAGE)


def _import(backend: Backend, source: Source, state: State) -> int:
    from sortkey.errors import ValidationException

    keys, done = key_names(source.definition), state.items[source.table]
    with progress(source.table, source.items) as advance:
        advance(done)
        for batch in in_batches(_items(source, done), BATCH):
            # Of one key twice in a batch, which is refused, the later counts, as it would one by one.
            unique = {str([item.get(name) for name in keys]): item for item in batch}
            try:
                write_batch(backend, source.table, [put_of(item) for item in unique.values()])
            except ValidationException as error:
                told = f"of the items {done + 1:,} to {done + len(batch):,} one is refused: {error}"
                raise CommandFailed(told, FAILED) from None
            done += len(batch)
            advance(len(batch))
            state.note(source.table, done)
    return done


def _items(source: Source, skip: int) -> Iterator[dict[str, Any]]:
    types = key_types(source.definition)
    lines = (line for file in source.files for line in lines_of(file))
    keys = {name: types[name] for name in key_names(source.definition)}
    return (line.item(types, keys) for line in islice(lines, skip, None))


class State:
    """How many items of each table are in, kept beside what is imported, for the next run."""

    def __init__(self, path: Path, data: str) -> None:
        place = os.path.abspath(data) if "://" not in data else data
        folder = path if path.is_dir() else path.parent
        mark = hashlib.sha256(f"{place}\n{path.absolute()}".encode()).hexdigest()[:12]
        self._file = folder / f"import-{mark}.json"
        self._saved = 0.0
        self.items: dict[str, int] = self._read()

    def note(self, table: str, items: int) -> None:
        self.items[table] = items
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        self._saved = time.monotonic()
        with suppress(OSError):  # a place that cannot be written to: the next run begins anew
            write_whole(self._file, {"items": self.items})

    def forget(self) -> None:
        with suppress(OSError):
            self._file.unlink(missing_ok=True)

    def _read(self) -> dict[str, int]:
        import json

        try:
            return dict(json.loads(self._file.read_text(encoding="utf-8"))["items"])
        except (OSError, ValueError, KeyError, TypeError):
            return {}
