"""`sortkey restore`: tables as they were, from a backup or at a point in time; or a folder from its copy."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.backup import find_backup
from sortkey.cli.failure import FAILED, USAGE, CommandFailed
from sortkey.cli.moments import MOMENT_HELP, read_moment
from sortkey.cli.options import Data, Json, What, open_store
from sortkey.cli.printing import print_json, progress
from sortkey.cli.rewinding import make_equal
from sortkey.cli.tables import check_name, describe, going, has_recovery, named_tables, waiting
from sortkey.values.table_names import is_own

if TYPE_CHECKING:
    from sortkey.runtime.backend import Backend

EXAMPLES = """\
examples:
  sortkey restore Orders --at 10m --as Orders-before        beside the table
  sortkey restore Orders --at 2026-11-01T12:00:00Z --in-place
  sortkey restore Orders --backup before-1.2 --as Orders-1.1
  sortkey restore jobengine --at 1h --in-place              the tables of a model
  sortkey restore --from backups/monday --data data-monday  a folder from its copy
  sortkey restore --from backups/monday --data data-sunday --at 1d
"""


def run(
    what: What = None,
    data: Data = "data",
    at: Annotated[str | None, typer.Option(metavar="MOMENT", help=f"A point in time: {MOMENT_HELP}")] = None,
    backup: Annotated[str | None, typer.Option(metavar="BACKUP", help="A backup, by name or ARN.")] = None,
    new_name: Annotated[str | None, typer.Option("--as", metavar="TABLE", help="Make a new table of it.")] = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Change the table itself: only what differs is written.")
    ] = False,
    copy: Annotated[
        Path | None, typer.Option("--from", metavar="FOLDER", help="Make the data folder from a copy of `backup --to`.")
    ] = None,
    json: Json = False,
) -> None:
    """Restore tables to what they held at a moment, or when a backup of them was made.

    A new table has the keys and indexes of the old one, but, as on AWS, no TTL, stream or recovery of its own.
    In place everything stays as it is but the items; streams tell the changes. A moment needs point-in-time recovery,
    which the tables of models have unless they say otherwise, and lies in the last 35 days. Where no table is named,
    those of Sortkey's own that keep no history, as of jobs and backfills, are left as they are.
    """
    check_name("--as", new_name)
    moment = None if at is None else read_moment(at).timestamp()
    if copy is not None:
        _check_copy(what, backup, new_name, data)
        from sortkey.cli.folder_copies import put_back

        put_back(copy, Path(data))
        in_place = True
    elif (at is None) == (backup is None):
        raise CommandFailed("say to what: --at a moment, or --backup; or --from a copy of the folder", USAGE)
    told: list[dict[str, Any]] = []
    if moment is not None or backup is not None:
        with open_store(data) as store, _on_a_copy(data, copy):
            told = _restore(store.backend, what or [], moment, backup, new_name, in_place)
    if json:
        print_json({"folder": data, "tables": told})
        return
    if copy is not None:
        print(f"{data} is made from {copy}")
    for each in told:
        print(f"{each['table']}: {each['told']}")


def _check_copy(what: list[str] | None, backup: str | None, new_name: str | None, data: str) -> None:
    if what or backup or new_name or "://" in data:
        raise CommandFailed("--from makes a whole folder: give only --data, and --at if it should be older", USAGE)


@contextmanager
def _on_a_copy(data: str, copy: Path | None) -> Generator[None]:
    """Where the folder is made and its tables cannot be rewound, say that it is there all the same."""
    from sortkey.errors import SortkeyError

    try:
        yield
    except (CommandFailed, SortkeyError) as error:
        if copy is None:
            raise
        goes_on = f"`sortkey restore --data {data} --at … --in-place` can rewind it"
        raise CommandFailed(f"{data} is made from {copy}, and not rewound: {error}; {goes_on}", FAILED) from None


def _restore(
    backend: Backend, names: list[str], moment: float | None, backup: str | None, new_name: str | None, in_place: bool
) -> list[dict[str, Any]]:
    tables = _tables(backend, names, backup)
    left = [] if moment is None else _without_recovery(backend, tables, is_every=not names)
    tables = [table for table in tables if table not in left]
    if new_name is not None and (len(tables) != 1 or in_place):
        raise CommandFailed("--as is for one table, and not together with --in-place", USAGE)
    told = [_restore_one(backend, table, moment, backup, new_name, in_place) for table in tables]
    return [*told, *(_told(table, "left as it is, for it keeps no history") for table in left)]


def _tables(backend: Backend, names: list[str], backup: str | None) -> list[str]:
    """Those that are named; a backup may be of a table that is gone."""
    if backup is None:
        return named_tables(backend, names)
    return [find_backup(backend, backup, names)["TableName"]]


def _without_recovery(backend: Backend, tables: list[str], *, is_every: bool) -> list[str]:
    """What cannot be restored to a moment and need not be: where every table is meant, those of Sortkey's own that keep
    no history, as of jobs. Any other is refused."""
    without = [table for table in tables if not has_recovery(backend, table)]
    if refused := [table for table in without if not (is_every and is_own(table))]:
        raise CommandFailed(
            f"without point-in-time recovery, so that nothing is kept of before: {', '.join(refused)}", FAILED
        )
    return without


def _restore_one(
    backend: Backend, table: str, moment: float | None, backup: str | None, new_name: str | None, in_place: bool
) -> dict[str, Any]:
    from sortkey.runtime.evolution.forgetting import forget_backfills
    from sortkey.runtime.store import Store

    if not _is_there(backend, table) and not new_name:
        new_name, in_place = table, False
    if new_name is None and not in_place:
        raise CommandFailed(f"{table} is there: give the restored one another name with --as, or --in-place", USAGE)
    target = new_name or f"{table}.restoring"
    if in_place and _is_there(backend, target):  # of a run that was interrupted
        _wait(backend, target, f"what an earlier run left of {table}")
        _drop(backend, target)
        _wait_gone(backend, target)
    forget_backfills(Store(backend), table if in_place else target)
    _make(backend, table, target, moment, backup)
    if not in_place:
        return _told(target, f"made from {table}")
    put, deleted = make_equal(backend, target, table)
    _drop(backend, target)
    return _told(table, f"{put:,} items put back, {deleted:,} deleted", put, deleted)


def _told(table: str, told: str, put: int | None = None, deleted: int | None = None) -> dict[str, Any]:
    return {"table": table, "told": told, "put": put, "deleted": deleted}


def _make(backend: Backend, table: str, target: str, moment: float | None, backup: str | None) -> None:
    if backup is not None:
        arn = find_backup(backend, backup, [table])["BackupArn"]
        backend.call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": target})
    else:
        request = {"SourceTableName": table, "TargetTableName": target, "RestoreDateTime": moment}
        backend.call("RestoreTableToPointInTime", request)
    _wait(backend, target, f"restoring {table}")


def _is_there(backend: Backend, table: str) -> bool:
    """Whether a name is taken by a table that stays. One that is being dropped is waited for."""
    described = describe(backend, table)
    if described is not None and described["TableStatus"] == "DELETING":
        _wait_gone(backend, table)
        return False
    return described is not None


def _wait(backend: Backend, table: str, title: str) -> None:
    with progress(title, None) as advance:
        for _ in waiting(backend, table):
            advance(0)


def _wait_gone(backend: Backend, table: str) -> None:
    with progress(f"until {table} is deleted", None) as advance:
        for _ in going(backend, table):
            advance(0)


def _drop(backend: Backend, table: str) -> None:
    backend.call("DeleteTable", {"TableName": table})
