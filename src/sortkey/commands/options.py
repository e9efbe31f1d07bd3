"""Options and arguments that several commands have, each once, and what they open."""

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
        help="Where the tables are: a folder, http://… or aws://region.",
    ),
]
Buckets = Annotated[
    str | None,
    typer.Option(
        "--objects",
        metavar="ADDRESS",
        help="Where the buckets are, with {bucket} for their names (default: buckets/{bucket} in the folder).",
    ),
]
BucketAddress = Annotated[
    str | None,
    typer.Option(
        "--objects",
        metavar="ADDRESS",
        help="Buckets that are elsewhere, as s3://name-{bucket}?region=….",
    ),
]
Index = Annotated[
    str | None,
    typer.Option(
        "--search",
        metavar="ADDRESS",
        help="Where the indexes are: OpenSearch (default: searches/ in the folder).",
    ),
]
HostName = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")]
PublicUrl = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="URL", help="Where callers and browsers reach it, if not at that address."
    ),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="NAME",
        help="A host name under which it may be reached, as behind a proxy; can be given several times.",
    ),
]
Cors = Annotated[
    list[str] | None,
    typer.Option(
        "--cors",
        metavar="ORIGIN",
        help="Let pages of this origin call DynamoDB, as https://app.example.com; can be given several times. "
        "Dangerous: * lets every web page that you visit read and write the data.",
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
    """The store of an address. A folder must be there: a name with a typing error would make a new
    one. What `begins` with an empty one says how to make it."""
    import sortkey

    check_address(data, advice=", or make it: an empty one will do" if begins else "")
    return sortkey.open(data, secret=_CURSORS)


def bucket_address(data: str, objects: str | None) -> str:
    """Where the buckets are: where it was said, or in the folder of the tables."""
    if objects is None and "://" in data:
        raise CommandFailed(
            f"the tables are at {data}: say where the buckets are, --objects s3://{{bucket}}", USAGE
        )
    return objects or os.path.join(data, "buckets", "{bucket}")


def note_unknown(system: str) -> None:
    """Warn where a key or token is for a system that is not installed here: it may be served
    elsewhere.
    """
    if system not in system_names():
        print(f"it is for {system}, which is not installed here", file=sys.stderr)


def check_address(data: str, *, makes: bool = False, advice: str = "") -> None:
    """Whether there is anything at the address of tables. What `makes` a folder needs none."""
    if "://" in data:
        _check_answers(data)
    elif not makes and not os.path.isdir(data):
        raise CommandFailed(
            f"there is no folder {data or 'without a name'}: name that of the tables with "
            f"--data{advice}",
            USAGE,
        )


def _check_answers(address: str) -> None:
    """A server that is not there is told soon; one that is there and busy gets the patience of the
    client.
    """
    import socket
    import time
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:  # told by who opens it
        return
    if parts.scheme not in ("http", "https") or host is None:
        return
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection((host, port), CONNECT_SECONDS).close()
            return
        except OSError as error:
            # It may have been started a moment ago.
            if not isinstance(error, ConnectionRefusedError) or time.monotonic() > until:
                told = error.strerror or str(error)
                raise CommandFailed(
                    f"nothing answers at {address} ({told}): start it, or name another with --data"
                ) from None
            time.sleep(START_SECONDS / 10)
