"""`sortkey vams sync`: a folder of this machine and the files of an asset, made equal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sortkey.commands import FAILED, USAGE, CommandFailed, Json, examples, print_json, progress
from sortkey_systems.vams.client.client import Client, asset_path
from sortkey_systems.vams.client.contents import contents_of_folder
from sortkey_systems.vams.client.synchronization import (
    Differences,
    SyncReport,
    differences,
    pull,
    push,
)
from sortkey_systems.vams.commands.connection import (
    As,
    AssetArgument,
    DatabaseArgument,
    Url,
    connected,
)
from sortkey_systems.vams.commands.connection import Folder as DataFolder

EXAMPLES = examples(
    "sortkey vams sync models/ plant-rotterdam pump-p101 --dry-run",
    'sortkey vams sync models/ plant-rotterdam pump-p101 --version "Flange moved"',
    "sortkey vams sync models/ plant-rotterdam pump-p101 --pull",
)
FolderArgument = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="A folder on this machine.", file_okay=False)
]


def sync(
    folder: FolderArgument,
    database: DatabaseArgument,
    asset: AssetArgument,
    is_pull: Annotated[
        bool, typer.Option("--pull", help="Change the folder, not the asset.")
    ] = False,
    create: Annotated[
        bool, typer.Option("--create", help="Create the asset if it is missing.")
    ] = False,
    delete: Annotated[
        bool,
        typer.Option("--delete", help="Archive (with --pull: remove) what the source lacks."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
    version: Annotated[
        str | None,
        typer.Option("--version", metavar="COMMENT", help="Record a version if files changed."),
    ] = None,
    data: DataFolder = "data",
    url: Url = None,
    user: As = None,
    json: Json = False,
) -> None:
    """Upload the new and changed files of a folder into an asset, or the other way round.

    Files are compared by size and hash. Links and names that begin with a dot are left out.
    """
    if not is_pull and not folder.is_dir():
        raise CommandFailed(f"there is no folder {folder}", USAGE)
    if is_pull and version is not None:
        raise CommandFailed("--version is for uploads: it does not go with --pull", USAGE)
    folder = folder.absolute()
    with connected(data, url, user) as connection:
        client = connection.client
        if create and not is_pull and not dry_run:
            _ensure_asset(client, database, asset)
        contents = contents_of_folder(folder)
        found = differences(client, database, asset, contents)
        if dry_run:
            _print_plan(found, is_pull=is_pull, deletes=delete, is_json=json)
            return
        with progress("sync", len(found.to_copy), "files") as advance:
            if is_pull:
                report = pull(
                    client, database, asset, folder, deletes=delete, on_file=lambda _: advance(1)
                )
            else:
                report = push(
                    client, database, asset, contents, deletes=delete, on_file=lambda _: advance(1)
                )
        created = _record_version(client, database, asset, version, report)
    _print_report(report, created, is_json=json)


def _ensure_asset(client: Client, database: str, asset: str) -> None:
    if client.find(asset_path(database, asset)) is None:
        body = {"databaseId": database, "assetId": asset, "assetName": asset}
        more = {"description": "Created by sync", "isDistributable": True}
        client.post("/assets", {**body, **more})


def _record_version(
    client: Client, database: str, asset: str, comment: str | None, report: SyncReport
) -> str | None:
    """A version of the new state, unless something failed or nothing has changed."""
    if comment is None or report.failed or not (report.copied or report.removed):
        return None
    body = {"comment": comment, "useLatestFiles": True}
    return client.post(asset_path(database, asset, "createVersion"), body)["assetVersionId"]


def _print_plan(found: Differences, *, is_pull: bool, deletes: bool, is_json: bool) -> None:
    missing, extra = (found.extra, found.new) if is_pull else (found.new, found.extra)
    plan = {"new": missing, "changed": found.changed, "removed": extra if deletes else []}
    if is_json:
        print_json(plan)
        return
    for what, paths in plan.items():
        for path in paths:
            print(f"{what}\t{path}")
    if not any(plan.values()):
        print("nothing to do")


def _print_report(report: SyncReport, version: str | None, *, is_json: bool) -> None:
    if is_json:
        print_json(
            {
                "copied": report.copied,
                "removed": report.removed,
                "failed": report.failed,
                "version": version,
            }
        )
    else:
        for path in report.copied:
            print(f"copied\t{path}")
        for path in report.removed:
            print(f"removed\t{path}")
        if version is not None:
            print(f"version\t{version}")
    for path, reason in report.failed.items():
        print(f"{path}: {reason}", file=sys.stderr)
    if report.failed:
        raise typer.Exit(FAILED)
