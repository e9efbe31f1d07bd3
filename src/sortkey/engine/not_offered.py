"""Operations of DynamoDB that this engine does not offer, and why. docs/differences.md lists the
same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from sortkey.engine.shapes.model import input_shape
from sortkey.errors import UnknownOperationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

_REGIONS = "is not offered: a global table lives in several regions, and this engine is one region."
_SCALING = "is not offered: replicas live in other regions, and nothing here is scaled."
_KINESIS = "is not offered: there is no Kinesis here. Read the table's stream instead."
_VECTORS = "is not offered: vector indexes are not supported."
_BULK = "is not offered: bulk operations read from S3. Use ImportTable, or BatchWriteItem."

REASONS: Final[dict[str, str]] = {
    name: f"{name} {why}"
    for why, names in {
        _REGIONS: ("CreateGlobalTable",),
        _SCALING: ("UpdateTableReplicaAutoScaling",),
        _KINESIS: (
            "EnableKinesisStreamingDestination",
            "DisableKinesisStreamingDestination",
            "UpdateKinesisStreamingDestination",
        ),
        _VECTORS: ("SearchVectors",),
        _BULK: (
            "StartBulkPutItems",
            "DescribeBulkOperation",
            "ListBulkOperations",
            "CancelBulkOperation",
        ),
    }.items()
    for name in names
}

PARAMETERS: Final[dict[str, str]] = {
    "ReplicaUpdates": "global tables are not supported: this engine is one region.",
    "GlobalTableSourceArn": "global tables are not supported: this engine is one region.",
    "GlobalTableWitnessUpdates": "global tables are not supported: this engine is one region.",
    "MultiRegionConsistency": "global tables are not supported: this engine is one region.",
    "GlobalTableSettingsReplicationMode": "global tables are not supported: this engine is one region.",
    "DisassociationProtectionEnabled": "global tables are not supported: this engine is one region.",
    "VectorIndexes": "vector indexes are not supported.",
    "VectorIndexUpdates": "vector indexes are not supported.",
}
"""Parameters of CreateTable and UpdateTable, likewise."""


def refuse(engine: Engine, name: str, request: dict[str, Any]) -> NoReturn:
    """Raise the reason. A missing table is reported first, as on AWS."""
    if "TableName" in request and "TableName" in input_shape(name).members:
        engine.catalog.described(request["TableName"])
    raise UnknownOperationException(REASONS[name])
