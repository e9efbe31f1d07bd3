"""What the commands that use the interface share: options, the connection, and rows as output.

Without `--url` a command works on the data folder in this process, beside a running server, and in
the name of the administrator or of `--as USER`. With it, the token is in SORTKEY_VAMS_TOKEN.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.commands import (
    JSON_SHOWS_ALL,
    USAGE,
    CommandFailed,
    check_address,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from sortkey_systems.vams.client.client import Client
    from sortkey_systems.vams.client.database_export import Contents
    from sortkey_systems.vams.service import Vams

TOKEN_VARIABLE = "SORTKEY_VAMS_TOKEN"
LOCAL_URL = "http://127.0.0.1"

Folder = Annotated[
    str, typer.Option("--data", metavar="FOLDER", help="The data folder, without --url.")
]
Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="URL",
        envvar="SORTKEY_VAMS_URL",
        help=f"A server elsewhere. Put a token or an API key into {TOKEN_VARIABLE}.",
    ),
]
As = Annotated[
    str | None,
    typer.Option(
        "--as", metavar="USER", help="The user to act for, without --url (default: administrator)."
    ),
]
DatabaseArgument = Annotated[str, typer.Argument(metavar="DATABASE", help="The id of a database.")]
AssetArgument = Annotated[str, typer.Argument(metavar="ASSET", help="The id of an asset.")]
DatabaseOption = Annotated[
    str | None, typer.Option("--database", metavar="ID", help="Only those of this database.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@dataclass(frozen=True, slots=True)
class Connection:
    """A client, and where the bytes of files are read for an export."""

    client: Client
    contents: Contents
    service: Vams | None = None
    """The service in this process; None for a server elsewhere."""


@contextmanager
def connected(data: str, url: str | None, user: str | None) -> Generator[Connection]:
    """Connect to a server, or to the folder itself."""
    if url is None:
        with _in_folder(data, user) as connection:
            yield connection
    else:
        yield _elsewhere(url, user)


def _elsewhere(url: str, user: str | None) -> Connection:
    from sortkey_systems.vams.client.client import Client
    from sortkey_systems.vams.client.database_export import StreamedContents
    from sortkey_systems.vams.client.transport import HttpTransport

    if user is not None:
        raise CommandFailed("--as is for a data folder: with --url the token says who", USAGE)
    token = os.environ.get(TOKEN_VARIABLE, "")
    if not token:
        raise CommandFailed(f"set {TOKEN_VARIABLE} to a token or an API key for {url}", USAGE)
    client = Client(HttpTransport(url), token)
    return Connection(client, StreamedContents(client))


@contextmanager
def _in_folder(data: str, user: str | None) -> Generator[Connection]:
    from sortkey.systems import Addresses, open_resources
    from sortkey_systems.vams.client.client import Client
    from sortkey_systems.vams.client.database_export import BucketContents
    from sortkey_systems.vams.client.in_process import InProcess
    from sortkey_systems.vams.model import model
    from sortkey_systems.vams.service import make_service

    if "://" in data:
        raise CommandFailed("this command needs a folder, or a server with --url", USAGE)
    check_address(data, advice=", or create it: an empty folder is enough")
    with open_resources(Addresses(data, store=data), [model], url=LOCAL_URL) as shared:
        shared.store.ensure(model)
        service = make_service(shared.of("vams", at_root=True))
        user_id = user or service.installation.admin
        with InProcess(service) as transport:
            client = Client(transport, transport.token(user_id), user_id=user_id)
            yield Connection(client, BucketContents(service.resources.buckets), service)


def is_list(context: typer.Context) -> bool:
    """Whether a group was called without a command, to list. Options in front of a command would be
    lost: refused.
    """
    after = context.invoked_subcommand
    if after is None:
        return True
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise CommandFailed(
                f"write options after {after!r}: {context.command_path} {after} --{name} …", USAGE
            )
    return False


def print_items(
    items: Iterable[dict[str, Any]], columns: Sequence[str], *, is_json: bool, nothing: str
) -> None:
    """Rows with these columns for people, whole items for programs, `nothing` for none."""
    rows = list(items)
    if is_json:
        print_json(rows)
    elif rows:
        cells = [[row.get(name) for name in columns] for row in rows]
        print_table(columns, cells, whole=2, more=JSON_SHOWS_ALL)
    else:
        print(nothing)


def print_answer(answer: dict[str, Any], *, is_json: bool, text: str = "") -> None:
    """An answer as JSON, or its message or another text."""
    if is_json:
        print_json(answer)
    else:
        print(text or answer.get("message", "done"))


def confirm(question: str, *, yes: bool) -> None:
    """Ask before what cannot be undone. Without a terminal the answer is no."""
    if not yes and not typer.confirm(question):
        raise CommandFailed("nothing was changed")


def given(**values: Any) -> dict[str, Any]:
    """Those values that were given."""
    return {name: value for name, value in values.items() if value is not None}
