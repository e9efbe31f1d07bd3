"""`sortkey backup`: keep what tables hold now, beside them, or a copy of the whole folder elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.failure import FAILED, USAGE, CommandFailed
from sortkey.cli.moments import shown_moment
from sortkey.cli.options import Data, Json, What, check_place, open_store
from sortkey.cli.printing import print_json, progress
from sortkey.cli.tables import check_name, named_tables, pauses
from sortkey.cli.tabling import JSON_SHOWS_ALL, print_table

if TYPE_CHECKING:
    from sortkey.runtime.backend import Backend

EXAMPLES = """\
examples:
  sortkey backup Orders                        a backup of a table, as on AWS
  sortkey backup jobengine --name before-1.2   of the tables of a model
  sortkey backup --list
  sortkey backup --to backups/monday           a copy of the whole folder
  sortkey backup Orders --delete before-1.2
"""


def run(
    what: What = None,
    data: Data = "data",
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the backup (default: the time).")] = None,
    to: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Copy the whole data folder there, while it is in use.")
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="List the backups there are.")] = False,
    delete: Annotated[str | None, typer.Option(metavar="BACKUP", help="Delete a backup, by name or ARN.")] = None,
    json: Json = False,
) -> None:
    """Back up tables, as they are at this moment, while they are in use.

    A backup of tables lies beside them, in the same data, and `sortkey restore` makes a table of it.
    With --to the whole folder is copied: tables with their backups and history, and buckets.
    """
    if to is not None:
        if what or name or show or delete:
            raise CommandFailed("--to copies the whole folder: leave the rest out", USAGE)
        _copy(data, to, json)
        return
    check_name("--name", name)
    with open_store(data) as store:
        if show:
            _print(backups_of(store.backend, what or []), json)
        elif delete is not None:
            found = find_backup(store.backend, delete, what or [])
            store.backend.call("DeleteBackup", {"BackupArn": found["BackupArn"]})
            _print([{**found, "BackupStatus": "DELETED"}], json)
        else:
            tables = named_tables(store.backend, what or [])
            _print([_back_up(store.backend, table, name or _time_name()) for table in tables], json)


def backups_of(backend: Backend, tables: list[str]) -> list[dict[str, Any]]:
    """The backups of tables, or all, the oldest first. Also those of tables that are gone."""
    found: list[dict[str, Any]] = []
    request: dict[str, Any] = {"BackupType": "ALL"}
    while True:
        answer = backend.call("ListBackups", request)
        found += answer["BackupSummaries"]
        if "LastEvaluatedBackupArn" not in answer:
            break
        request["ExclusiveStartBackupArn"] = answer["LastEvaluatedBackupArn"]
    wanted = [each for each in found if not tables or each["TableName"] in tables]
    return sorted(wanted, key=lambda each: each["BackupCreationDateTime"])


def find_backup(backend: Backend, name: str, tables: list[str]) -> dict[str, Any]:
    """The backup of an ARN or a name; of several with one name the newest, if they are of one table."""
    known = backups_of(backend, tables)
    found = [each for each in known if name in (each["BackupArn"], each["BackupName"])]
    if not found:
        names = ", ".join(dict.fromkeys(each["BackupName"] for each in known)) or "none"
        raise CommandFailed(f"there is no backup {name}; there are: {names}", USAGE)
    if len({each["TableName"] for each in found}) > 1:
        several = ", ".join(each["TableName"] for each in found)
        raise CommandFailed(f"{name} is the name of backups of {several}: say of which table", USAGE)
    return found[-1]


def _back_up(backend: Backend, table: str, name: str) -> dict[str, Any]:
    details = backend.call("CreateBackup", {"TableName": table, "BackupName": name})["BackupDetails"]
    with progress(f"backup of {table}", None):
        for _ in pauses():
            told = backend.call("DescribeBackup", {"BackupArn": details["BackupArn"]})["BackupDescription"]
            details = told["BackupDetails"]
            if details["BackupStatus"] != "CREATING":
                break
    if details["BackupStatus"] != "AVAILABLE":
        raise CommandFailed(f"the backup of {table} is {details['BackupStatus']}", FAILED)
    return {"TableName": table, **details}


def _copy(data: str, to: Path, json: bool) -> None:
    from sortkey.cli.folder_copies import copy_folder

    if "://" in data:
        raise CommandFailed("--to copies a folder: --data must be one; or use `sortkey export`", USAGE)
    check_place(data)
    size = copy_folder(Path(data), to)
    if json:
        print_json({"folder": str(to), "bytes": size})
    else:
        print(f"{data} is copied to {to}: {size:,} bytes")


def _time_name() -> str:
    return f"sortkey-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"


def _print(backups: list[dict[str, Any]], json: bool) -> None:
    if json:
        print_json(backups)
    elif not backups:
        print("no backups")
    else:
        rows = [
            [b["TableName"], b["BackupName"], shown_moment(b["BackupCreationDateTime"]), b["BackupStatus"].lower(),
             f"{b.get('BackupSizeBytes', 0):,}", b["BackupArn"].rpartition("/")[2]]
            for b in backups
        ]  # fmt: skip
        print_table(["table", "backup", "made", "status", "bytes", "id"], rows, whole=2, more=JSON_SHOWS_ALL)
