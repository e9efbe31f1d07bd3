"""`sortkey vams subscriptions`: who gets a notice when an asset changes."""

from __future__ import annotations

from typing import Annotated

import typer

from sortkey.commands import Json, examples
from sortkey_systems.vams.commands.connection import (
    As,
    AssetArgument,
    DatabaseArgument,
    Folder,
    Url,
    connected,
    is_list,
    print_answer,
    print_items,
)

app = typer.Typer(invoke_without_command=True, epilog=examples("sortkey vams subscriptions"))
EVENT = "Asset Version Change"
Subscribers = Annotated[
    list[str], typer.Argument(metavar="USER", help="Users with a known e-mail address.")
]


@app.callback()
def subscriptions(
    context: typer.Context,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """List the subscriptions, and add or remove subscribers."""
    if is_list(context):
        columns = ("databaseId", "entityId", "entityValue", "subscribers")
        with connected(data, url, user) as connection:
            rows = connection.client.every("/subscriptions")
            print_items(rows, columns, is_json=json, nothing="nobody has subscribed yet")


@app.command(
    epilog=examples("sortkey vams subscriptions add plant-rotterdam pump-p101 jan@example.com")
)
def add(
    database: DatabaseArgument,
    asset: AssetArgument,
    users: Subscribers,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Send notices about an asset to users."""
    with connected(data, url, user) as connection:
        answer = connection.client.post("/subscriptions", _body(database, asset, users))
        print_answer(answer, is_json=json, text=f"{', '.join(users)}: subscribed to {asset}")


@app.command(
    epilog=examples("sortkey vams subscriptions remove plant-rotterdam pump-p101 jan@example.com")
)
def remove(
    database: DatabaseArgument,
    asset: AssetArgument,
    users: Subscribers,
    data: Folder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Send no more notices about an asset to users."""
    with connected(data, url, user) as connection:
        answer = connection.client.delete("/unsubscribe", _body(database, asset, users))
        print_answer(answer, is_json=json, text=f"{', '.join(users)}: unsubscribed from {asset}")


def _body(database_id: str, asset_id: str, users: list[str]) -> dict[str, object]:
    about = {"eventName": EVENT, "entityName": "Asset", "entityId": asset_id}
    return {**about, "databaseId": database_id, "subscribers": users}
