"""`sortkey vams files`: the files of an asset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sortkey.commands import FAILED, USAGE, CommandFailed, Json, examples, progress
from sortkey_systems.vams.client.client import asset_path
from sortkey_systems.vams.client.contents import content_of_file, place_in
from sortkey_systems.vams.client.synchronization import download as download_file
from sortkey_systems.vams.client.uploads import upload_files
from sortkey_systems.vams.commands.connection import (
    As,
    AssetArgument,
    DatabaseArgument,
    Folder,
    Url,
    connected,
    print_items,
)

app = typer.Typer(no_args_is_help=True)
PathArgument = Annotated[
    str, typer.Argument(metavar="PATH", help="A file of the asset, as /model/p101.glb.")
]


@app.callback()
def files() -> None:
    """List, upload and download the files of an asset."""


@app.command("list", epilog=examples("sortkey vams files list plant-rotterdam pump-p101"))
def list_(
    database: DatabaseArgument,
    asset: AssetArgument,
    archived: Annotated[bool, typer.Option("--archived", help="With the archived ones.")] = False,
    version: Annotated[
        str | None, typer.Option("--version", metavar="ID", help="As they were in a version.")
    ] = None,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """List the files."""
    columns = ("relativePath", "size", "dateCreatedCurrentVersion", "primaryType", "isArchived")
    with connected(data, url, user) as connection:
        rows = connection.client.every(
            asset_path(database, asset, "listFiles"),
            includeArchived=archived or None,
            assetVersionId=version,
        )
        shown = [row for row in rows if not row["isFolder"]]
        print_items(shown, columns, is_json=json, nothing="the asset has no files yet")


@app.command(
    epilog=examples(
        "sortkey vams files upload plant-rotterdam pump-p101 p101.glb sheet-1.pdf",
        "sortkey vams files upload plant-rotterdam pump-p101 p101.glb --to /model/",
    )
)
def upload(
    database: DatabaseArgument,
    asset: AssetArgument,
    paths: Annotated[list[Path], typer.Argument(metavar="FILE", help="Files on this machine.")],
    to: Annotated[str, typer.Option("--to", metavar="FOLDER", help="Where in the asset.")] = "/",
    data: Folder = "data",
    url: Url = None,
    user: As = None,
) -> None:
    """Upload files into an asset. One that is there gets a new version."""
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        raise CommandFailed(f"not a file: {', '.join(missing)}; `sync` takes a folder", USAGE)
    folder = "/" + to.strip("/") + "/" if to.strip("/") else "/"
    contents = [content_of_file(folder + path.name, path) for path in paths]
    with (
        connected(data, url, user) as connection,
        progress("upload", len(contents), "files") as advance,
    ):
        report = upload_files(
            connection.client, database, asset, contents, on_file=lambda path: advance(1)
        )
    for path in report.uploaded:
        print(path)
    if report.failed:
        raise CommandFailed(
            "; ".join(f"{path}: {reason}" for path, reason in report.failed.items()), FAILED
        )


@app.command(
    epilog=examples(
        "sortkey vams files download plant-rotterdam pump-p101 /model/p101.glb",
        "sortkey vams files download plant-rotterdam pump-p101 /model/p101.glb --version 1",
    )
)
def download(
    database: DatabaseArgument,
    asset: AssetArgument,
    path: PathArgument,
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="Where to put it.")] = Path(),
    version: Annotated[
        str | None, typer.Option("--version", metavar="ID", help="As it was in a version.")
    ] = None,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
) -> None:
    """Download a file of an asset that may be distributed."""
    try:
        target = place_in(to.absolute(), path.rstrip("/").rpartition("/")[2])
    except ValueError as error:
        raise CommandFailed(str(error), USAGE) from None
    with connected(data, url, user) as connection:
        download_file(connection.client, database, asset, path, target, assetVersionId=version)
    print(target)
