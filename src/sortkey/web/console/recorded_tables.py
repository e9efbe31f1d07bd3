"""Which tables record their changes: those with a stream or point-in-time recovery."""

from __future__ import annotations

from dataclasses import dataclass

from sortkey.values.table_names import is_own
from sortkey.web.console.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """Why the changes of a table cannot be shown, and what to do about it."""

    reason: str
    remedy: str


def unrecorded(workspace: Workspace, table: str) -> Unrecorded | None:
    """Why a table records no changes, or None if it does."""
    if is_recorded(workspace, table):
        return None
    if is_own(table):
        return Unrecorded(f"{table} is one of Sortkey's own tables, and records no changes.", "")
    return Unrecorded(
        f"{table} has no stream, so its changes are not recorded.", _remedy(workspace, table)
    )


def is_recorded(workspace: Workspace, table: str) -> bool:
    description = workspace.call("DescribeTable", {"TableName": table})["Table"]
    if description.get("StreamSpecification", {}).get("StreamEnabled"):
        return True
    backups = workspace.call("DescribeContinuousBackups", {"TableName": table})[
        "ContinuousBackupsDescription"
    ]
    return (
        backups.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus")
        == "ENABLED"
    )


def _remedy(workspace: Workspace, table: str) -> str:
    if workspace.table(table) is not None:
        return (
            'Give its `Table` in the model `stream="NEW_AND_OLD_IMAGES"`, and run `sortkey apply`.'
        )
    return (
        f"Enable one: `aws dynamodb update-table --table-name {table} --stream-specification "
        "StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES`, with the `--endpoint-url` of this "
        "server."
    )
