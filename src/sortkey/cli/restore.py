"""`sortkey restore`: tables from a backup or a point in time, or a folder from a copy."""

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
    "sortkey restore Orders --at 10m --as Orders-before     next to the table",
    "sortkey restore Orders --at 2026-11-01T12:00:00Z --in-place",
    "sortkey restore Orders --backup before-1.2 --as Orders-1.1",
    "sortkey restore shop --at 1h --in-place              the tables of a model",
    "sortkey restore --from backups/monday --data monday  a folder from its copy",
    "sortkey restore --from backups/monday --data data-sunday --at 1d",
)

At = Annotated[str | None, typer.Option(metavar="TIME", help=f"A point in time: {MOMENT_HELP}")]
BackupName = Annotated[str | None, typer.Option(metavar="BACKUP", help="A backup, by name or ARN.")]
NewName = Annotated[
    str | None, typer.Option("--as", metavar="TABLE", help="Restore to a new table.")
]
InPlace = Annotated[
    bool,
    typer.Option("--in-place", help="Change the table itself; only differences are written."),
]
CopyFolder = Annotated[
    Path | None,
    typer.Option(
        "--from",
        metavar="FOLDER",
        help="Create the data folder from a copy made with `backup --to`.",
    ),
]


def run(
    what: What = None,
    data: Data = "data",
    at: At = None,
    backup: BackupName = None,
    new_name: NewName = None,
    in_place: InPlace = False,
    copy: CopyFolder = None,
    json: Json = False,
) -> None:
    """Restore tables from a backup, or to a point in time.

    A new table has the keys and indexes of the old one but, as on AWS, not its TTL, stream and
    recovery settings. --in-place changes only items, and streams contain the changes. A point in
    time must be in the last 35 days and needs point-in-time recovery, which tables of models have
    by default. If you name no table, Sortkey's own tables without history, such as those of jobs
    and backfills, are not changed.
    """
    from sortkey.transfer import restore_folder, restore_tables

    check_name("--as", new_name)
    time = None if at is None else read_moment(at)
    restored: list[RestoredTable] = []
    with progress_bars() as on_progress:
        if copy is not None:
            _check_copy(what, backup, new_name, data)
            restore_folder(copy, Path(data), on_progress=on_progress)
            in_place = True
        elif (at is None) == (backup is None):
            raise CommandFailed(
                "give one of --at TIME and --backup BACKUP, or --from FOLDER", USAGE
            )
        if time is not None or backup is not None:
            with open_store(data) as store, _rewound_copy(data, copy):
                tables = what or []
                if what and backup is None:  # a backup may be of a deleted table
                    tables = named_tables(store.backend, what)
                restored = restore_tables(
                    store,
                    tables,
                    at=time,
                    backup=backup,
                    rename=new_name,
                    in_place=in_place,
                    on_progress=on_progress,
                )
    _print(restored, data, copy, json)


def _print(restored: Sequence[RestoredTable], data: str, copy: Path | None, json: bool) -> None:
    if json:
        print_json({"folder": data, "tables": [_as_json(table) for table in restored]})
        return
    if copy is not None:
        print(f"created {data} from {copy}")
    for table in restored:
        print(f"{table.table}: {table.summary}")


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
            "--from restores a whole folder: give only --data, and --at for an earlier state", USAGE
        )


@contextmanager
def _rewound_copy(data: str, copy: Path | None) -> Generator[None]:
    """If the tables of a new folder cannot be rewound, say that the folder itself was created."""
    from sortkey.errors import SortkeyError

    try:
        yield
    except (CommandFailed, SortkeyError) as error:
        if copy is None:
            raise
        advice = f"`sortkey restore --data {data} --at … --in-place` rewinds it"
        raise CommandFailed(
            f"created {data} from {copy}, but did not rewind it: {error}; {advice}", FAILED
        ) from None
