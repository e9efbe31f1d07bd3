"""The one table of differences from DynamoDB Local that are on purpose, with what AWS does as the
reason.

A rule recognises its difference and nothing else: what is left of the two answers must be equal.
Words are data (wording.py), and so is the order in which AWS looks for faults (stages.py).
docs/differences.md shows the table; a test holds the two together, and `python -m
tests.oracle.differences` prints it.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.oracle import capacity_rules
from tests.oracle.capacity_rules import equal_without, without
from tests.oracle.endpoints import Answer
from tests.oracle.service_model import breaks_constraint, has_wrong_type
from tests.oracle.stages import both_about_index_keys, earlier, stage
from tests.oracle.table_rules import empty_partiql_extras, same_description
from tests.oracle.wording import ITEM_WORDS, TABLE_WORDS, both_about_tables, same_meaning

Applies = Callable[[str, Any, Answer, Answer], bool]


@dataclass(frozen=True, slots=True)
class Known:
    """A difference, why it is right, and how to recognise it in (operation, request, ours,
    oracle).
    """

    name: str
    reason: str
    applies: Applies


def explained(operation: str, request: Any, ours: Answer, oracle: Answer) -> Known | None:
    """The known difference that covers this one, if any."""
    sent = json.loads(request) if isinstance(request, str) else request
    for known in KNOWN:
        if known.applies(operation, sent, ours, oracle):
            return known
    # Two at once: metrics beside a difference in capacity.
    if "ItemCollectionMetrics" in ours.body and _metrics_in_order(ours):
        return explained(
            operation, sent, without(ours, "ItemCollectionMetrics"), oracle
        ) or _same_rest(ours, oracle)
    return None


def parts_unseen(operation: str, request: Any, ours: Answer) -> bool:
    """Whether the two sides may hold different items though both took the request, or both refused
    it.
    """
    if not ours.ok:
        return operation == "BatchExecuteStatement" and ours.message == _TWICE
    sent = json.loads(request) if isinstance(request, str) else request
    if operation == "TransactWriteItems":
        return any(
            _removes(action["Update"]) for action in sent["TransactItems"] if "Update" in action
        )
    updates = sent.get("AttributeUpdates") or {}
    return operation == "UpdateItem" and (
        _removes(sent) or any("Action" not in update for update in updates.values())
    )


def as_markdown() -> str:
    """The tables of docs/differences.md."""
    lines = [
        "| difference | what AWS and the engine do, and what DynamoDB Local does |",
        "|---|---|",
    ]
    lines += [f"| {known.name} | {known.reason} |" for known in KNOWN]
    lines += ["", "Where the messages differ, the engine has AWS's:", ""]
    return "\n".join(lines + [f"- {words.why}" for words in (*ITEM_WORDS, *TABLE_WORDS)])


# -- what is refused


def _serialization(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    return ours.error == "SerializationException" and has_wrong_type(operation, request)


def _constraint(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    said = ours.error == "ValidationException" and re.match(_CONSTRAINTS, ours.message)
    return bool(said) and breaks_constraint(operation, request)


_CONSTRAINTS = r"\d+ validation errors? detected: |The requestItems parameter is required for"


def _oracle_broke(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if oracle.status != 500:
        return False
    if ours.ok:
        return operation == "PutItem" and max(map(len, request["Item"])) > 50_000
    return any(re.match(pattern, ours.message) for pattern in _BREAKS_IT)


_BREAKS_IT = (
    r"Attribute name is too large",
    r"Attempted conditional constraint is not an indexable operation",
    r"Invalid NextToken",
    r"Requested resource not found: Index",
    r"One or more parameter values were invalid: Only one global secondary index action is allowed",
    r"One or more parameter values were invalid: Cannot update attribute",
)


def _words(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    alike = (ours.status, ours.error) == (oracle.status, oracle.error)
    return (
        alike
        and same_meaning(ours.message, oracle.message)
        and _same_inside(ours.body, oracle.body)
    )


def _same_inside(ours: Any, oracle: Any) -> bool:
    """Equal but for messages, such as those of cancellation reasons."""
    if isinstance(ours, dict) and isinstance(oracle, dict):
        return ours.keys() == oracle.keys() and all(
            same_meaning(ours[name], oracle[name])
            if name == "Message"
            else _same_inside(ours[name], oracle[name])
            for name in ours
        )
    if isinstance(ours, list) and isinstance(oracle, list) and len(ours) == len(oracle):
        return all(_same_inside(a, b) for a, b in zip(ours, oracle, strict=True))
    return ours == oracle


def _check_of_a_path(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation != "TransactWriteItems" or not any(
        "ConditionCheck" in action for action in request["TransactItems"]
    ):
        return False
    return not ours.ok and all(
        fault.startswith("Key attributes must be scalars") for fault in _faults(ours)
    )


def _stricter(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    return oracle.ok and ours.error == "ValidationException" and bool(_STRICTER.match(ours.message))


_STRICTER = re.compile(
    r"ExpressionAttribute(Names|Values) can only be specified when using expressions"
    r"|Can not use both expression and non-expression parameters"
    r"|Provided list of item keys contains duplicates"
    r"|Transaction request cannot include multiple operations on one item"
    r"|One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits "
    r"can be specified"
    r"|One or more parameter values were invalid: ProvisionedThroughput should not be specified "
    r"for index"
    r"|One or more parameter values were invalid: List of LocalSecondaryIndexes is empty"
    r"|Invalid table-class parameter provided"
    r"|Attribute name is too large"
    r"|One or more parameter values were invalid: Secondary index \S+ does not project one or more "
    r"filter attributes"
)


def _long_hash_key(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    return (
        operation in {"Query", "ExecuteStatement"} and oracle.ok and ours.message == _HASH_TOO_LONG
    )


_HASH_TOO_LONG = (
    "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size "
    "limit of2048 bytes"
)


def _mixed_across_tables(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation != "BatchGetItem" or not oracle.message.startswith(
        "Can not use both expression and non-expression"
    ):
        return False
    tables = request["RequestItems"].values()
    return not any(table.keys() >= {"AttributesToGet", "ProjectionExpression"} for table in tables)


def _empty_filter(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation != "Scan" or request.get("FilterExpression") != "":
        return False
    return ours.message == _EMPTY_FILTER and oracle.message == _NO_FILTER


_EMPTY_FILTER = "Invalid FilterExpression: The expression can not be empty;"
_NO_FILTER = (
    "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is "
    "null"
)


def _faults(answer: Answer) -> list[str]:
    """What the answer says is wrong: its message, or those of a transaction's reasons."""
    reasons = answer.body.get("CancellationReasons", [])
    return [each["Message"] for each in reasons if each["Code"] != "None"] or [answer.message]


