"""`sortkey keys`: create, list and revoke the API keys of programs that use REST."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.options import Data, Json, check_address, note_unknown, open_store
from sortkey.commands.output import print_json
from sortkey.commands.table_output import JSON_SHOWS_ALL, print_table

if TYPE_CHECKING:
    from sortkey.web.api_keys import ApiKey, ApiKeys

EXAMPLES = examples(
    "sortkey keys create nightly --system shop --access full",
    "sortkey keys list --system shop",
    "sortkey keys revoke 3f9c1b2a7d10",
)

app = typer.Typer(no_args_is_help=True, add_completion=False)

System = Annotated[str, typer.Option(metavar="NAME", help="The system that the key is for.")]


@app.callback()
def keys() -> None:
    """API keys for programs that use `sortkey rest`. The server may be running: changes take effect
    at once.
    """


@app.command(
    epilog=examples(
        "sortkey keys create nightly --system shop",
        "sortkey keys create deploy --system shop --access full --user 12345",
    )
)
def create(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A name for the key: its owner or purpose.")
    ],
    system: System,
    access: Annotated[
        Literal["read", "full"], typer.Option(help="Access that the key gives.")
    ] = "read",
    days: Annotated[
        int, typer.Option(min=1, max=3650, metavar="N", help="Days until it expires.")
    ] = 365,
    user: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="The user whose data it accesses, where data belongs to users (default: the key).",
        ),
    ] = None,
    data: Data = "data",
    folder: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Data folder of the server, with its secret, if the tables are elsewhere.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Create a key and print it. It cannot be shown again: only its hash is stored.

    The key is signed with the secret of the server's data folder, or with SORTKEY_SECRET if that is
    set for the server.
    """
    with _keys(data, _secret(data, folder)) as keys:
        created = keys.create(name, system, access, days=days, user_id=user)
    if json:
        print_json({"key": created.text, **_columns(created.record)})
    else:
        print(created.text)
    note_unknown(system)


@app.command("list", epilog=examples("sortkey keys list --system shop"))
def list_(system: System, data: Data = "data", json: Json = False) -> None:
    """List the keys of a system, with expiry and last use."""
    with _keys(data) as keys:
        rows = [_columns(key) for key in keys.list(system)]
    if json:
        print_json(rows)
    elif rows:
        print_table(
            list(rows[0]), [list(row.values()) for row in rows], whole=2, more=JSON_SHOWS_ALL
        )
    else:
        print(f"{system} has no keys: create one with `sortkey keys create NAME --system {system}`")


@app.command(epilog=examples("sortkey keys revoke 3f9c1b2a7d10"))
def revoke(
    key_id: Annotated[
        str, typer.Argument(metavar="ID", help="The id of the key, as printed by `list`.")
    ],
    data: Data = "data",
    json: Json = False,
) -> None:
    """Revoke a key, effective from the next request."""
    from sortkey.errors import KeyValueError

    with _keys(data) as keys:
        try:
            revoked = keys.revoke(key_id)
        except KeyValueError:
            message = f"{key_id!r} is not a key id: see `sortkey keys list --system NAME`"
            raise CommandFailed(message, USAGE) from None
    if json:
        print_json(_columns(revoked))
    else:
        print(f"revoked {revoked.key_id} ({revoked.name})")


def _secret(data: str, folder: str | None) -> bytes:
    """The secret that the server signs keys with."""
    from sortkey.systems.host_secret import VARIABLE, derive, host_secret

    if os.environ.get(VARIABLE):
        return derive(host_secret(""), "keys")
    if folder is None and "://" in data:
        raise CommandFailed(
            "a key is signed with the secret of the server: give its data folder with --folder, "
            f"or set {VARIABLE}",
            USAGE,
        )
    check_address(folder or data)
    return derive(host_secret(folder or data), "keys")


@contextmanager
def _keys(data: str, secret: bytes | None = None) -> Generator[ApiKeys]:
    """Only creating a key needs the secret."""
    from sortkey.web.api_keys import ApiKeys

    with open_store(data) as store:
        opened = ApiKeys(store, secret=secret)
        opened.ensure()
        yield opened


def _columns(key: ApiKey) -> dict[str, Any]:
    values = key.model_dump(mode="json", exclude={"secret_sha256", "proof"})
    return {name: values[name] for name in _COLUMNS}


_COLUMNS = (
    "key_id",
    "name",
    "system",
    "access",
    "user_id",
    "created_at",
    "expires_at",
    "last_used_at",
    "revoked_at",
)
