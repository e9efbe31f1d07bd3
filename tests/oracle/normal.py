"""Takes out of an answer what two correct servers may answer differently: identities, times, order
without meaning.
"""

import re
from decimal import Decimal, getcontext
from typing import Any

from tests.oracle.endpoints import Answer

getcontext().prec = 50  # DynamoDB has 38 digits
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_ARN = re.compile(r"arn:aws:dynamodb:[^:/\s]*:[^:/\s]*:")
_STREAM_LABEL = re.compile(r"/stream/[0-9T:.\-]+")
_BACKUP_ID = re.compile(r"/backup/[0-9a-f\-]+")
_VOLATILE = {
    "TableId",
    "CreationDateTime",
    "LatestStreamLabel",
    "StreamLabel",
    "CreationRequestDateTime",
    "ApproximateCreationDateTime",
    "LastIncreaseDateTime",
    "LastDecreaseDateTime",
    "LastUpdateToPayPerRequestDateTime",
    "ShardIterator",
    "NextShardIterator",
    "NextToken",
    "SequenceNumber",
    "eventID",
    "awsRegion",
}
_SETS = {"SS", "NS", "BS"}
# Lists whose order AWS does not promise, and how to put them into one.
_UNORDERED = {
    "AttributeDefinitions",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "NonKeyAttributes",
    "Tags",
    "ItemCollectionMetrics",
}


def normal(answer: Answer) -> Answer:
    """The same answer, fit for comparing with `==`."""
    return Answer(answer.status, normal_value(answer.body), answer.error, text(answer.message))


def text(value: str) -> str:
    """Text with account, region and stream labels made equal."""
    return _BACKUP_ID.sub(
        "/backup/ID", _STREAM_LABEL.sub("/stream/LABEL", _ARN.sub("arn:aws:dynamodb:R:A:", value))
    )


def as_multiset(values: list[Any]) -> list[Any]:
    """The list in an order that depends on its contents only."""
    return sorted(values, key=repr_sorted)


def repr_sorted(value: Any) -> str:
    """A text of any JSON value that does not depend on the order of members."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{repr_sorted(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(repr_sorted, value)) + "]"
    return repr(value)


def normal_value(value: Any, name: str = "") -> Any:
    """Any part of an answer, fit for comparing."""
    if isinstance(value, dict):
        return {key: _member(key, each) for key, each in value.items()}
    if isinstance(value, list):
        items = [normal_value(each) for each in value]
        return as_multiset(items) if name in _UNORDERED or name in _SETS else items
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)  # 1 and 1.0 are one number in JSON
    return value


def plain_numbers(value: Any) -> Any:
    """Numbers in AWS's spelling, everywhere: DynamoDB Local leaves those in documents and in some
    updates as sent.
    """
    if isinstance(value, list):
        return [plain_numbers(each) for each in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"N": str(text)} if len(value) == 1:
            return {"N": _plain(text)}
        case {"NS": [*texts]} if len(value) == 1:
            return {"NS": [_plain(each) for each in texts]}
        case _:
            return {name: plain_numbers(each) for name, each in value.items()}


def _plain(text: str) -> str:
    if not _NUMBER.fullmatch(text):
        return text
    return f"{Decimal(text).normalize():f}" if Decimal(text) else "0"


def _member(name: str, value: Any) -> Any:
    if name in _VOLATILE and not isinstance(value, dict):
        return f"<{name}>"
    return normal_value(value, name)