def _cancelled(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if (
        ours.error != "TransactionCanceledException"
        or "CancellationReasons" in oracle.body
        or oracle.ok
    ):
        return False
    return any(same_meaning(fault, oracle.message) for fault in _faults(ours))


def _earlier_fault(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if ours.ok or oracle.ok:
        return False
    theirs = _faults(oracle)
    return any(
        all(earlier(fault, other) or same_meaning(fault, other) for other in theirs)
        for fault in _faults(ours)
    )


def _another_index_key(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if ours.ok or oracle.ok or ours.error != oracle.error:
        return False
    return all(any(both_about_index_keys(a, b) for b in _faults(oracle)) for a in _faults(ours))


def _another_table(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if (
        operation not in {"BatchGetItem", "BatchWriteItem"}
        or len(request.get("RequestItems") or {}) < 2
    ):
        return False
    refused = ours.error == oracle.error == "ValidationException"
    return (
        refused and stage(ours.message) is not None and stage(ours.message) == stage(oracle.message)
    )


def _older_order(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    pairs = {
        "Query": {"KeyConditions", "QueryFilter"},
        "UpdateItem": {"AttributeUpdates", "Expected"},
    }
    both = operation in pairs and pairs[operation] <= request.keys()
    refused = ours.error == oracle.error == "ValidationException"
    return both and refused and earlier(ours.message, "Invalid KeyConditionExpression: ")


def _definition_fault(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    same = ours.error == oracle.error == "ValidationException"
    return operation == "CreateTable" and same and both_about_tables(ours.message, oracle.message)


def _local_index_key(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation not in {"UpdateItem", "TransactWriteItems"} or not oracle.ok or ours.ok:
        return False
    mismatch = (
        r".*Type mismatch for Index Key .*|The update expression attempted .* to unsupported type"
    )
    return all(re.fullmatch(mismatch, fault) for fault in _faults(ours))


# -- what is written and returned


def _only_removes(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if (
        ours.ok
        and "document path provided in the update expression is invalid"
        in f"{oracle.message} {oracle.body}"
    ):
        updates = [
            each.get("Update") for each in request.get("TransactItems", [{"Update": request}])
        ]
        return any(update and _removes(update) for update in updates)
    if operation != "UpdateItem" or not (ours.ok and oracle.ok) or not _removes(request):
        return False
    made = oracle.body.get("Attributes", {})
    new = "Attributes" not in ours.body and made.keys() <= request["Key"].keys()
    return new and equal_without(
        ours, oracle, "Attributes", "ConsumedCapacity", "ItemCollectionMetrics"
    )


def _removes(request: Any) -> bool:
    updates = request.get("AttributeUpdates")
    if updates:
        return all(update.get("Action") == "DELETE" for update in updates.values())
    return not re.search(
        r"\b(SET|ADD)\b", str(request.get("UpdateExpression", "SET")), re.IGNORECASE
    )


def _default_action(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    updates = request.get("AttributeUpdates") or {}
    return ours.ok and oracle.ok and any("Action" not in update for update in updates.values())


def _nothing_of_an_item(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation != "TransactGetItems" or not (ours.ok and oracle.ok):
        return False
    bare = [{} if response == {"Item": {}} else response for response in oracle.body["Responses"]]
    rest = replace(oracle, body=oracle.body | {"Responses": bare})
    return bare != oracle.body["Responses"] and (
        ours == rest or capacity_rules.by_side(operation, request, ours, rest)
    )


def _zero_out_of_range(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    named = [
        re.match(r"(ExpressionAttributeValues .*: )?Number (over|under)flow\.", fault)
        for fault in _faults(ours)
    ]
    return (
        oracle.ok
        and all(named)
        and re.search(r'"[+-]?0*\.?0*[eE][+-]?\d{3,}"', json.dumps(request)) is not None
    )


def _modified_paths(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if "RETURNING MODIFIED" not in json.dumps(request).upper() or not (ours.ok and oracle.ok):
        return False
    left_out = [
        name for name in ("ConsumedCapacity", "LastEvaluatedKey") if name not in oracle.body
    ]
    return _inside(without(ours, *left_out).body, oracle.body)


def _updated_paths(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if "Statement" in operation or operation == "ExecuteTransaction":
        return _modified_paths(operation, request, ours, oracle)
    if not str(request.get("ReturnValues", "")).startswith("UPDATED") or not (
        ours.ok and oracle.ok
    ):
        return False
    inside = _inside(ours.body.get("Attributes", {}), oracle.body.get("Attributes", {}))
    return inside and equal_without(ours, oracle, "Attributes", "ConsumedCapacity")


def _inside(part: Any, whole: Any) -> bool:
    """Whether a value is the other with attributes and elements left out."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and _inside(each, whole[name]) for name, each in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        rest = iter(whole)
        return all(any(_inside(each, other) for other in rest) for each in part)
    return part == whole


def _cursor_at_the_end(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation != "Query" or "IndexName" not in request or "LastEvaluatedKey" in oracle.body:
        return False
    full = ours.body.get("ScannedCount") == request.get("Limit")
    return full and equal_without(ours, oracle, "LastEvaluatedKey")


def _start_at_the_end(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    refused = oracle.message == "The provided starting key does not match the range key predicate"
    return operation == "Query" and "IndexName" in request and refused and ours.ok


def _metrics_in_order(ours: Answer) -> bool:
    found = ours.body["ItemCollectionMetrics"]
    listed = (
        [each for table in found.values() for each in table]
        if "ItemCollectionKey" not in found
        else [found]
    )
    return all(
        len(each["ItemCollectionKey"]) == 1 and each["SizeEstimateRangeGB"] == [0, 1]
        for each in listed
    )


def _same_rest(ours: Answer, oracle: Answer) -> Known | None:
    return _METRICS if equal_without(ours, oracle, "ItemCollectionMetrics") else None


def _partiql(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation not in {"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"}:
        return False
    if (ours.error, oracle.error) == ("DuplicateItemException", "DuplicateItem"):
        return ours.message == oracle.message
    if "DuplicateItem" in ours.message and ours.error == oracle.error:
        return _same_inside(_renamed(ours.body), oracle.body)
    return empty_partiql_extras(ours, oracle)


def _selects_of_indexes(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation != "BatchExecuteStatement" or not (ours.ok and oracle.ok):
        return False
    triples = zip(
        request["Statements"], ours.body["Responses"], oracle.body["Responses"], strict=True
    )
    return all(
        a == b or _about_one_item(each["Statement"], a.get("Error"), b.get("Error"))
        for each, a, b in triples
    )


def _about_one_item(statement: str, ours: Any, oracle: Any) -> bool:
    only_one = "Only single item select is supported"
    if ours is None:
        return False
    if ours["Message"].startswith(
        "Select statements within BatchExecuteStatement must specify the primary key"
    ):
        return '"."' in statement if oracle is None else oracle["Message"] == only_one
    return (
        oracle is not None
        and oracle["Message"] == only_one
        and ours["Message"].startswith(_EMPTY_KEY)
    )


_EMPTY_KEY = (
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
    "contain an empty"
)


def _renamed(body: dict[str, Any]) -> dict[str, Any]:
    """With DynamoDB Local's code for an item that is there already."""
    reasons = [
        reason | {"Code": "ValidationError"} if reason["Code"] == "DuplicateItem" else reason
        for reason in body["CancellationReasons"]
    ]
    return body | {"CancellationReasons": reasons}


def _never(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    return False


_TWICE = "Provided list of item keys contains duplicates"
_METRICS = Known(
    "item-collection-metrics",
    "ItemCollectionMetrics are returned for tables with a local index. DynamoDB Local "
    "never returns them.",
    _never,  # `explained` takes them off first
)

KNOWN: tuple[Known, ...] = (
    Known(
        "serialization",
        "AWS first reads the whole body into the operation's shape and answers "
        "SerializationException if a member has another JSON type. DynamoDB Local fails "
        "with 500 InternalFailure, or converts the value.",
        _serialization,
    ),
    Known(
        "constraints",
        "Required members, lengths, patterns, ranges and enums come from AWS's published "
        "service model and are reported together: '1 validation error detected: …'. "
        "DynamoDB Local checks few of them, with its own messages.",
        _constraint,
    ),
    Known(
        "internal-failure",
        "DynamoDB Local answers 500 InternalFailure to some requests that AWS accepts or "
        "refuses with a reason: attribute names near 64 KB, legacy key conditions that no"
        " key supports, a missing index.",
        _oracle_broke,
    ),
    Known("words", "The same error with AWS's message. The list is below.", _words),
    Known(
        "stricter",
        "AWS refuses placeholders without an expression, legacy parameters together with "
        "expressions, the same key written in two ways in a batch or a transaction, "
        "capacity units with on-demand billing, unknown table classes, empty lists of "
        "indexes, names of 64 KB in AttributesToGet, and a SELECT that filters by "
        "attributes that its index does not hold. DynamoDB Local accepts them.",
        _stricter,
    ),
    Known(
        "long-partition-key-of-a-query",
        "A query for a partition key of more than 2,048 bytes is refused, like a GetItem."
        " DynamoDB Local finds nothing.",
        _long_hash_key,
    ),
    Known(
        "paths-in-condition-checks",
        "No expression may use a path into a key. DynamoDB Local does not check those of "
        "condition checks.",
        _check_of_a_path,
    ),
    Known(
        "one-table-at-a-time",
        "A BatchGetItem may use AttributesToGet for one table and ProjectionExpression "
        "for another. DynamoDB Local treats the batch as one request that mixes them.",
        _mixed_across_tables,
    ),
    Known(
        "empty-filter",
        "An empty FilterExpression is refused as empty. DynamoDB Local ignores that of a "
        "scan, and refuses its values as unused.",
        _empty_filter,
    ),
    Known(
        "cancelled",
        "An invalid item of one action cancels the transaction, with a ValidationError in"
        " its place among the reasons, except for an empty key in a write. DynamoDB Local"
        " answers ValidationException for some of them, or omits the reasons.",
        _cancelled,
    ),
    Known(
        "earlier-fault",
        "Of several faults AWS reports the first in this order: parameters, values, "
        "expressions, the table, keys, keys of indexes, the condition, the update. "
        "DynamoDB Local checks the table before values, and keys before expressions.",
        _earlier_fault,
    ),
    Known(
        "fault-of-another-table",
        "Of the tables of a batch the first one with a fault is named. DynamoDB Local "
        "uses another order.",
        _another_table,
    ),
    Known(
        "another-index-key",
        "Of several invalid index keys, one is named: on AWS a wrong type before an empty"
        " value, in the order of the indexes. DynamoDB Local uses another order.",
        _another_index_key,
    ),
    Known(
        "order-of-older-parameters",
        "AWS checks QueryFilter before KeyConditions, and AttributeUpdates before "
        "Expected. DynamoDB Local checks them in the opposite order.",
        _older_order,
    ),
    Known(
        "one-of-the-faults-in-a-definition",
        "A table definition with several faults is refused for one of them. Which one is "
        "not documented.",
        _definition_fault,
    ),
    Known(
        "updated-local-index-key",
        "An update that changes the type of a local index's key is refused. DynamoDB "
        "Local accepts a number there.",
        _local_index_key,
    ),
    Known(
        "update-that-only-removes",
        "UpdateItem with only REMOVE or DELETE on a missing key does nothing on AWS. "
        "DynamoDB Local creates an item, or refuses missing paths.",
        _only_removes,
    ),
    Known(
        "default-action",
        "An entry of AttributeUpdates without an Action is a PUT. DynamoDB Local ignores it.",
        _default_action,
    ),
    Known(
        "updated-paths",
        "UPDATED_OLD, UPDATED_NEW and PartiQL's RETURNING MODIFIED return the paths that "
        "the update names. DynamoDB Local returns the whole attribute.",
        _updated_paths,
    ),
    Known(
        "nothing-of-an-item",
        "TransactGetItems returns no Item if its projection selects nothing. DynamoDB "
        "Local returns an empty one.",
        _nothing_of_an_item,
    ),
    Known(
        "zero-out-of-range",
        "A zero has a magnitude too: 0e126 overflows and 0e-131 underflows. DynamoDB "
        "Local accepts them as 0.",
        _zero_out_of_range,
    ),
    Known(
        "cursor-at-the-end",
        "A full page of an index has a LastEvaluatedKey, because other items may share "
        "the last bound of the key condition. DynamoDB Local omits it if the index and "
        "the table have the same sort key, and loses those items.",
        _cursor_at_the_end,
    ),
    Known(
        "start-key-at-the-end",
        "A start key in an index may be on the last bound of the key condition, which "
        "other items may share. DynamoDB Local refuses it if the index and the table have"
        " the same sort key.",
        _start_at_the_end,
    ),
    Known(
        "unasked-capacity",
        "ConsumedCapacity is returned if it is requested. DynamoDB Local also returns it "
        "for a delete of a missing item.",
        capacity_rules.unasked,
    ),
    Known(
        "transaction-capacity",
        "A transaction reports read and write units separately, and pays twice for the "
        "table only. DynamoDB Local reports the sum, and doubles that of the indexes too.",
        capacity_rules.by_side,
    ),
    Known(
        "capacity-of-nothing",
        "A read that finds nothing costs the minimum, half a unit or one. DynamoDB Local "
        "reports 0.",
        capacity_rules.of_nothing,
    ),
    Known(
        "capacity-of-fetches",
        "A scan of a local index that returns attributes which the index lacks pays for "
        "fetching them from the table, like a query. DynamoDB Local charges only the "
        "query.",
        capacity_rules.of_fetches,
    ),
    Known(
        "capacity-of-writes",
        "A write costs nothing in an index that does not hold the item before or after, "
        "and a delete of a missing item costs one unit. DynamoDB Local charges the index "
        "if one of its key attributes changes, and such a delete twice in a batch.",
        capacity_rules.of_writes,
    ),
    _METRICS,
    Known(
        "partiql",
        "ExecuteStatement returns ConsumedCapacity and LastEvaluatedKey. An INSERT of an "
        "existing key is a DuplicateItemException, and the reason DuplicateItem in a "
        "transaction.",
        _partiql,
    ),
    Known(
        "selects-of-indexes-in-a-batch",
        "A SELECT in a batch must name the whole key of a table, so that it finds one "
        "item, and the message says so. DynamoDB Local also accepts the whole key of an "
        "index, checks the key before its values, and says less.",
        _selects_of_indexes,
    ),
    Known(
        "refused-batch-of-statements",
        "A BatchExecuteStatement that is refused because it names an item twice writes "
        "nothing. DynamoDB Local has already run the earlier statements.",
        _never,  # the answers are equal
    ),
    Known(
        "table-description",
        "On AWS a table is CREATING, UPDATING or DELETING in the answer that starts the "
        "change, and has a TableId and a warm throughput. DeleteTable omits the keys, "
        "their definitions and the creation time. DynamoDB Local answers ACTIVE at once, "
        "and 1970 as the time of changes.",
        same_description,
    ),
)

if __name__ == "__main__":
    print(as_markdown())
