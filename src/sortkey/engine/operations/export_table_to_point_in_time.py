"""ExportTableToPointInTime: write what a table held at an instant, or what changed since, into a bucket's folder."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from sortkey.engine import buckets, exports, recovery, tokens
from sortkey.engine.tables import Table
from sortkey.errors import ExportConflictException, InvalidExportTimeException, ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

OUTSIDE = "The specified ExportTime is outside of the point in time recovery window."
INCREMENTAL_MIN_SECONDS = 15 * 60
INCREMENTAL_MAX_SECONDS = 24 * 3600


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    _check_offered(request)
    if not request["TableArn"].startswith("arn:"):
        raise ValidationException("Invalid TableArn: Invalid Table ARN")
    table = recovery.find_table(engine, request["TableArn"])
    known = tokens.recall(engine, "export", request, ExportConflictException)
    if known is not None:
        return {"ExportDescription": exports.find(engine, known)}
    earliest = recovery.earliest(table, engine.clock())
    buckets.check_key(engine, request["S3Bucket"], request.get("S3Prefix") or "")
    description = _describe(engine, table, request)
    answer = {"ExportDescription": dict(description)}
    if description["ExportType"] == "FULL_EXPORT":
        _check_window(engine, earliest, description["ExportTime"])
        cut = recovery.number_at(engine, table, description["ExportTime"])
        exports.start_full(engine, table, description, cut)
    else:
        first, last = _period(engine, earliest, description["IncrementalExportSpecification"])
        exports.start_incremental(
            engine,
            table,
            description,
            recovery.number_before(engine, table, first),
            recovery.number_before(engine, table, last),
        )
    tokens.remember(engine, "export", request, description["ClientToken"], description["ExportArn"])
    return answer


def _check_offered(request: dict[str, Any]) -> None:
    if request.get("ExportFormat") == "ION":
        raise ValidationException("ExportFormat ION is not offered here; use DYNAMODB_JSON")
    if request.get("FilterSpecification"):
        raise ValidationException("FilterSpecification is not offered here; export the whole table")
    incremental = request.get("ExportType") == "INCREMENTAL_EXPORT"
    if incremental != ("IncrementalExportSpecification" in request):
        raise ValidationException(
            "IncrementalExportSpecification must be specified for ExportType INCREMENTAL_EXPORT, and only for it"
        )
    if incremental and "ExportFromTime" not in request["IncrementalExportSpecification"]:
        raise ValidationException("Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification")


def _describe(engine: Engine, table: Table, request: dict[str, Any]) -> dict[str, Any]:
    now = engine.clock()
    id = f"{int(now * 1000):014d}-{engine.entropy(4).hex()}"
    arn = engine.catalog.arn(table.name)
    kept = ("S3Bucket", "S3BucketOwner", "S3Prefix", "S3SseAlgorithm", "S3SseKmsKeyId")
    description: dict[str, Any] = {
        "ExportArn": f"{arn}/export/{id}",
        "ExportStatus": "IN_PROGRESS",
        "StartTime": round(now, 3),
        "TableArn": arn,
        "TableId": table.id,
        "ClientToken": request.get("ClientToken") or str(uuid.UUID(bytes=engine.entropy(16), version=4)),
        **{name: request[name] for name in kept if name in request},
        "ExportFormat": "DYNAMODB_JSON",
        "ExportType": request.get("ExportType") or "FULL_EXPORT",
        "BilledSizeBytes": engine.counts.of(engine, table).size,
    }
    description["ExportManifest"] = exports.manifest_key(description, id)
    if description["ExportType"] == "FULL_EXPORT":
        description["ExportTime"] = request.get("ExportTime", round(now, 3))
    else:
        wanted = request["IncrementalExportSpecification"]
        description["IncrementalExportSpecification"] = {
            "ExportToTime": round(now, 3),
            "ExportViewType": "NEW_AND_OLD_IMAGES",
            **wanted,
        }
    return description


def _period(engine: Engine, earliest: float, wanted: dict[str, Any]) -> tuple[float, float]:
    first, last = wanted["ExportFromTime"], wanted["ExportToTime"]
    for instant in (first, last):
        _check_window(engine, earliest, instant)
    if not INCREMENTAL_MIN_SECONDS <= last - first <= INCREMENTAL_MAX_SECONDS:
        raise InvalidExportTimeException(
            "The difference between ExportFromTime and ExportToTime must be between 15 minutes and 24 hours"
        )
    return first, last


def _check_window(engine: Engine, earliest: float, instant: float) -> None:
    if not int(earliest) <= instant <= engine.clock() + 0.001:  # clients know whole seconds, we round to milliseconds
        raise InvalidExportTimeException(OUTSIDE)
