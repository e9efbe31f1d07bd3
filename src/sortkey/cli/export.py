"""`sortkey export`: tables into a folder of JSON Lines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sortkey.cli.tables import named_tables
from sortkey.commands.help import examples
from sortkey.commands.options import Data, Json, open_store
from sortkey.commands.output import print_json, progress_bars

EXAMPLES = examples(
    "sortkey export out/                          every table of the folder data/",
    "sortkey export shop out/                     the tables of a model",
    "sortkey export Orders Users out/ --data aws://eu-west-1",
    "sortkey export Orders out/ --format plain    for people and other programs",
)


def run(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="WHAT",
            default_factory=list,
            show_default=False,
            help="Tables or models (default: every table).",
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
    """Export tables into a folder: a file of JSON Lines for each, and export.json with what the
    tables are like.

    An export that was interrupted goes on where it ended, when the same command is given again.
    Tables that change meanwhile are exported as they are read; `sortkey backup` keeps one moment.
    """
    from sortkey.transfer import export_tables

    with open_store(data) as store, progress_bars() as on_progress:
        tables = named_tables(store.backend, what)
        export = export_tables(
            store, folder, tables, format=form, gzip=gzip, on_progress=on_progress
        )
    rows = [
        {"table": t.name, "file": str(export.folder / t.file), "items": t.items}
        for t in export.tables
    ]
    if json:
        print_json({"folder": str(export.folder), "format": export.format, "tables": rows})
        return
    for row in rows:
        print(f"{row['table']}: {row['items']:,} items in {row['file']}")
