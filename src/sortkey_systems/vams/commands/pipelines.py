"""`sortkey vams pipelines`: steps that workflows are made of."""

from __future__ import annotations

import json as jsons
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from sortkey.commands import USAGE, CommandFailed, Json, examples, print_json
from sortkey_systems.vams.client.client import path_of
from sortkey_systems.vams.commands.connection import (
    As,
    DatabaseArgument,
    DatabaseOption,
    Folder,
    Url,
    Yes,
    confirm,
    connected,
    is_list,
    print_answer,
    print_items,
)

app = typer.Typer(
    invoke_without_command=True,
    epilog=examples("sortkey vams pipelines", "sortkey vams pipelines --database GLOBAL --json"),
)
PipelineArgument = Annotated[str, typer.Argument(metavar="PIPELINE", help="The id of a pipeline.")]
Definition = Annotated[
    Path, typer.Argument(metavar="FILE", help="The definition in JSON, as `show` prints it.")
]


@app.callback()
def pipelines(
    context: typer.Context,
    database: DatabaseOption = None,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """List the pipelines, and show, write or delete one."""
    if is_list(context):
        path = "/pipelines" if database is None else path_of("database", database, "pipelines")
        columns = ("databaseId", "pipelineId", "description", "pipelineExecutionType", "assetType")
        with connected(data, url, user) as connection:
            rows = connection.client.every(path)
            print_items(rows, columns, is_json=json, nothing="there are no pipelines yet")


@app.command(epilog=examples("sortkey vams pipelines show GLOBAL checksums > checksums.json"))
def show(
    database: DatabaseArgument,
    pipeline: PipelineArgument,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
) -> None:
    """Print the definition of a pipeline, as JSON."""
    with connected(data, url, user) as connection:
        path = path_of("database", database, "pipelines", pipeline)
        print_json(connection.client.get(path)["message"])


@app.command(epilog=examples("sortkey vams pipelines put checksums.json"))
def put(
    file: Definition,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Create a pipeline, or replace it."""
    body = read_definition(file)
    with connected(data, url, user) as connection:
        answer = connection.client.put("/pipelines", body)
        print_answer(answer, is_json=json, text=f"wrote {body.get('pipelineId')}")


@app.command(epilog=examples("sortkey vams pipelines delete plant-rotterdam step-to-glb --yes"))
def delete(
    database: DatabaseArgument,
    pipeline: PipelineArgument,
    yes: Yes = False,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Delete a pipeline that no workflow uses."""
    confirm(f"Delete the pipeline {pipeline} of {database}?", yes=yes)
    with connected(data, url, user) as connection:
        answer = connection.client.delete(path_of("database", database, "pipelines", pipeline))
        print_answer(answer, is_json=json, text=f"deleted {pipeline}")


def read_definition(path: Path) -> dict[str, Any]:
    """A JSON object in a file."""
    try:
        value: Any = jsons.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CommandFailed(f"cannot read {path}: {error}", USAGE) from None
    if not isinstance(value, dict):
        raise CommandFailed(f"{path} is not a JSON object", USAGE)
    return cast("dict[str, Any]", value)
