"""Options that several commands of `sortkey jobengine` have."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

Priority = Annotated[
    Literal["low", "medium", "high", "critical"],
    typer.Option(help="Journeys with a higher priority run first."),
]
Data = Annotated[
    str,
    typer.Option(
        "--data",
        metavar="ADDRESS",
        help="Where journeys are stored: a folder, http://… or aws://region.",
    ),
]
Objects = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Where logs and reports are stored, with {bucket} (default: in the folder).",
    ),
]
Threads = Annotated[
    int, typer.Option(min=1, max=64, help="How many jobs this process runs at once.")
]
LostRows = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LIMIT",
        help="Rows that may be lost: N, N% or TABLE=N; may be given several times.",
    ),
]
LostValues = Annotated[
    str | None, typer.Option(metavar="LIMIT", help="Values that may be lost: N or N%.")
]
Dangling = Annotated[
    str | None, typer.Option(metavar="LIMIT", help="References that may lead nowhere: N or N%.")
]
Unread = Annotated[
    bool,
    typer.Option(
        "--allow-unread", help="Continue without statements of a dump that could not be read."
    ),
]
