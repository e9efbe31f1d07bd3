"""The one table of differences from DynamoDB Local that are on purpose, each with AWS's documentation as the reason.

docs/differences.md repeats it for readers; a test holds the two together.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.oracle.endpoints import Answer
from tests.oracle.wording import same_meaning

Applies = Callable[[str, Any, Answer, Answer], bool]


@dataclass(frozen=True, slots=True)
class Known:
    """A difference, why it is right, and how to recognise it in (operation, request, ours, oracle)."""

    name: str
    reason: str
    applies: Applies
    parts: bool = False  # both sides took the request, and yet they hold different items afterwards


def explained(operation: str, request: Any, ours: Answer, oracle: Answer) -> Known | None:
    """The known difference that covers this one, if any."""
    sent = json.loads(request) if isinstance(request, str) else request
    return next((known for known in KNOWN if known.applies(operation, sent, ours, oracle)), None)


def _only_removes(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    update = str(request.get("UpdateExpression", "")).strip().upper()
    return operation == "UpdateItem" and update.startswith(("REMOVE", "DELETE")) and " SET " not in update


def _serialization(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    return ours.error == "SerializationException"


def _constraint(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    return ours.error == "ValidationException" and bool(_CONSTRAINTS.match(ours.message))


def _oracle_broke(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    return oracle.status == 500 and ours.status < 500


def _words(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if (ours.status, ours.error) != (oracle.status, oracle.error) or not same_meaning(ours.message, oracle.message):
        return False
    return _same_meaning_inside(ours.body, oracle.body)


def _same_meaning_inside(ours: Any, oracle: Any) -> bool:
    """Equal but for messages, such as those of cancellation reasons."""
    if isinstance(ours, dict) and isinstance(oracle, dict):
        return ours.keys() == oracle.keys() and all(
            same_meaning(ours[name], oracle[name])
            if name == "Message"
            else _same_meaning_inside(ours[name], oracle[name])
            for name in ours
        )
    if isinstance(ours, list) and isinstance(oracle, list) and len(ours) == len(oracle):
        return all(_same_meaning_inside(a, b) for a, b in zip(ours, oracle, strict=True))
    return ours == oracle


def _stricter(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    return oracle.ok and ours.error == "ValidationException" and bool(_STRICTER.match(ours.message))


def _one_item_twice(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    return ours.message == "Transaction request cannot include multiple operations on one item"


def _cancelled(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if ours.error != "TransactionCanceledException" or "CancellationReasons" in oracle.body:
        return False
    reasons = ours.body["CancellationReasons"]
    return any(same_meaning(each.get("Message", ""), oracle.message) for each in reasons)


def _before_the_condition(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation == "UpdateItem" and "Type mismatch for Index Key" in ours.message:
        return oracle.error in {"ConditionalCheckFailedException", "ValidationException"}
    if operation == "UpdateItem":
        return ours.error == "ValidationException" and oracle.error == "ConditionalCheckFailedException"
    reasons = ours.body.get("CancellationReasons", []) if operation == "TransactWriteItems" else []
    failed = "ConditionalCheckFailed" in oracle.message
    return failed and any(each["Code"] == "ValidationError" for each in reasons)


def _definition_order(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    # AWS checks a definition before it looks whether the name is taken.
    return (
        operation == "CreateTable" and oracle.error == "ResourceInUseException" and ours.error == "ValidationException"
    )


def _cursor_at_the_end(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if (
        operation != "Query"
        or "LastEvaluatedKey" in oracle.body
        or not _equal_without("LastEvaluatedKey", ours, oracle)
    ):
        return False
    return ours.body["ScannedCount"] == request.get("Limit")


def _unasked_capacity(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    asked = request.get("ReturnConsumedCapacity", "NONE") != "NONE"
    return operation == "DeleteItem" and not asked and _without(oracle, "ConsumedCapacity") == ours


def _transaction_capacity(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    return operation.startswith("Transact") and _equal_without("ConsumedCapacity", ours, oracle)


def _capacity_of_nothing(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation not in {"Query", "Scan", "BatchGetItem"} or not _equal_without("ConsumedCapacity", ours, oracle):
        return False
    return operation == "BatchGetItem" or '"CapacityUnits": 0' in json.dumps(oracle.body["ConsumedCapacity"])


def _delete_of_nothing(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    deletes = "DeleteRequest" in json.dumps(request)
    return operation == "BatchWriteItem" and deletes and _equal_without("ConsumedCapacity", ours, oracle)


def _absent_from_index(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation not in {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"}:
        return False
    return _equal_without("ConsumedCapacity", ours, oracle) and 0 < _units(ours) < _units(oracle)


def _units(answer: Answer) -> float:
    capacity = answer.body.get("ConsumedCapacity", [])
    return sum(each["CapacityUnits"] for each in (capacity if isinstance(capacity, list) else [capacity]))


def _metrics(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if "ItemCollectionMetrics" in oracle.body or not ours.ok:
        return False
    rest = _without(ours, "ItemCollectionMetrics")
    return rest == oracle or _unasked_capacity(operation, request, rest, oracle)


def _updated_paths(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    nested = set(".[") & set(str(request.get("UpdateExpression", "")))
    if not nested or not str(request.get("ReturnValues", "")).startswith("UPDATED"):
        return False
    inside = ours.body.get("Attributes", {}).keys() <= oracle.body.get("Attributes", {}).keys()
    return inside and _equal_without("Attributes", ours, oracle)


def _default_action(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    updates = request.get("AttributeUpdates") or {}
    return ours.ok and oracle.ok and any("Action" not in each for each in updates.values())


def _partiql(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation not in {"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"}:
        return False
    if (ours.error, oracle.error) == ("DuplicateItemException", "DuplicateItem"):
        return True
    if "[DuplicateItem]" in ours.message:
        return oracle.error == ours.error
    return ours.ok and all(
        _equal_without(name, ours, oracle) for name in ("ConsumedCapacity", "LastEvaluatedKey") if name in ours.body
    )


def _table_description(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if not (ours.ok and oracle.ok) or operation not in _DESCRIBING:
        return False
    if operation == "DeleteTable":  # the description of a table that goes has no indexes on AWS
        oracle.body["TableDescription"].pop("GlobalSecondaryIndexes", None)
    ours_bare, oracle_bare = _bare(ours.body), _bare(oracle.body)
    if operation == "UpdateTable":  # an index on its way in or out has a count of 0, the true one, or none
        for described in (ours_bare, oracle_bare):
            for index in described["TableDescription"].get("GlobalSecondaryIndexes", []):
                index.pop("ItemCount", None)
    return ours_bare == oracle_bare


def _bare(value: Any) -> Any:
    """A table's description without what only one of the two tells, or tells at another moment."""
    if isinstance(value, list):
        return [_bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {name: _bare(each) for name, each in value.items() if name not in _ONLY_ONE_TELLS}
    if kept.get("ProvisionedThroughput") in ({}, {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}):
        del kept["ProvisionedThroughput"]  # on demand: zeros on AWS, left out for indexes by DynamoDB Local
    return kept


def _equal_without(name: str, ours: Answer, oracle: Answer) -> bool:
    return ours.ok and oracle.ok and _without(ours, name) == _without(oracle, name)


def _without(answer: Answer, name: str) -> Answer:
    return replace(answer, body={other: value for other, value in answer.body.items() if other != name})


_CONSTRAINTS = re.compile(r"\d+ validation errors? detected: ")
_STRICTER = re.compile(
    r"ExpressionAttribute(Names|Values) can only be specified when using expressions"
    r"|Can not use both expression and non-expression parameters"
    r"|Provided list of item keys contains duplicates"
    r"|One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified"
    r"|One or more parameter values were invalid: ProvisionedThroughput should not be specified for index"
    r"|One or more parameter values were invalid: List of LocalSecondaryIndexes is empty"
)
_DESCRIBING = {"CreateTable", "UpdateTable", "DeleteTable", "DescribeTable"}
_ONLY_ONE_TELLS = {
    *("TableStatus", "IndexStatus", "Backfilling", "TableId", "WarmThroughput", "NumberOfDecreasesToday"),
    *("LastIncreaseDateTime", "LastDecreaseDateTime", "LastUpdateToPayPerRequestDateTime", "IndexSizeBytes"),
    *("TableClassSummary", "OnDemandThroughput"),
}

KNOWN: tuple[Known, ...] = (
    Known(
        "update-that-only-removes",
        "UpdateItem with only REMOVE or DELETE on a key that does not exist creates no item on AWS; "
        "DynamoDB Local creates one.",
        _only_removes,
        parts=True,
    ),
    Known(
        "serialization",
        "AWS reads the whole body into the operation's shape first and answers SerializationException when a member "
        "has another JSON type; DynamoDB Local fails with 500 InternalFailure, or takes the value.",
        _serialization,
    ),
    Known(
        "constraints",
        "Required members, lengths, patterns, ranges and enums come from AWS's published service model and are "
        "reported together: '1 validation error detected: …'; DynamoDB Local checks few of them, in its own words.",
        _constraint,
    ),
    Known(
        "internal-failure",
        "DynamoDB Local answers 500 InternalFailure to some requests that AWS takes or refuses with a reason.",
        _oracle_broke,
    ),
    Known(
        "words",
        "The same error with AWS's message; DynamoDB Local has words of its own (the pairs: tests/oracle/wording.py).",
        _words,
    ),
    Known(
        "stricter",
        "AWS refuses placeholders without an expression, old parameters beside new ones, one key in two spellings in a "
        "batch, capacity on demand, and empty lists of indexes; DynamoDB Local takes them.",
        _stricter,
    ),
    Known(
        "one-item-twice",
        "A transaction refuses two actions on one item before it runs; DynamoDB Local runs the conditions first.",
        _one_item_twice,
    ),
    Known(
        "cancelled",
        "What is wrong with the item of one action cancels the transaction, with a ValidationError in its place among "
        "the reasons; DynamoDB Local answers a ValidationException for some of them, or leaves the reasons out.",
        _cancelled,
    ),
    Known(
        "before-the-condition",
        "An update that names a key of the table, or gives a key of an index another type, is refused before any item "
        "is read; DynamoDB Local looks at the condition, and at the types of the operands, first.",
        _before_the_condition,
    ),
    Known(
        "definition-before-name",
        "AWS checks a table's definition before it looks whether the name is taken.",
        _definition_order,
    ),
    Known(
        "cursor-at-the-end",
        "A page that is full has a LastEvaluatedKey, whether or not more items follow; DynamoDB Local leaves it out "
        "when the last item lies on the bound of the key condition.",
        _cursor_at_the_end,
    ),
    Known(
        "unasked-capacity",
        "ConsumedCapacity is returned when it is asked for; DynamoDB Local returns it for a DeleteItem of nothing too.",
        _unasked_capacity,
    ),
    Known(
        "transaction-capacity",
        "A transaction costs two units for each one and says how many were read and written; DynamoDB Local counts "
        "some of its writes once and leaves the split out.",
        _transaction_capacity,
    ),
    Known(
        "capacity-of-nothing",
        "A read that finds nothing costs the smallest amount, half a unit or one; DynamoDB Local says 0.",
        _capacity_of_nothing,
    ),
    Known(
        "delete-of-nothing",
        "A delete of a key that does not exist costs one unit; DynamoDB Local counts two in a batch.",
        _delete_of_nothing,
    ),
    Known(
        "absent-from-index",
        "A write costs nothing in an index that held the item neither before nor after; DynamoDB Local counts a unit "
        "when one of the index's two key attributes changes.",
        _absent_from_index,
    ),
    Known(
        "item-collection-metrics",
        "ItemCollectionMetrics come back for tables with a local index; DynamoDB Local never returns them.",
        _metrics,
    ),
    Known(
        "updated-paths",
        "UPDATED_OLD and UPDATED_NEW hold the paths that the update named; DynamoDB Local returns the whole attribute.",
        _updated_paths,
    ),
    Known(
        "default-action",
        "An entry of AttributeUpdates without an Action is a PUT; DynamoDB Local ignores it.",
        _default_action,
        parts=True,
    ),
    Known(
        "partiql",
        "ExecuteStatement returns ConsumedCapacity and LastEvaluatedKey, and an INSERT of a key that exists is a "
        "DuplicateItemException, in a transaction the reason DuplicateItem.",
        _partiql,
    ),
    Known(
        "table-description",
        "A table is CREATING, UPDATING or DELETING in the answer that starts the change, and has a TableId and a warm "
        "throughput on AWS; DynamoDB Local answers ACTIVE at once and gives the epoch as the time of changes.",
        _table_description,
    ),
)
