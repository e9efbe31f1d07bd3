"""Which requests are idempotent: running them a second time changes nothing more.

This matters when an answer was lost and it is unknown whether the request was run.
"""

from __future__ import annotations

import re
from typing import Any

READS = frozenset(
    {
        "BatchGetItem",
        "GetItem",
        "GetRecords",
        "GetResourcePolicy",
        "GetShardIterator",
        "Query",
        "Scan",
        "TransactGetItems",
    }
)
TOKENS = {"TransactWriteItems": "ClientRequestToken", "ExecuteTransaction": "ClientRequestToken"}
"""The service runs them once per token."""

_CONDITIONS = ("ConditionExpression", "Expected", "ConditionalOperator")
_DEPENDS_ON_OLD = re.compile(r"[()+]|\s-\s|\b(?:ADD|DELETE)\b", re.IGNORECASE)
"""The parts of an update expression that depend on the old value: functions, sums, ADD and DELETE.
"""


def is_repeatable(operation: str, request: dict[str, Any]) -> bool:
    """Whether a request may be sent again when its outcome is unknown.

    A condition may hold for the first run and not for the second, which would then report a failure
    although the write was done.
    """
    if operation in READS or operation.startswith(("Describe", "List")):
        return True
    if operation in TOKENS:
        return TOKENS[operation] in request
    if operation == "BatchWriteItem":
        return True
    if operation in ("PutItem", "DeleteItem", "UpdateItem"):
        return _is_plain_write(operation, request)
    return False


def _is_plain_write(operation: str, request: dict[str, Any]) -> bool:
    if any(name in request for name in _CONDITIONS) or request.get("ReturnValues", "NONE").endswith(
        "OLD"
    ):
        return False
    if operation != "UpdateItem":
        return True
    expression = request.get("UpdateExpression")
    return expression is not None and not _DEPENDS_ON_OLD.search(expression)
