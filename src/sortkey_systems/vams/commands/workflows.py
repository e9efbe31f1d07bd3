"""`sortkey vams workflows`: pipelines in their order, and their runs on assets."""

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
from sortkey_systems.vams.commands.pipelines import Definition, read_definition

app = typer.Typer(
    invoke_without_command=True,
    epilog=examples(
        "sortkey vams workflows",
        "sortkey vams workflows run plant-rotterdam pump-p101 previews --file /model/p101.glb",
        "sortkey vams workflows runs plant-rotterdam pump-p101",
    ),
)
WorkflowArgument = Annotated[str, typer.Argument(metavar="WORKFLOW", help="The id of a workflow.")]
OfDatabase = Annotated[
    str,
    typer.Option("--of", metavar="DATABASE", help="The database of the workflow, or GLOBAL."),
]


@app.callback()
def workflows(
    context: typer.Context,
    database: DatabaseOption = None,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """List the workflows, write or delete one, and run it on an asset."""
    if is_list(context):
        path = "/workflows" if database is None else path_of("database", database, "workflows")
        columns = ("databaseId", "workflowId", "description", "autoTriggerOnFileExtensionsUpload")
        with connected(data, url, user) as connection:
            rows = connection.client.every(path)
            print_items(rows, columns, is_json=json, nothing="there are no workflows yet")


@app.command(epilog=examples("sortkey vams workflows show GLOBAL previews > previews.json"))
def show(
    database: DatabaseArgument,
    workflow: WorkflowArgument,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
) -> None:
    """Print the definition of a workflow, as JSON."""
    with connected(data, url, user) as connection:
        path = path_of("database", database, "workflows", workflow)
        print_json(connection.client.get(path)["message"])


@app.command(epilog=examples("sortkey vams workflows put previews.json"))
def put(
    file: Definition,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Create a workflow, or replace it."""
    body = read_definition(file)
    with connected(data, url, user) as connection:
        answer = connection.client.put("/workflows", body)
        print_answer(answer, is_json=json, text=f"wrote {body.get('workflowId')}")


@app.command(epilog=examples("sortkey vams workflows delete plant-rotterdam web-model --yes"))
def delete(
    database: DatabaseArgument,
    workflow: WorkflowArgument,
    yes: Yes = False,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Delete a workflow. Its runs stay in the records of the assets."""
    confirm(f"Delete the workflow {workflow} of {database}?", yes=yes)
    with connected(data, url, user) as connection:
        answer = connection.client.delete(path_of("database", database, "workflows", workflow))
        print_answer(answer, is_json=json, text=f"deleted {workflow}")


@app.command(
    epilog=examples(
        "sortkey vams workflows run plant-rotterdam pump-p101 previews --file /model/p101.glb"
    )
)
def run(
    database: DatabaseArgument,
    asset: AssetArgument,
    workflow: WorkflowArgument,
    of: OfDatabase = "GLOBAL",
    file: Annotated[
        str | None, typer.Option("--file", metavar="PATH", help="(default: the whole asset)")
    ] = None,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Start a workflow on an asset and print the id of the run. The server runs it."""
    body = {"workflowDatabaseId": of, **given(fileKey=file)}
    with connected(data, url, user) as connection:
        answer = connection.client.post(asset_path(database, asset, "workflows", workflow), body)
        print_answer(answer, is_json=json)


@app.command(epilog=examples("sortkey vams workflows runs plant-rotterdam pump-p101"))
def runs(
    database: DatabaseArgument,
    asset: AssetArgument,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """List the runs on an asset, with their states."""
    columns = ("executionId", "executionStatus", "workflowId", "startDate", "stopDate")
    with connected(data, url, user) as connection:
        rows = connection.client.every(asset_path(database, asset, "workflows", "executions"))
        print_items(rows, columns, is_json=json, nothing="no workflow has run on this asset")
