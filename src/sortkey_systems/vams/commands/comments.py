"""`sortkey vams comments`: what people say about versions of an asset."""

from __future__ import annotations

import uuid
from typing import Annotated

import typer

from sortkey.commands import Json, examples
from sortkey_systems.vams.client.client import asset_path, path_of
from sortkey_systems.vams.commands.connection import (
    As,
    AssetArgument,
    DatabaseArgument,
    Folder,
    Url,
    connected,
    print_answer,
    print_items,
)

app = typer.Typer(no_args_is_help=True)
NAME = "assetVersionId:commentId"


@app.callback()
def comments() -> None:
    """List, write and delete comments on an asset."""


@app.command("list", epilog=examples("sortkey vams comments list plant-rotterdam pump-p101"))
def list_(
    database: DatabaseArgument,
    asset: AssetArgument,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """List the comments, with their ids."""
    columns = (NAME, "commentOwnerUsername", "commentBody", "dateCreated")
    with connected(data, url, user) as connection:
        rows = connection.client.every(path_of("comments", "assets", asset), databaseId=database)
        print_items(rows, columns, is_json=json, nothing="nobody has said anything yet")


@app.command(
    epilog=examples('sortkey vams comments add plant-rotterdam pump-p101 "Looks good to me"')
)
def add(
    database: DatabaseArgument,
    asset: AssetArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to say.")],
    version: Annotated[
        str | None, typer.Option("--version", metavar="ID", help="(default: the current one)")
    ] = None,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Comment on a version of an asset."""
    with connected(data, url, user) as connection:
        if version is None:
            found = connection.client.get(asset_path(database, asset))
            version = found["currentVersion"]["Version"]
        name = f"{version}:{uuid.uuid4()}"
        body = {"commentBody": text, "databaseId": database}
        answer = connection.client.post(path_of("comments", "assets", asset, NAME, name), body)
        print_answer(answer, is_json=json, text=name)


@app.command(epilog=examples("sortkey vams comments delete plant-rotterdam pump-p101 3:0f9c2d31"))
def delete(
    database: DatabaseArgument,
    asset: AssetArgument,
    comment: Annotated[str, typer.Argument(metavar="COMMENT", help="The id, as `list` shows it.")],
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Delete a comment of yours."""
    with connected(data, url, user) as connection:
        path = path_of("comments", "assets", asset, NAME, comment)
        answer = connection.client.call("DELETE", path, query={"databaseId": database})
        print_answer(answer, is_json=json, text=f"deleted {comment}")
