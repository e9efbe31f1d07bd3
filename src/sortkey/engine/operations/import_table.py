"""ImportTable: a new table from the files under a prefix of a bucket's folder."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from sortkey.engine import buckets, imports, tokens
from sortkey.engine.operations import create_table
from sortkey.errors import ImportConflictException, ResourceInUseException, ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    _check_offered(request)
    source = request["S3BucketSource"]
    buckets.check_key(engine, source["S3Bucket"], source.get("S3KeyPrefix") or "")
    earlier_arn = tokens.recall(engine, "import", request, ImportConflictException)
    if earlier_arn is not None:
        return {"ImportTableDescription": imports.find(engine, earlier_arn)}
    parameters = request["TableCreationParameters"]
    definition = create_table.parse(engine, parameters)
    if engine.catalog.find(definition.name):
        raise ResourceInUseException(f"Table already exists: {definition.name}")
    table = create_table.create(engine, definition)
    now = engine.clock()
    arn = engine.catalog.arn(table.name)
    description: dict[str, Any] = {
        "ImportArn": f"{arn}/import/{int(now * 1000):014d}-{engine.entropy(4).hex()}",
        "ImportStatus": "IN_PROGRESS",
        "TableArn": arn,
        "TableId": table.id,
        "ClientToken": request.get("ClientToken")
        or str(uuid.UUID(bytes=engine.entropy(16), version=4)),
        "S3BucketSource": source,
        "ErrorCount": 0,
        "InputFormat": request["InputFormat"],
        "InputCompressionType": request.get("InputCompressionType") or "NONE",
        "TableCreationParameters": parameters,
        "StartTime": round(now, 3),
        "ProcessedSizeBytes": 0,
        "ProcessedItemCount": 0,
        "ImportedItemCount": 0,
    }
    if "InputFormatOptions" in request:
        description["InputFormatOptions"] = request["InputFormatOptions"]
    answer = {"ImportTableDescription": dict(description)}
    tokens.remember(engine, "import", request, description["ClientToken"], description["ImportArn"])
    imports.start(engine, table, description)
    return answer


def _check_offered(request: dict[str, Any]) -> None:
    if request["InputFormat"] == "ION":
        raise ValidationException("InputFormat ION is not offered here; use DYNAMODB_JSON or CSV")
    if request.get("InputCompressionType") == "ZSTD":
        raise ValidationException("InputCompressionType ZSTD is not offered here; use GZIP or NONE")
    if "InputFormatOptions" in request and request["InputFormat"] != "CSV":
        raise ValidationException(
            "Invalid Request: Unsupported InputFormatOptions for the given input format: "
            f"{request['InputFormat']}."
        )
