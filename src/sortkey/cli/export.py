"""`sortkey export`: writes tables to a folder of JSON Lines."""

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
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder to write, a new one.")
    ],
    data: Data = "data",
    form: Annotated[
        Literal["dynamodb", "plain"],
        typer.Option("--format", help="DynamoDB JSON, which keeps all types, or plain JSON."),
    ] = "dynamodb",
    gzip: Annotated[bool, typer.Option("--gzip", help="Compress the files.")] = False,
    json: Json = False,
) -> None:
    """Export tables to a folder: a file of JSON Lines for each table, and export.json with the
    table definitions.

    To resume an interrupted export, run the same command again. Tables that change meanwhile are
    exported as they are read; `sortkey backup` captures one moment.
    """
    from sortkey.transfer import export_tables

    with open_store(data) as store, progress_bars() as on_progress:
        tables = named_tables(store.backend, what)
        export = export_tables(
            store, folder, tables, format=form, gzip=gzip, on_progress=on_progress
        )
    rows = [
        {"table": table.name, "file": str(export.folder / table.file), "items": table.items}
        for table in export.tables
    ]
    if json:
        print_json({"folder": str(export.folder), "format": export.format, "tables": rows})
        return
    for row in rows:
        print(f"{row['table']}: {row['items']:,} items in {row['file']}")
