"""Options and arguments that several commands share, and what they open."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from sortkey.commands.completion import complete_documents, complete_models
from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.models import MODEL_HELP
from sortkey.systems.installed import system_names

if TYPE_CHECKING:
    from sortkey.runtime.store import Store

Data = Annotated[
    str,
    typer.Option(
        "--data",
        metavar="ADDRESS",
        help="Address of the tables: a folder, http://… or aws://region.",
    ),
]
Buckets = Annotated[
    str | None,
    typer.Option(
        "--objects",
        metavar="ADDRESS",
        help="Address of the buckets, with {bucket} for their names (default: buckets/{bucket} in "
        "the folder).",
    ),
]
BucketAddress = Annotated[
    str | None,
    typer.Option(
        "--objects",
        metavar="ADDRESS",
        help="Address of buckets elsewhere, such as s3://name-{bucket}?region=….",
    ),
]
Index = Annotated[
    str | None,
    typer.Option(
        "--search",
        metavar="ADDRESS",
        help="Address of OpenSearch (default: searches/ in the folder).",
    ),
]
HostName = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")]
PublicUrl = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="URL", help="Public URL, if callers and browsers do not use that address."
    ),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="NAME",
        help="Host name that requests may use, for example behind a proxy; can be given several "
        "times.",
    ),
]
Cors = Annotated[
    list[str] | None,
    typer.Option(
        "--cors",
        metavar="ORIGIN",
        help="Let web pages of this origin, such as https://app.example.com, call DynamoDB; can be "
        "given several times. Dangerous: * lets every page that you visit read and write the data.",
    ),
]
Port = Annotated[
    int,
    typer.Option("--port", metavar="PORT", min=0, max=65535, help="Port; 0 takes a free one."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
JsonFormat = Annotated[bool, typer.Option("--json", help="The same as --format json.")]

ModelName = Annotated[
    str, typer.Argument(metavar="MODEL", help=MODEL_HELP, autocompletion=complete_models)
]
What = Annotated[
    list[str] | None,
    typer.Argument(metavar="WHAT", help="Tables or models (default: every table)."),
]
Documents = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DOCUMENT",
        help="Search documents (default: all of the model).",
        autocompletion=complete_documents,
    ),
]

START_SECONDS = 0.5
CONNECT_SECONDS = 5.0
_CURSORS = b"sortkey query: cursors of a command line, whose user may read everything anyway"


def open_store(data: str, *, begins: bool = False) -> Store:
    """Open the store at an address. A folder must exist: a typo would create a new one. With
    `begins`, the error says that an empty folder is enough.
    """
    import sortkey

    check_address(data, advice=", or create it: an empty folder is enough" if begins else "")
    return sortkey.open(data, secret=_CURSORS)


def bucket_address(data: str, objects: str | None) -> str:
    """The address of the buckets: the given one, or in the folder of the tables."""
    if objects is None and "://" in data:
        raise CommandFailed(
            f"the tables are at {data}: give the buckets with --objects s3://{{bucket}}", USAGE
        )
    return objects or os.path.join(data, "buckets", "{bucket}")


def note_unknown(system: str) -> None:
    """Print a note if a system is not installed here. It may be served elsewhere."""
    if system not in system_names():
        print(f"note: {system} is not installed here", file=sys.stderr)


def check_address(data: str, *, creates: bool = False, advice: str = "") -> None:
    """Fail if nothing is at the address of tables. With `creates`, a folder need not exist."""
    if "://" in data:
        _check_answers(data)
    elif not creates and not os.path.isdir(data):
        raise CommandFailed(
            f"there is no folder {data!r}: give that of the tables with --data{advice}",
            USAGE,
        )


def _check_answers(address: str) -> None:
    """Fail soon if no server listens. A server that is only busy gets the timeout of the client."""
    import socket
    import time
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:  # reported when it is opened
        return
    if parts.scheme not in ("http", "https") or host is None:
        return
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection((host, port), CONNECT_SECONDS).close()
            return
        except OSError as error:
            # It may still be starting.
            if not isinstance(error, ConnectionRefusedError) or time.monotonic() > until:
                reason = error.strerror or str(error)
                raise CommandFailed(
                    f"nothing answers at {address} ({reason}): start the server, or give another "
                    "address with --data"
                ) from None
            time.sleep(START_SECONDS / 10)
