"""Exports of tables into a bucket's folder, in the layout and the DynamoDB JSON of AWS's exports to
S3.

A full export is a copy of the table as of an instant. An incremental one has the changes between
two instants, by key.
"""

from __future__ import annotations

import gzip
import hashlib
from base64 import b64encode
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from sortkey.engine import buckets, export_filters, jobs, snapshots
from sortkey.engine.export_filters import ExportFilter
from sortkey.engine.tables import Table
from sortkey.errors import ExportNotFoundException, ValidationException
from sortkey.values.attributes import Item

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

KIND = "export"
FILE_ROWS = 5000
FILE_BYTES = 4 * 1024 * 1024
SLICE_ENTRIES = 1000


def find(engine: Engine, arn: str) -> dict[str, Any]:
    """An export's description, by its ARN."""
    if not arn.startswith("arn:") or "/export/" not in arn:
        raise ValidationException("Invalid Export ARN")
    description = engine.records.get(KIND, arn.rsplit("/", 1)[-1])
    if description is None or description["ExportArn"] != arn:
        raise ExportNotFoundException(f"Export not found: Export not found: {arn}")  # sic
    return description


def start_full(engine: Engine, table: Table, description: dict[str, Any], cut: int) -> None:
    """Start to export the table as of a sequence number of the journal."""
    snapshot = snapshots.begin(engine, table, cut)
    state = {
        "snapshot": snapshot.to_state(),
        "rows": snapshot.rows,
        **jobs.holding(table.number, cut),
    }
    _start(engine, table, description, state)


def start_incremental(
    engine: Engine, table: Table, description: dict[str, Any], after: int, end: int
) -> None:
    """Start to export the changes between two sequence numbers of the journal."""
    engine.database.begin()
    number = engine.catalog.next_number()
    snapshots.rows_of(engine, number).create()
    changes = {"after": after, "end": end, "key_names": table.key.names, "done": False}
    _start(
        engine,
        table,
        description,
        {"changes": changes, "rows": number, **jobs.holding(table.number, after)},
    )


def step(engine: Engine, state: jobs.State) -> bool:
    """Do a slice of a running export. A disk error fails the export, not the engine."""
    if not _gathered(engine, state):
        return False
    description = engine.records.get(KIND, state["id"])
    assert description is not None
    try:
        if not state["written"]:  # AWS checks this way whether the bucket is writable
            buckets.write(engine, description["S3Bucket"], f"{_folder(description)}/_started", b"")
        if _write_file(engine, description, state):
            return False
        _finish(engine, description, state)
    except OSError as error:
        failure = {
            "ExportStatus": "FAILED",
            "FailureCode": "S3AccessDenied",
            "FailureMessage": str(error),
        }
        description.update(failure, EndTime=round(engine.clock(), 3))
    engine.records.put(KIND, state["id"], description)
    snapshots.rows_of(engine, state["rows"]).drop()
    return True


def _start(engine: Engine, table: Table, description: dict[str, Any], state: jobs.State) -> None:
    id = description["ExportArn"].rsplit("/", 1)[-1]
    state["keys"] = export_filters.bounds(
        table, export_filters.read(description.get("FilterSpecification"))
    )
    engine.records.put(KIND, id, description)
    jobs.start(engine, KIND, {**state, "id": id, "written": 0, "files": []})


# -- collecting the content in separate rows


def _gathered(engine: Engine, state: jobs.State) -> bool:
    if "changes" in state:
        return state["changes"]["done"] or _gather_changes(engine, state)
    snapshot = snapshots.Snapshot(**state["snapshot"])
    done = snapshots.advance(engine, snapshot)
    state["snapshot"] = snapshot.to_state()
    return done


def _gather_changes(engine: Engine, state: jobs.State) -> bool:
    """Fold the journal by key: the oldest old image, the newest new one."""
    changes, rows = state["changes"], snapshots.rows_of(engine, state["rows"])
    entries = engine.journal.read(state["source"], changes["after"], changes["end"], SLICE_ENTRIES)
    for entry in entries:
        known = rows.get(entry.key)
        line: dict[str, Any] = (
            orjson.loads(known[0]) if known else {"old": entry.old and orjson.loads(entry.old)}
        )
        line["new"] = entry.new and orjson.loads(entry.new)
        line["at_ms"] = entry.at_ms
        image = line["new"] or line["old"] or orjson.loads(entry.old or b"{}")
        line["keys"] = {name: image[name] for name in changes["key_names"]}
        rows.put(entry.key, orjson.dumps(line), 0, None, ())
        changes["after"] = entry.seq
    changes["done"] = len(entries) < SLICE_ENTRIES
    return changes["done"]


# -- writing


