"""`sortkey restore`: tables as they were, from a backup or at a point in time; or a folder from its
copy.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.moments import MOMENT_HELP, read_moment
from sortkey.cli.tables import check_name, named_tables
from sortkey.commands.failure import FAILED, USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.options import Data, Json, What, open_store
from sortkey.commands.output import print_json, progress_bars

if TYPE_CHECKING:
    from sortkey.transfer import RestoredTable

EXAMPLES = examples(
    "sortkey restore Orders --at 10m --as Orders-before     beside the table",
    "sortkey restore Orders --at 2026-11-01T12:00:00Z --in-place",
    "sortkey restore Orders --backup before-1.2 --as Orders-1.1",
    "sortkey restore shop --at 1h --in-place              the tables of a model",
    "sortkey restore --from backups/monday --data monday  a folder from its copy",
    "sortkey restore --from backups/monday --data data-sunday --at 1d",
)


def run(
    what: What = None,
    data: Data = "data",
    at: Annotated[
        str | None, typer.Option(metavar="MOMENT", help=f"A point in time: {MOMENT_HELP}")
    ] = None,
    backup: Annotated[
        str | None, typer.Option(metavar="BACKUP", help="A backup, by name or ARN.")
    ] = None,
    new_name: Annotated[
        str | None, typer.Option("--as", metavar="TABLE", help="Make a new table of it.")
    ] = None,
    in_place: Annotated[
        bool,
        typer.Option("--in-place", help="Change the table itself: only what differs is written."),
    ] = False,
    copy: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="FOLDER", help="Make the data folder from a copy of `backup --to`."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Restore tables to what they held at a moment, or when a backup of them was made.

    A new table has the keys and indexes of the old one, but, as on AWS, no TTL, stream or recovery
    of its own. In place everything stays as it is but the items; streams tell the changes. A moment
    needs point-in-time recovery, which the tables of models have unless they say otherwise, and
    lies in the last 35 days. Where no table is named, those of Sortkey's own that keep no history,
    as of jobs and backfills, are left as they are.
    """
    from sortkey.transfer import restore_folder, restore_tables

    check_name("--as", new_name)
    moment = None if at is None else read_moment(at)
    restored: list[RestoredTable] = []
    with progress_bars() as on_progress:
        if copy is not None:
            _check_copy(what, backup, new_name, data)
            restore_folder(copy, Path(data), on_progress=on_progress)
            in_place = True
        elif (at is None) == (backup is None):
            raise CommandFailed(
                "say to what: --at a moment, or --backup; or --from a copy of the folder", USAGE
            )
        if moment is not None or backup is not None:
            with open_store(data) as store, _on_a_copy(data, copy):
                tables = what or []
                if what and backup is None:  # a backup may be of a table that is gone
                    tables = named_tables(store.backend, what)
                restored = restore_tables(
                    store,
                    tables,
                    at=moment,
                    backup=backup,
                    rename=new_name,
                    in_place=in_place,
                    on_progress=on_progress,
                )
    _print(restored, data, copy, json)


def _print(restored: Sequence[RestoredTable], data: str, copy: Path | None, json: bool) -> None:
    if json:
        print_json({"folder": data, "tables": [_as_json(each) for each in restored]})
        return
    if copy is not None:
        print(f"{data} is created from {copy}")
    for each in restored:
        print(f"{each.table}: {each.summary}")


def _as_json(restored: RestoredTable) -> dict[str, Any]:
    return {
        "table": restored.table,
        "summary": restored.summary,
        "put": restored.items_put,
        "deleted": restored.items_deleted,
    }


def _check_copy(
    what: list[str] | None, backup: str | None, new_name: str | None, data: str
) -> None:
    if what or backup or new_name or "://" in data:
        raise CommandFailed(
            "--from makes a whole folder: give only --data, and --at if it should be older", USAGE
        )


@contextmanager
def _on_a_copy(data: str, copy: Path | None) -> Generator[None]:
    """Where the folder is made and its tables cannot be rewound, say that it is there all
    the same.
    """
    from sortkey.errors import SortkeyError

    try:
        yield
    except (CommandFailed, SortkeyError) as error:
        if copy is None:
            raise
        advice = f"`sortkey restore --data {data} --at … --in-place` can rewind it"
        raise CommandFailed(
            f"{data} is created from {copy}, but not rewound: {error}; {advice}", FAILED
        ) from None
