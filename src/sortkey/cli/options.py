"""Options that several commands have, and what they open."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from sortkey.cli.failure import USAGE, CommandFailed

if TYPE_CHECKING:
    from sortkey.runtime.store import Store

Data = Annotated[
    str, typer.Option("--data", metavar="ADDRESS", help="Where the tables are: a folder, http://… or aws://region.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

_CURSORS = b"sortkey query: cursors of a command line, whose user may read everything anyway"


def open_store(data: str) -> Store:
    """The store of an address. A folder must be there: a name with a typing error would make a new one."""
    import sortkey

    check_folder(data)
    return sortkey.open(data, secret=_CURSORS)


def check_folder(data: str) -> None:
    if "://" not in data and not os.path.isdir(data):
        raise CommandFailed(
            f"there is no folder {data or 'without a name'}: name that of the tables with --data", USAGE
        )
