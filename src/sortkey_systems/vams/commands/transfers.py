"""`sortkey vams export` and `import`: a whole database as a folder, and back."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sortkey.commands import FAILED, Json, examples, print_json, progress
from sortkey_systems.vams.client.database_folder import DatabaseFolder
from sortkey_systems.vams.commands.connection import (
    As,
    DatabaseArgument,
    Folder,
    Url,
    connected,
)

EXPORT_EXAMPLES = examples(
    "sortkey vams export plant-rotterdam backup/",
    "sortkey vams export plant-rotterdam backup/ --url https://assets.example.com",
)
IMPORT_EXAMPLES = examples(
    "sortkey vams import backup/",
    "sortkey vams import backup/ --id plant-copy",
    "sortkey vams import backup/ --resume              after an interruption",
)
Target = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="The folder of the export.", file_okay=False)
]


def export(
    database: DatabaseArgument,
    folder: Target,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Write a database into a folder: assets with all versions, files, metadata, links, comments,
    schemas, pipelines and workflows.

    Archived assets and links to other databases are left out, and named. With --url, files of
    assets that are not distributable are left out too.
    """
    from sortkey_systems.vams.client.database_export import export_database

    with (
        connected(data, url, user) as connection,
        progress("export", None, "assets") as advance,
    ):
        report = export_database(
            connection.client,
            database,
            DatabaseFolder(folder.absolute()),
            connection.contents,
            on_asset=lambda asset_id: advance(1),
        )
    counts = {"assets": report.assets, "versions": report.versions, "files": report.files}
    _print(counts, report.left_out, "left out", is_json=json)


def import_(
    folder: Target,
    database: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Another id than in the folder.")
    ] = None,
    bucket: Annotated[
        str | None, typer.Option("--bucket", metavar="ID", help="The bucket of the assets.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an import that was interrupted.")
    ] = False,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Make a database from a folder that `export` wrote.

    Versions are made again, in their order, in the name of whoever imports. Hashes are checked.
    """
    from sortkey_systems.vams.client.database_import import import_database

    with (
        connected(data, url, user) as connection,
        progress("import", None, "assets") as advance,
    ):
        report = import_database(
            connection.client,
            DatabaseFolder(folder.absolute()),
            database_id=database,
            bucket_id=bucket,
            resumes=resume,
            on_asset=lambda asset_id: advance(1),
        )
    counts = {"database": report.database_id, "assets": report.assets, "versions": report.versions}
    _print(counts, report.failed, "refused", is_json=json)
    if report.failed:
        raise typer.Exit(FAILED)


def _print(counts: dict[str, Any], notes: Sequence[str], title: str, *, is_json: bool) -> None:
    if is_json:
        print_json({**counts, title.replace(" ", "_"): list(notes)})
        return
    print(", ".join(f"{name}: {value}" for name, value in counts.items()))
    for note in notes:
        print(f"{title}: {note}", file=sys.stderr)
