"""Where AWS differs from its own model. The only hand-written table of this package.

Taken from published captures of AWS's answers (several regions, 2026) and from dynalite's tests,
which ran against AWS. AWS is moving to a newer wording region by region ("Value at 'TableName'
failed…", one error at a time); most regions still answer with the older one, which is followed
here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

# Shapes that the model lacks.
EXTRA_SHAPES: Final[dict[str, dict[str, Any]]] = {
    # A table and an LSI have two key attributes at most; the model dropped the limit when GSIs got
    # up to eight.
    "TableKeySchema": {"type": "list", "element": "KeySchemaElement", "min": 1, "max": 2},
    # "Value '' at 'sSESpecification.kMSMasterKeyId' failed…: Member must have length greater than
    # or equal to 1"
    "KMSMasterKeyId": {"type": "string", "min": 1},
    # A key of RequestItems. An ARN is accepted, but the message mentions only names.
    "TableNameOrArn": {"type": "string", "min": 3, "max": 255, "pattern": "[a-zA-Z0-9_.-]+"},
}

# (structure, member) or (map, "key") or (list, "element"): the shape that AWS checks instead of the
# model's.
MEMBERS: Final[dict[tuple[str, str], str]] = {
    ("CreateTableInput", "KeySchema"): "TableKeySchema",
    ("TableCreationParameters", "KeySchema"): "TableKeySchema",
    ("LocalSecondaryIndex", "KeySchema"): "TableKeySchema",
    ("SSESpecification", "KMSMasterKeyId"): "KMSMasterKeyId",
    ("BatchGetRequestMap", "key"): "TableNameOrArn",
    ("BatchWriteItemRequestMap", "key"): "TableNameOrArn",
    # The operation itself checks these: "Invalid table-class parameter provided", "The Tag Key
    # provided is invalid, Key: null", "Invalid Backup ARN", "Invalid TableArn: Invalid Table ARN",
    # "Invalid TableArn".
    ("CreateTableInput", "TableClass"): "string",
    ("UpdateTableInput", "TableClass"): "string",
    ("Tag", "Key"): "string",
    ("Tag", "Value"): "string",
    ("TagKeyList", "element"): "string",
    ("TagResourceInput", "ResourceArn"): "string",
    ("UntagResourceInput", "ResourceArn"): "string",
    ("ListTagsOfResourceInput", "ResourceArn"): "string",
    ("DescribeBackupInput", "BackupArn"): "string",
    ("DeleteBackupInput", "BackupArn"): "string",
    ("RestoreTableFromBackupInput", "BackupArn"): "string",
    ("ExportTableToPointInTimeInput", "TableArn"): "string",
    # The checks of items and expressions refuse names from 64 KiB on, with another message.
    ("ExpressionAttributeNameMap", "element"): "string",
    ("AttributeNameList", "element"): "string",
    ("AttributeUpdates", "key"): "string",
    ("ExpectedAttributeMap", "key"): "string",
    ("FilterConditionMap", "key"): "string",
    ("KeyConditions", "key"): "string",
}

# Required members of a structure, if they differ from the model's.
REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    # The model makes them optional for replicas of a table in another account. Other tables need
    # them.
    "CreateTableInput": ("TableName", "AttributeDefinitions", "KeySchema"),
    "Tag": (),
    "TagResourceInput": ("Tags",),
    "UntagResourceInput": ("TagKeys",),
    "ListTagsOfResourceInput": (),
}

# Shapes whose pattern is checked before their length.
PATTERN_FIRST: Final = frozenset({"TableName", "BackupName"})

# Java patterns that Python's `re` does not support.
PATTERNS: Final[dict[str, str]] = {
    r"\p{Print}+": "[ -~]+",
    r"[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*": r"[\t\n\r -\uFFFD\U00010000-\U0010FFFF]*",
}

# Operations on items check the name after all other members. Operations on tables check it first
# and alone.
ITEM_OPERATIONS: Final = frozenset(
    {"PutItem", "GetItem", "UpdateItem", "DeleteItem", "Query", "Scan", "SearchVectors"}
)
TRANSACTIONS: Final = frozenset({"TransactGetItems", "TransactWriteItems"})

_NAME = re.compile("[a-zA-Z0-9_.-]{3,255}")
_NAME_MEMBERS: Final = {
    "RestoreTableFromBackup": "TargetTableName",
    "RestoreTableToPointInTime": "TargetTableName",
    "CreateGlobalTable": "GlobalTableName",
    "DescribeGlobalTable": "GlobalTableName",
    "DescribeGlobalTableSettings": "GlobalTableName",
    "UpdateGlobalTable": "GlobalTableName",
    "UpdateGlobalTableSettings": "GlobalTableName",
    "DescribeContributorInsights": "IndexName",
    "UpdateContributorInsights": "IndexName",
}


_ACTIONS = frozenset(("ConditionCheck", "Delete", "Get", "Put", "Update"))


def early_error(operation: str, request: dict[str, Any]) -> str | None:
    """The message of a check that AWS makes before the shape's constraints, if it fails."""
    if operation in ("BatchGetItem", "BatchWriteItem") and request.get("RequestItems") == {}:
        return f"The requestItems parameter is required for {operation}"
    member = _NAME_MEMBERS.get(operation)
    name = request.get(member) if member else None
    if name is not None and not 3 <= len(name) <= 255:
        kind = "IndexName" if member == "IndexName" else "TableName"
        return f"{kind} must be at least 3 characters long and at most 255 characters long"
    return None


def is_table_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def table_names(operation: str, request: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The paths and table names that an operation on items checks last."""
    if operation in ITEM_OPERATIONS:
        yield "tableName", request["TableName"]
    elif operation in TRANSACTIONS:
        for number, item in enumerate(request["TransactItems"], start=1):
            for action, members in item.items():
                if action in _ACTIONS and members is not None:
                    path = (
                        f"transactItems.{number}.member.{action[0].lower()}{action[1:]}.tableName"
                    )
                    yield path, members["TableName"]
