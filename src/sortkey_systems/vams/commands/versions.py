"""`sortkey vams versions`: what an asset was at points in time."""

from __future__ import annotations

from typing import Annotated

import typer

from sortkey.commands import Json, examples
from sortkey_systems.vams.client.client import asset_path
from sortkey_systems.vams.commands.connection import (
    As,
    AssetArgument,
    DatabaseArgument,
    Folder,
    Url,
    connected,
    given,
    print_answer,
    print_items,
)

app = typer.Typer(no_args_is_help=True)


@app.callback()
def versions() -> None:
    """List and create versions of an asset."""


@app.command("list", epilog=examples("sortkey vams versions list plant-rotterdam pump-p101"))
def list_(
    database: DatabaseArgument,
    asset: AssetArgument,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """List the versions, newest first."""
    columns = ("Version", "versionAlias", "Comment", "createdBy", "DateModified", "fileCount")
    with connected(data, url, user) as connection:
        rows = connection.client.every(asset_path(database, asset, "getVersions"))
        print_items(rows, columns, is_json=json, nothing="the asset has no versions")


@app.command(
    epilog=examples(
        'sortkey vams versions create plant-rotterdam pump-p101 "New impeller" --alias repaired'
    )
)
def create(
    database: DatabaseArgument,
    asset: AssetArgument,
    comment: Annotated[str, typer.Argument(metavar="COMMENT", help="What has changed.")],
    alias: Annotated[
        str | None, typer.Option("--alias", metavar="NAME", help="Another name for it.")
    ] = None,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Record the files and the metadata of this moment as a version."""
    body = {"comment": comment, "useLatestFiles": True, **given(versionAlias=alias)}
    with connected(data, url, user) as connection:
        answer = connection.client.post(asset_path(database, asset, "createVersion"), body)
        print_answer(answer, is_json=json, text=answer["assetVersionId"])
