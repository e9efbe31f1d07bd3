"""Which members of UpdateTable can be combined. Few can: AWS makes one change at a time."""

from __future__ import annotations

from typing import Any, Final

from sortkey.engine import throughput
from sortkey.errors import ValidationException
from sortkey.values.attributes import INVALID

NOTHING: Final = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
    "GlobalSecondaryIndexUpdates, "
    "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, "
    "MultiRegionConsistency, "
    "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"
)

CHANGES: Final = (
    "ProvisionedThroughput",
    "BillingMode",
    "StreamSpecification",
    "GlobalSecondaryIndexUpdates",
    "SSESpecification",
    "TableClass",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
)
_NOTHING_WHEN_EMPTY = frozenset(
    {"GlobalSecondaryIndexUpdates", "OnDemandThroughput", "WarmThroughput"}
)

_ALONE: Final = {
    "SSESpecification": "Server-Side Encryption modification must be the only operation in the request",
    "TableClass": "TableClass modification must be the only operation in the request",
    "DeletionProtectionEnabled": "DeletionProtection modification must be the only operation in the request",
}
"""In the order in which AWS reports them if there are several."""


def check(request: dict[str, Any]) -> None:
    members = {
        name
        for name in CHANGES
        if name in request and (request[name] or name not in _NOTHING_WHEN_EMPTY)
    }
    if not members:
        raise ValidationException(NOTHING)
    if request.get("GlobalSecondaryIndexUpdates") == []:
        raise ValidationException(INVALID + "List of GlobalSecondaryIndexUpdates is empty")
    for name, message in _ALONE.items():
        if name in members and len(members) > 1:
            raise ValidationException(INVALID + message)
    updates: list[dict[str, Any]] = request.get("GlobalSecondaryIndexUpdates") or []
    _check_warm(members, updates)
    if "OnDemandThroughput" in members and members - {
        "OnDemandThroughput",
        "BillingMode",
        "GlobalSecondaryIndexUpdates",
    }:
        raise ValidationException(
            INVALID
            + "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
        )
    _check_units(
        request,
        members,
        online=any(update.get("Create") or update.get("Delete") for update in updates),
    )


def _check_warm(members: set[str], updates: list[dict[str, Any]]) -> None:
    if "WarmThroughput" not in members:
        return
    if any(update.get("Create") for update in updates):
        raise ValidationException(
            INVALID
            + "Create global secondary index cannot be specified when updating WarmThroughput"
        )
    together = {"WarmThroughput"}
    if all(
        update.get("Update") for update in updates
    ):  # that of indexes can increase in the same request
        together.add("GlobalSecondaryIndexUpdates")
    if members - together:
        raise ValidationException(
            INVALID + "WarmThroughput must be the only operation in the request"
        )


def _check_units(request: dict[str, Any], members: set[str], *, online: bool) -> None:
    """Changes of units, of the stream, and a new or deleted index exclude each other."""
    units = (
        "ProvisionedThroughput" in members or request.get("BillingMode") == throughput.PROVISIONED
    )
    if "StreamSpecification" in members and units:
        raise ValidationException(
            INVALID + "You cannot modify stream status while updating table IOPS"
        )
    if online and "ProvisionedThroughput" in members:
        raise ValidationException(
            INVALID + "You cannot create or delete index while updating table IOPS"
        )
    if online and "StreamSpecification" in members:
        raise ValidationException(
            INVALID + "You cannot create or delete index while changing stream status"
        )
