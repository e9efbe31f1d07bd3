"""ExportTableToPointInTime: write a table's items at an instant, or its changes since, into a
bucket's folder.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sortkey.engine import buckets, export_filters, exports, recovery, tokens
from sortkey.engine.tables import Table
from sortkey.errors import (
    ExportConflictException,
    InvalidExportTimeException,
    TableNotFoundException,
    ValidationException,
)
from sortkey.values.attributes import INVALID

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

OUTSIDE = "Export Time is invalid"
_MISFITS = {
    None: "Export Type expected to be Incremental Export when incremental export specification is provided",
    "FULL_EXPORT": "When Export Type is Full Export , Incremental Export Specification should not be provided",  # sic
    "INCREMENTAL_EXPORT": "Incremental Export Specification expected when export type is set as Incremental Export",
}
ROUNDING = 0.001
INCREMENTAL_MIN_SECONDS = 15 * 60
INCREMENTAL_MAX_SECONDS = 24 * 3600


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    _check_offered(request)
    filters = export_filters.read(request.get("FilterSpecification"))
    table = _find(engine, request["TableArn"])
    export_filters.check(table, filters)
    earlier_arn = tokens.recall(engine, "export", request, ExportConflictException)
    if earlier_arn is not None:
        return {"ExportDescription": exports.find(engine, earlier_arn)}
    earliest = recovery.earliest(table, engine.clock())
    buckets.check_key(engine, request["S3Bucket"], request.get("S3Prefix") or "")
    description = _describe(engine, table, request)
    later = ("BilledSizeBytes", "ExportManifest")
    answer = {
        "ExportDescription": {
            name: value for name, value in description.items() if name not in later
        }
    }
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


def _find(engine: Engine, arn: str) -> Table:
    if not arn:
        raise ValidationException("Invalid TableArn: Invalid Table ARN")
    if not arn.startswith("arn:"):
        raise ValidationException(INVALID + "tableArn is not a valid ARN")
    if "/index/" in arn:
        raise ValidationException("Invalid Request: Table ARN is invalid.")
    table = engine.catalog.find(arn.split(":table/", 1)[-1])
    if table is None or engine.catalog.arn(table.name) != arn:
        raise TableNotFoundException(f"Table not found: {arn}")
    return table


def _check_offered(request: dict[str, Any]) -> None:
    if request.get("ExportFormat") == "ION":
        raise ValidationException("ExportFormat ION is not offered here; use DYNAMODB_JSON")
    if "S3SseKmsKeyId" in request and request.get("S3SseAlgorithm") != "KMS":
        raise ValidationException(
            "Invalid Request: KMS Key Id is not supported for this encryption type"
        )
    incremental = request.get("ExportType") == "INCREMENTAL_EXPORT"
    if incremental != ("IncrementalExportSpecification" in request):
        raise ValidationException(f"Invalid Request: {_MISFITS[request.get('ExportType')]}")
    if incremental and "ExportFromTime" not in request["IncrementalExportSpecification"]:
        raise ValidationException(
            "Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification"
        )


def _describe(engine: Engine, table: Table, request: dict[str, Any]) -> dict[str, Any]:
    now = engine.clock()
    id = f"{int(now * 1000):014d}-{engine.entropy(4).hex()}"
    arn = engine.catalog.arn(table.name)
    members = (
        "S3Bucket",
        "S3BucketOwner",
        "S3Prefix",
        "S3SseAlgorithm",
        "S3SseKmsKeyId",
        "FilterSpecification",
    )
    description: dict[str, Any] = {
        "ExportArn": f"{arn}/export/{id}",
        "ExportStatus": "IN_PROGRESS",
        "StartTime": round(now, 3),
        "TableArn": arn,
        "TableId": table.id,
        "ClientToken": request.get("ClientToken")
        or str(uuid.UUID(bytes=engine.entropy(16), version=4)),
        "S3SseAlgorithm": "AES256",
        **{name: request[name] for name in members if name in request},
        "ExportFormat": "DYNAMODB_JSON",
        "ExportType": request.get("ExportType") or "FULL_EXPORT",
        "BilledSizeBytes": engine.counts.of(engine, table).size,
    }
    description["ExportManifest"] = exports.manifest_key(description, id)
    if description["ExportType"] == "FULL_EXPORT":
        description["ExportTime"] = request.get("ExportTime", round(now, 3))
    else:
        specification = request["IncrementalExportSpecification"]
        description["IncrementalExportSpecification"] = {
            "ExportToTime": round(now, 3),
            "ExportViewType": "NEW_AND_OLD_IMAGES",
            **specification,
        }
    return description


def _period(engine: Engine, earliest: float, specification: dict[str, Any]) -> tuple[float, float]:
    first, last = specification["ExportFromTime"], specification["ExportToTime"]
    if first < int(earliest):
        raise InvalidExportTimeException(
            "Incremental export period from time cannot be less than the table creation time : "
            f"{_iso(first)}"
        )
    if last > engine.clock() + ROUNDING:
        raise InvalidExportTimeException(
            "Incremental export period to time cannot be greater than the current time : "
            f"{_iso(last)}"
        )
    difference = "Difference between export period from time and export period to time is "
    if last - first < INCREMENTAL_MIN_SECONDS:
        raise InvalidExportTimeException(difference + "less than 15 minutes")
    if last - first > INCREMENTAL_MAX_SECONDS:
        raise InvalidExportTimeException(difference + "greater than 24 hours")
    return first, last


def _iso(instant: float) -> str:
    try:
        return f"{datetime.fromtimestamp(int(instant), UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, OverflowError, OSError):
        return str(instant)


def _check_window(engine: Engine, earliest: float, instant: float) -> None:
    if not int(earliest) <= instant <= engine.clock() + ROUNDING:  # clients use whole seconds
        raise InvalidExportTimeException(OUTSIDE)
