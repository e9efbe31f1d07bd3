"""`sortkey export`: tables into a folder of JSON Lines."""

from __future__ import annotations

import gzip as gzipping
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sortkey.cli.failure import USAGE, CommandFailed
from sortkey.cli.options import Data, Json, open_store
from sortkey.cli.printing import print_json, progress
from sortkey.cli.table_files import Export, ExportedTable, line_of, read_export
from sortkey.cli.tables import definition_of, describe, has_recovery, named_tables, ttl_of

if TYPE_CHECKING:
    from sortkey.runtime.backend import Backend

EXAMPLES = """\
examples:
  sortkey export out/                          every table of the folder data/
  sortkey export jobengine out/                the tables of a model
  sortkey export Orders Users out/ --data aws://eu-west-1
  sortkey export Orders out/ --format plain    for people and other programs
"""
SAVE_SECONDS = 1.0


def run(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="WHAT", default_factory=list, show_default=False, help="Tables or models (default: every table)."
        ),
    ],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to: a new folder.")],
    data: Data = "data",
    form: Annotated[
        Literal["dynamodb", "plain"],
        typer.Option("--format", help="DynamoDB JSON, which keeps everything, or plain JSON."),
    ] = "dynamodb",
    gzip: Annotated[bool, typer.Option("--gzip", help="Pack the files.")] = False,
    json: Json = False,
) -> None:
    """Export tables into a folder: a file of JSON Lines for each, and export.json with what the tables are like.

    An export that was interrupted goes on where it ended, when the same command is given again.
    Tables that change meanwhile are exported as they are read; `sortkey backup` keeps one moment.
    """
    with open_store(data) as store:
        export = _begin(store.backend, folder, what, form, gzip)
        for table in export.tables:
            if not table.is_done:
                _export(store.backend, export, table)
    _print(export, json)


def _begin(backend: Backend, folder: Path, names: list[str], form: Literal["dynamodb", "plain"], gzip: bool) -> Export:
    """A new export, or the one in the folder that was interrupted."""
    wanted = named_tables(backend, names)
    known = read_export(folder)
    if known is not None and known.is_done:
        raise CommandFailed(f"{folder} holds an export already: choose another folder, or remove it", USAGE)
    if known is not None:
        if ([table.name for table in known.tables], known.format, known.gzip) != (wanted, form, gzip):
            raise CommandFailed(f"{folder} holds the beginning of another export: choose another folder", USAGE)
        return known
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CommandFailed(f"{folder} is not empty: choose another folder", USAGE)
    folder.mkdir(parents=True, exist_ok=True)
    export = Export(folder, form, gzip, [_table(backend, name, gzip) for name in wanted])
    export.save()
    return export


def _table(backend: Backend, name: str, gzip: bool) -> ExportedTable:
    described = describe(backend, name) or {}
    file = f"{name}.jsonl{'.gz' * gzip}"
    return ExportedTable(name, file, definition_of(described), ttl_of(backend, name), has_recovery(backend, name))


def _export(backend: Backend, export: Export, table: ExportedTable) -> None:
    path = export.folder / table.file
    total = (describe(backend, table.name) or {}).get("ItemCount")
    with open(path, "ab") as file, progress(table.name, total) as advance:
        file.truncate(table.bytes)  # what came after the last note in export.json comes again
        advance(table.items)
        saved = time.monotonic()
        for page, following in _pages(backend, table):
            content = b"".join(line_of(item, export.format) for item in page)
            table.bytes += file.write(gzipping.compress(content, 6, mtime=0) if export.gzip and content else content)
            table.items, table.next = table.items + len(page), following
            advance(len(page))
            if time.monotonic() - saved > SAVE_SECONDS:
                _save(export, file)
                saved = time.monotonic()
        table.is_done = True
        _save(export, file)


def _save(export: Export, file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())  # before the note that says so
    export.save()


def _pages(backend: Backend, table: ExportedTable) -> Iterator[tuple[list[dict[str, Any]], dict[str, Any] | None]]:
    request: dict[str, Any] = {"TableName": table.name}
    following = table.next
    while True:
        start = {} if following is None else {"ExclusiveStartKey": following}
        answer = backend.call("Scan", {**request, **start})
        following = answer.get("LastEvaluatedKey")
        yield answer["Items"], following
        if following is None:
            return


def _print(export: Export, json: bool) -> None:
    tables = [{"table": t.name, "file": str(export.folder / t.file), "items": t.items} for t in export.tables]
    if json:
        print_json({"folder": str(export.folder), "format": export.format, "tables": tables})
        return
    for each in tables:
        print(f"{each['table']}: {each['items']:,} items in {each['file']}")
