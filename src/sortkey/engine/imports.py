"""Imports: fills a new table from files under a prefix of a bucket's folder. Bad lines are counted
and skipped.
"""

from __future__ import annotations

import csv
import logging
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from sortkey.engine import buckets, import_files, jobs, writes
from sortkey.engine.item_keys import check_item
from sortkey.engine.tables import Table
from sortkey.errors import ClientError, ImportNotFoundException, ValidationException
from sortkey.values.attributes import read_item
from sortkey.values.sizes import check_item_size

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

log = logging.getLogger("sortkey.engine.imports")

KIND = "import"
SLICE_RECORDS = 500
SLICE_BYTES = 4 * 1024 * 1024
LOGGED_MAX = 100
"""How many bad lines are logged per import. The rest are only counted."""

_open: dict[str, tuple[int, int, Iterator[import_files.Record]]] = {}
"""The positions of this process's imports in their files (file, record, reader), so that a slice
need not skip.
"""


def find(engine: Engine, arn: str) -> dict[str, Any]:
    """An import's description, by its ARN."""
    if not arn.startswith("arn:") or "/import/" not in arn:
        raise ValidationException("Invalid Import ARN")
    description = engine.records.get(KIND, arn.rsplit("/", 1)[-1])
    if description is None or description["ImportArn"] != arn:
        raise ImportNotFoundException(f"Import not found: {arn}")
    return description


def start(engine: Engine, table: Table, description: dict[str, Any]) -> None:
    """Start to fill a new table, which cannot be used until the end."""
    engine.database.begin()
    engine.catalog.save(replace(table, status="CREATING"))
    id = description["ImportArn"].rsplit("/", 1)[-1]
    engine.records.put(KIND, id, description)
    jobs.start(engine, KIND, {"id": id, "table": table.name, "file": 0, "record": 0, "keys": None})


def step(engine: Engine, state: jobs.State) -> bool:
    """Do a slice of a running import."""
    description = engine.records.get(KIND, state["id"])
    table = engine.catalog.find(state["table"])
    assert description is not None
    failure: dict[str, str] | None = None
    done = True
    if table is None:
        failure = {
            "FailureCode": "TableNotFound",
            "FailureMessage": "The table was deleted during the import",
        }
    else:
        try:
            failure = _find_files(engine, description, state)
            done = failure is not None or _slice(engine, table, description, state)
        except (OSError, EOFError, zlib.error, csv.Error) as error:
            failure = {"FailureCode": "S3AccessDenied", "FailureMessage": str(error)}
    if done or failure:
        _finish(engine, table, description, failure)
        _open.pop(state["id"], None)
    engine.records.put(KIND, state["id"], description)
    return done or failure is not None


def _find_files(
    engine: Engine, description: dict[str, Any], state: jobs.State
) -> dict[str, str] | None:
    """List the files, once. Returns the failure if there are none."""
    if state["keys"] is not None:
        return None
    source = description["S3BucketSource"]
    if not buckets.folder(engine, source["S3Bucket"]).is_dir():
        return {
            "FailureCode": "S3NoSuchBucket",
            "FailureMessage": "The specified bucket does not exist",
        }
    keys = buckets.keys(engine, source["S3Bucket"], source.get("S3KeyPrefix") or "")
    state["keys"] = [key for key in keys if not import_files.is_manifest(key)]
    if not state["keys"]:
        return {
            "FailureCode": "S3NoSuchKey",
            "FailureMessage": "There is no file under the specified prefix",
        }
    return None


def _slice(engine: Engine, table: Table, description: dict[str, Any], state: jobs.State) -> bool:
    """Import the next records. Returns whether they were the last."""
    remaining, total = SLICE_RECORDS, 0
    while state["file"] < len(state["keys"]):
        for record in _reader(engine, table, description, state):
            _import(engine, table, description, record)
            state["record"] += 1
            remaining, total = remaining - 1, total + record.size
            if remaining <= 0 or total >= SLICE_BYTES:
                _remember(state)
                return False
        _open.pop(state["id"], None)
        state["file"], state["record"] = state["file"] + 1, 0
    return True


def _import(
    engine: Engine, table: Table, description: dict[str, Any], record: import_files.Record
) -> None:
    description["ProcessedItemCount"] += 1
    description["ProcessedSizeBytes"] += record.size
    try:
        item, size = read_item(record.item())
        check_item_size(size)
        check_item(table, item)
    except (ClientError, import_files.BadRecord) as error:
        description["ErrorCount"] += 1
        if description["ErrorCount"] <= LOGGED_MAX:
            log.warning(
                "%s: record %d: %s",
                description["ImportArn"],
                description["ProcessedItemCount"],
                error,
            )
        return
    writes.load(engine, table, table.encode(item), item, orjson.dumps(item), size)
    description["ImportedItemCount"] += 1


def _finish(
    engine: Engine, table: Table | None, description: dict[str, Any], failure: dict[str, str] | None
) -> None:
    if failure is None and description["ErrorCount"]:
        failure = {
            "FailureCode": "ItemValidationError",
            "FailureMessage": "Some of the items failed validation checks. Please check the log for more details.",
        }
    description.update(failure or {})
    description["ImportStatus"] = "FAILED" if failure else "COMPLETED"
    description["EndTime"] = round(engine.clock(), 3)
    if table is not None:
        engine.catalog.save(replace(table, status="ACTIVE"))


# -- positions in files


def _reader(
    engine: Engine, table: Table, description: dict[str, Any], state: jobs.State
) -> Iterator[import_files.Record]:
    position = _open.pop(state["id"], None)
    if position is None or position[:2] != (state["file"], state["record"]):
        path = (
            buckets.folder(engine, description["S3BucketSource"]["S3Bucket"])
            / state["keys"][state["file"]]
        )
        reader = import_files.records(path, description, table)
        for _ in range(state["record"]):  # after a restart: these are in the table already
            next(reader, None)
    else:
        reader = position[2]
    _open[state["id"]] = (state["file"], state["record"], reader)
    return reader


def _remember(state: jobs.State) -> None:
    _open[state["id"]] = (state["file"], state["record"], _open[state["id"]][2])
