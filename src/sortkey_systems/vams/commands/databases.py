"""`sortkey vams databases`: the collections that assets are in."""

from __future__ import annotations

from typing import Annotated

import typer

from sortkey.commands import CommandFailed, Json, examples
from sortkey_systems.vams.commands.connection import (
    As,
    DatabaseArgument,
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
        "sortkey vams databases",
        "sortkey vams databases --json --as jan@example.com      those that Jan may see",
    ),
)
Description = Annotated[str, typer.Option(help="4 to 256 characters.")]
Bucket = Annotated[
    str | None, typer.Option("--bucket", metavar="ID", help="Of new assets (default: the first).")
]
Extensions = Annotated[
    str | None,
    typer.Option("--extensions", metavar="LIST", help='Files it takes: ".glb,.gltf" or ".all".'),
]


@app.callback()
def databases(
    context: typer.Context,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """List the databases, and create, change or delete them."""
    if is_list(context):
        with connected(data, url, user) as connection:
            columns = ("databaseId", "assetCount", "description", "bucketName", "dateCreated")
            rows = connection.client.every("/database")
            print_items(rows, columns, is_json=json, nothing="there are no databases yet")


@app.command(
    epilog=examples('sortkey vams databases create plant-b --description "The second plant"')
)
def create(
    database: DatabaseArgument,
    description: Description,
    bucket: Bucket = None,
    extensions: Extensions = None,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Create a database."""
    with connected(data, url, user) as connection:
        if bucket is None:
            first = next(connection.client.every("/buckets"), None)
            if first is None:
                raise CommandFailed("there is no bucket for assets: name one with --bucket")
            bucket = first["bucketId"]
        body = {"databaseId": database, "description": description, "defaultBucketId": bucket}
        body |= given(restrictFileUploadsToExtensions=extensions)
        answer = connection.client.post("/database", body)
        print_answer(answer, is_json=json, text=f"created {database}")


@app.command(
    epilog=examples('sortkey vams databases change plant-b --description "The plant in Basel"')
)
def change(
    database: DatabaseArgument,
    description: Annotated[str | None, typer.Option(help="4 to 256 characters.")] = None,
    bucket: Bucket = None,
    extensions: Extensions = None,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Change a database. What is not given stays."""
    body = given(
        description=description,
        defaultBucketId=bucket,
        restrictFileUploadsToExtensions=extensions,
    )
    with connected(data, url, user) as connection:
        answer = connection.client.put(f"/database/{database}", body)
        print_answer(answer, is_json=json, text=f"changed {database}")


@app.command(epilog=examples("sortkey vams databases delete plant-b --yes"))
def delete(
    database: DatabaseArgument,
    yes: Yes = False,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Delete a database that has no assets, workflows or pipelines."""
    confirm(f"Delete the database {database}?", yes=yes)
    with connected(data, url, user) as connection:
        answer = connection.client.delete(f"/database/{database}")
        print_answer(answer, is_json=json, text=f"deleted {database}")