def _write_file(engine: Engine, description: dict[str, Any], state: jobs.State) -> bool:
    """Write the next data file. Returns False if there was nothing left. The first is always
    written.
    """
    filters = export_filters.read(description.get("FilterSpecification"))
    lines: list[bytes] = []
    seen = total = 0
    for id, row_key, content, _ in snapshots.rows_of(engine, state["rows"]).walk(state["written"]):
        state["written"] = id
        seen += 1
        if export_filters.within(state.get("keys"), row_key):
            line = (
                _change_line(description, filters, content)
                if "changes" in state
                else _item_line(filters, content)
            )
            lines += [] if line is None else [line]
            total += len(line or b"")
        if seen >= FILE_ROWS or total >= FILE_BYTES:
            break
    if not seen and state["files"]:
        return False
    if seen and not lines:  # the filter excludes all of these
        return True
    packed = gzip.compress(b"".join(line + b"\n" for line in lines), compresslevel=1, mtime=0)
    # A retry after a crash uses the same name.
    name = hashlib.blake2b(
        f"{state['id']}/{len(state['files'])}".encode(), digest_size=13
    ).hexdigest()
    base = _folder(description) if "changes" not in state else _root(description)
    key = f"{base}/data/{name}.json.gz"
    buckets.write(engine, description["S3Bucket"], key, packed)
    digest = hashlib.md5(packed, usedforsecurity=False)
    state["files"].append(
        {
            "itemCount": len(lines),
            "md5Checksum": b64encode(digest.digest()).decode(),
            "etag": digest.hexdigest(),
            "dataFileS3Key": key,
        }
    )
    return bool(seen)


def _item_line(filters: ExportFilter, content: bytes) -> bytes | None:
    """The line of an item, or None if the filter excludes it."""
    if filters.condition is not None or filters.projection is not None:
        item: Item = orjson.loads(content)
        if not filters.keeps(item):
            return None
        content = orjson.dumps(filters.project(item))
    return b'{"Item":' + content + b"}"


def _change_line(
    description: dict[str, Any], filters: ExportFilter, content: bytes
) -> bytes | None:
    """The same for a change."""
    change: dict[str, Any] = orjson.loads(content)
    if not filters.keeps(change["new"] or change["old"] or change["keys"]):
        return None
    line: dict[str, Any] = {
        "Metadata": {"WriteTimestampMicros": {"N": str(change["at_ms"] * 1000)}},
        "Keys": change["keys"],
    }
    view = description["IncrementalExportSpecification"]["ExportViewType"]
    if change["old"] is not None and view == "NEW_AND_OLD_IMAGES":
        line["OldImage"] = filters.project(change["old"])
    if change["new"] is not None:
        line["NewImage"] = filters.project(change["new"])
    return orjson.dumps(line)


def _finish(engine: Engine, description: dict[str, Any], state: jobs.State) -> None:
    description["ExportStatus"] = "COMPLETED"
    description["EndTime"] = round(engine.clock(), 3)
    description["ItemCount"] = sum(file["itemCount"] for file in state["files"])
    folder = _folder(description)
    files = b"".join(orjson.dumps(file) + b"\n" for file in state["files"])
    summary = orjson.dumps(_summary(description))
    for name, content in (("manifest-files", files), ("manifest-summary", summary)):
        checksum = b64encode(hashlib.md5(content, usedforsecurity=False).digest())
        buckets.write(engine, description["S3Bucket"], f"{folder}/{name}.json", content)
        buckets.write(engine, description["S3Bucket"], f"{folder}/{name}.md5", checksum)


def _summary(description: dict[str, Any]) -> dict[str, Any]:
    incremental = description.get("IncrementalExportSpecification")
    summary: dict[str, Any] = {
        "version": "2020-06-30" if incremental is None else "2023-08-01",
        "exportArn": description["ExportArn"],
        "startTime": _instant(description["StartTime"]),
        "endTime": _instant(description["EndTime"]),
        "tableArn": description["TableArn"],
        "tableId": description["TableId"],
    }
    if incremental is None:
        summary["exportTime"] = _instant(description["ExportTime"])
    else:
        summary["exportFromTime"] = _instant(incremental["ExportFromTime"])
        summary["exportToTime"] = _instant(incremental["ExportToTime"])
    return {
        **summary,
        "s3Bucket": description["S3Bucket"],
        "s3Prefix": description.get("S3Prefix"),
        "s3SseAlgorithm": description.get("S3SseAlgorithm", "AES256"),
        "s3SseKmsKeyId": description.get("S3SseKmsKeyId"),
        "manifestFilesS3Key": f"{_folder(description)}/manifest-files.json",
        "billedSizeBytes": description["BilledSizeBytes"],
        "itemCount": description["ItemCount"],
        "outputFormat": "DYNAMODB_JSON",
        **({} if incremental is None else {"outputView": incremental["ExportViewType"]}),
        "exportType": description["ExportType"],
    }


def _root(description: dict[str, Any]) -> str:
    prefix = (description.get("S3Prefix") or "").strip("/")
    return f"{prefix}/AWSDynamoDB" if prefix else "AWSDynamoDB"


def _folder(description: dict[str, Any]) -> str:
    return description["ExportManifest"].rsplit("/", 1)[0]


def manifest_key(description: dict[str, Any], id: str) -> str:
    return f"{_root(description)}/{id}/manifest-summary.json"


def _instant(seconds: float) -> str:
    return (
        datetime.fromtimestamp(seconds, UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )
