"""`sortkey token`: a token for a user of the REST interfaces, signed with the secret of the data
folder.
"""

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
    user: Annotated[str, typer.Option(metavar="ID", help="Who is to be let in.")],
    system: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The system it is for (default: every system)."),
    ] = None,
    data: Annotated[
        str, typer.Option(metavar="FOLDER", help="Data folder of the server.")
    ] = "data",
    seconds: Annotated[
        int, typer.Option(min=1, metavar="S", help="How long it is good for.")
    ] = 3600,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="What it is for, as full: to change things where keys need full access; may be repeated.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Print a token with which a user is let in by `sortkey rest`.

    It is signed with the secret of the server's data folder, or with SORTKEY_SECRET where the
    server has it from there.
    """
    from sortkey.systems.host_secret import derive, host_secret
    from sortkey.web.tokens import EVERY_SYSTEM, Tokens

    if "://" in data:
        raise CommandFailed(
            "the secret lies in the folder of `sortkey rest`: name that with --data", USAGE
        )
    check_address(data)
    tokens = Tokens(derive(host_secret(data), "tokens"))
    token = tokens.issue(user, seconds, scope or (), system=system or EVERY_SYSTEM)
    if system is not None:
        note_unknown(system)
    print_json(
        {"token": token, "user": user, "system": system, "seconds": seconds}
    ) if json else print(token)
