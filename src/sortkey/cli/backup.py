"""`sortkey backup`: back up tables next to them, or copy the whole data folder elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.tables import check_name, named_tables
from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.options import Data, Json, What, check_address, open_store
from sortkey.commands.output import print_json, progress_bars
from sortkey.commands.table_output import JSON_SHOWS_ALL, print_table

if TYPE_CHECKING:
    from sortkey.transfer import Backup

EXAMPLES = examples(
    "sortkey backup Orders                        one table, as on AWS",
    "sortkey backup shop --name before-1.2        the tables of a model",
    "sortkey backup --list",
    "sortkey backup --to backups/monday           a copy of the whole folder",
    "sortkey backup Orders --delete before-1.2",
)


def run(
    what: What = None,
    data: Data = "data",
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the backup (default: the time).")
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Copy the whole data folder there, even while it is in use."
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="List the backups.")] = False,
    delete: Annotated[
        str | None, typer.Option(metavar="BACKUP", help="Delete a backup, by name or ARN.")
    ] = None,
    json: Json = False,
) -> None:
    """Back up tables as they are at this moment, even while they are in use.

    Backups are stored with the tables; `sortkey restore` creates a table from one. --to copies the
    whole folder: tables with their backups and history, and buckets.
    """
    if to is not None:
        if what or name or show or delete:
            raise CommandFailed("--to copies the whole folder: omit the other options", USAGE)
        _copy(data, to, json)
        return
    from sortkey.transfer import create_backups, delete_backup, find_backup, list_backups

    check_name("--name", name)
    with open_store(data) as store, progress_bars() as on_progress:
        if show:
            _print(list_backups(store, what or ()), json)
        elif delete is not None:
            backup = find_backup(store, delete, what or ())
            delete_backup(store, backup)
            _print([replace(backup, status="DELETED")], json)
        else:
            tables = named_tables(store.backend, what or [])
            _print(create_backups(store, tables, name=name, on_progress=on_progress), json)


def _copy(data: str, to: Path, json: bool) -> None:
    from sortkey.transfer import copy_folder

    if "://" in data:
        raise CommandFailed(
            "--to needs a folder in --data: for tables elsewhere use `sortkey export`", USAGE
        )
    check_address(data)
    with progress_bars() as on_progress:
        size = copy_folder(Path(data), to, on_progress=on_progress)
    if json:
        print_json({"folder": str(to), "bytes": size})
    else:
        print(f"copied {data} to {to}: {size:,} bytes")


def _print(backups: Sequence[Backup], json: bool) -> None:
    if json:
        print_json([_as_aws(backup) for backup in backups])
    elif not backups:
        print("no backups")
    else:
        columns = ("table", "backup", "created", "status", "bytes", "id")
        print_table(columns, [_cells(backup) for backup in backups], whole=2, more=JSON_SHOWS_ALL)


def _as_aws(backup: Backup) -> dict[str, Any]:
    """With AWS's names."""
    return {
        "TableName": backup.table,
        "BackupName": backup.name,
        "BackupArn": backup.arn,
        "BackupCreationDateTime": backup.created_at.timestamp(),
        "BackupStatus": backup.status,
        "BackupSizeBytes": backup.size_bytes,
    }


def _cells(backup: Backup) -> tuple[str, ...]:
    created = f"{backup.created_at:%Y-%m-%d %H:%M:%S}Z"
    size, identity = f"{backup.size_bytes:,}", backup.arn.rpartition("/")[2]
    return backup.table, backup.name, created, backup.status.lower(), size, identity
