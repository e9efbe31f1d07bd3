"""`sortkey token`: a token for a user of REST, signed with the secret of the data folder."""

from __future__ import annotations

from typing import Annotated

import typer

from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.options import Json, check_address, note_unknown
from sortkey.commands.output import print_json

EXAMPLES = examples(
    "sortkey token --system shop --user 12345",
    "sortkey token --system shop --user 12345 --scope full",
    "TOKEN=$(sortkey token --system shop --user 12345)",
    'curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/shop/orders',
)


def run(
    user: Annotated[str, typer.Option(metavar="ID", help="The user that the token is for.")],
    system: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The system it is for (default: every system)."),
    ] = None,
    data: Annotated[
        str, typer.Option(metavar="FOLDER", help="Data folder of the server.")
    ] = "data",
    seconds: Annotated[
        int, typer.Option(min=1, metavar="S", help="Seconds until it expires.")
    ] = 3600,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="A scope of the token, such as full for write access; can be given several times.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Print a token that authenticates a user to `sortkey rest`.

    It is signed with the secret of the server's data folder, or with SORTKEY_SECRET if that is set
    for the server.
    """
    from sortkey.systems.host_secret import derive, host_secret
    from sortkey.web.tokens import EVERY_SYSTEM, Tokens

    if "://" in data:
        raise CommandFailed(
            "the secret is in the data folder of `sortkey rest`: give that folder with --data",
            USAGE,
        )
    check_address(data)
    tokens = Tokens(derive(host_secret(data), "tokens"))
    token = tokens.issue(user, seconds, scope or (), system=system or EVERY_SYSTEM)
    if system is not None:
        note_unknown(system)
    if json:
        print_json({"token": token, "user": user, "system": system, "seconds": seconds})
    else:
        print(token)
