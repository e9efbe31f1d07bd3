"""`sortkey import`: imports what `sortkey export` wrote, and other files of items."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from sortkey.cli.tables import check_name
from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.options import Data, Json, check_address
from sortkey.commands.output import print_json, progress_bars

EXAMPLES = examples(
    "sortkey import out/                       every table of an export",
    "sortkey import out/ Orders --as Orders-2  one of them, under another name",
    "sortkey import items.jsonl --into Orders  JSON Lines from elsewhere",
    "sortkey import AWSDynamoDB/0173…/data --into Orders",
)


def run(
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="An export, or a file or folder of items."),
    ],
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="TABLE", help="Tables of the export (default: all)."),
    ] = None,
    data: Data = "data",
    new_name: Annotated[
        str | None, typer.Option("--as", metavar="TABLE", help="New name for the table.")
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="The table for items that Sortkey did not export."),
    ] = None,
    merge: Annotated[
        bool,
        typer.Option(
            "--merge", help="Allow tables that hold items; items with the same key are replaced."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Import tables. Missing tables are created as they were, with indexes, TTL, stream and
    recovery.

    For files that Sortkey did not export, name an existing table with --into: JSON Lines, plain or
    DynamoDB JSON, also compressed, such as AWS's exports to S3. To resume an interrupted import,
    run the same command again.
    """
    import sortkey
    from sortkey.transfer import import_tables

    check_name("--as", new_name)
    check_name("--into", into)
    if not path.exists():
        raise CommandFailed(f"there is no file or folder {path}", USAGE)
    check_address(data, creates=True)
    with sortkey.open(data) as store, progress_bars() as on_progress:
        counts = import_tables(
            store,
            path,
            tables or (),
            rename=new_name,
            into=into,
            merge=merge,
            destination=data if "://" in data else os.path.abspath(data),
            on_progress=on_progress,
        )
    if json:
        print_json({"tables": [{"table": name, "items": count} for name, count in counts.items()]})
        return
    for name, count in counts.items():
        print(f"{name}: {count:,} items")
