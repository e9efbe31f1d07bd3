"""Whole tables in and out: exports, imports, backups, restores, and copies of a data folder.

    export_tables, import_tables      tables as files of JSON Lines
    create_backups, list_backups      what tables hold now, kept beside them, as on AWS
    restore_tables                    tables as they were, at a moment or in a backup
    copy_folder, restore_folder       a whole data folder, copied while it is in use

Every function takes `on_progress`, which is called with a `TransferProgress` as work is done. What
cannot begin raises TransferRefused, what breaks in the middle TransferFailed. Exports and imports
that were interrupted continue when they are called again with the same arguments.
"""

from __future__ import annotations

from sortkey.transfer.backups import (
    Backup,
    create_backups,
    delete_backup,
    find_backup,
    list_backups,
)
from sortkey.transfer.exports import export_tables
from sortkey.transfer.folder_copies import copy_folder, restore_folder
from sortkey.transfer.imports import import_tables
from sortkey.transfer.progress import OnProgress, TransferProgress
from sortkey.transfer.restores import RestoredTable, restore_tables
from sortkey.transfer.table_files import Export, ExportedTable

__all__ = [
    "Backup",
    "Export",
    "ExportedTable",
    "OnProgress",
    "RestoredTable",
    "TransferProgress",
    "copy_folder",
    "create_backups",
    "delete_backup",
    "export_tables",
    "find_backup",
    "import_tables",
    "list_backups",
    "restore_folder",
    "restore_tables",
]
