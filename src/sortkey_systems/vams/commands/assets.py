"""`sortkey vams assets`: assets of databases, live and archived."""

from __future__ import annotations

from typing import Annotated

import typer

from sortkey.commands import Json, examples, print_json
from sortkey_systems.vams.client.client import asset_path, path_of
from sortkey_systems.vams.commands.connection import (
    As,
    AssetArgument,
    DatabaseArgument,
    DatabaseOption,
    Folder,
    Url,
    Yes,
    confirm,
    connected,
    given,
    is_list,
    print_answer,
    print_items,
)

app = typer.Typer(
    invoke_without_command=True,
    epilog=examples(
        "sortkey vams assets --database plant-rotterdam",
        "sortkey vams assets --archived --json",
    ),
)
Reason = Annotated[str | None, typer.Option(metavar="TEXT", help="For the records.")]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", metavar="NAME", help="May be given several times.")
]


@app.callback()
def assets(
    context: typer.Context,
    database: DatabaseOption = None,
    archived: Annotated[bool, typer.Option("--archived", help="With the archived ones.")] = False,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """List assets, and create, show, archive or delete them."""
    if is_list(context):
        path = "/assets" if database is None else path_of("database", database, "assets")
        columns = ("databaseId", "assetId", "assetName", "assetType", "status", "tags")
        with connected(data, url, user) as connection:
            rows = connection.client.every(path, showArchived=archived or None)
            print_items(rows, columns, is_json=json, nothing="there are no assets here")


@app.command(epilog=examples("sortkey vams assets show plant-rotterdam pump-p101"))
def show(
    database: DatabaseArgument,
    asset: AssetArgument,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
) -> None:
    """Print an asset with its metadata, as JSON."""
    with connected(data, url, user) as connection:
        found = connection.client.get(asset_path(database, asset), showArchived=True)
        items = connection.client.every(asset_path(database, asset, "metadata"))
        metadata = {item["metadataKey"]: item["metadataValue"] for item in items}
        print_json({**found, "metadata": metadata})


@app.command(
    epilog=examples(
        'sortkey vams assets create plant-rotterdam pump-p102 --name "Pump P-102" --tag pump'
    )
)
def create(
    database: DatabaseArgument,
    asset: AssetArgument,
    name: Annotated[str | None, typer.Option(help="For people (default: the id).")] = None,
    description: Annotated[str, typer.Option(help="4 to 256 characters.")] = "No description",
    tag: Tags = None,
    distributable: Annotated[
        bool, typer.Option("--distributable", help="Its files may be downloaded.")
    ] = False,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Create an asset without files."""
    body = {"databaseId": database, "assetId": asset, "assetName": name or asset}
    more = {"description": description, "isDistributable": distributable, "tags": tag or []}
    with connected(data, url, user) as connection:
        answer = connection.client.post("/assets", {**body, **more})
        print_answer(answer, is_json=json, text=f"created {asset}")


@app.command(epilog=examples("sortkey vams assets archive plant-rotterdam pump-p102"))
def archive(
    database: DatabaseArgument,
    asset: AssetArgument,
    reason: Reason = None,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Take an asset out of lists and searches. `unarchive` brings it back."""
    with connected(data, url, user) as connection:
        body = {"confirmArchive": True, **given(reason=reason)}
        answer = connection.client.delete(asset_path(database, asset, "archiveAsset"), body)
        print_answer(answer, is_json=json, text=f"archived {asset}")


@app.command(epilog=examples("sortkey vams assets unarchive plant-rotterdam dosing-skid"))
def unarchive(
    database: DatabaseArgument,
    asset: AssetArgument,
    reason: Reason = None,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Bring an archived asset back, with its files."""
    with connected(data, url, user) as connection:
        body = {"confirmUnarchive": True, **given(reason=reason)}
        answer = connection.client.put(asset_path(database, asset, "unarchiveAsset"), body)
        print_answer(answer, is_json=json, text=f"unarchived {asset}")


@app.command(epilog=examples("sortkey vams assets delete plant-rotterdam dosing-skid --yes"))
def delete(
    database: DatabaseArgument,
    asset: AssetArgument,
    reason: Reason = None,
    yes: Yes = False,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Delete an asset with its files, versions, metadata, links and comments, for ever."""
    confirm(f"Delete {asset} of {database} for ever, with all its versions?", yes=yes)
    with connected(data, url, user) as connection:
        body = {"confirmPermanentDelete": True, **given(reason=reason)}
        answer = connection.client.delete(asset_path(database, asset, "deleteAsset"), body)
        print_answer(answer, is_json=json, text=f"deleted {asset}")
