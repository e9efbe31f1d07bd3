"""Differences in ConsumedCapacity, each checked to the unit: what is left after a rule must be
equal.
"""

from dataclasses import replace
from typing import Any

from tests.oracle.endpoints import Answer

WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}


def without(answer: Answer, *names: str) -> Answer:
    return replace(
        answer, body={other: value for other, value in answer.body.items() if other not in names}
    )


def equal_without(ours: Answer, oracle: Answer, *names: str) -> bool:
    return ours.ok and oracle.ok and without(ours, *names) == without(oracle, *names)


def reports(answer: Answer) -> dict[str, dict[str, Any]]:
    """ConsumedCapacity by table."""
    found = answer.body.get("ConsumedCapacity", [])
    return {each["TableName"]: each for each in (found if isinstance(found, list) else [found])}


def unasked(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    """DynamoDB Local reports a write that changes nothing, asked or not."""
    asked = request.get("ReturnConsumedCapacity", "NONE") != "NONE"
    return (
        operation in WRITES
        and not asked
        and "ConsumedCapacity" in oracle.body
        and equal_capacity(ours, oracle)
    )


def equal_capacity(ours: Answer, oracle: Answer) -> bool:
    return equal_without(ours, oracle, "ConsumedCapacity")


def of_nothing(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    """A read that finds nothing costs the smallest amount; DynamoDB Local's is 0."""
    if not equal_capacity(ours, oracle):
        return False
    if operation == "BatchGetItem":
        return all(_missed(request, ours, oracle, table) for table in reports(oracle))
    if operation not in {"Query", "Scan"} or ours.body["ScannedCount"]:
        return False
    least = 1 if request.get("ConsistentRead") else 0.5
    (mine,), (other,) = reports(ours).values(), reports(oracle).values()
    return mine["CapacityUnits"] == least and other["CapacityUnits"] == 0


def of_fetches(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    """A scan of a local index that fetches items from the table pays for each of them."""
    if operation != "Scan" or "IndexName" not in request or not equal_capacity(ours, oracle):
        return False
    (mine,), (other,) = reports(ours).values(), reports(oracle).values()
    least = ours.body["ScannedCount"] * (1 if request.get("ConsistentRead") else 0.5)
    return mine["CapacityUnits"] >= other["CapacityUnits"] + least > other["CapacityUnits"]


def _missed(request: Any, ours: Answer, oracle: Answer, table: str) -> bool:
    wanted = request["RequestItems"][table]
    missing = len(wanted["Keys"]) - len(oracle.body["Responses"].get(table, []))
    cost = missing * (1 if wanted.get("ConsistentRead") else 0.5)
    mine, other = reports(ours)[table], reports(oracle)[table]
    parts = ["CapacityUnits"] if "Table" not in mine else ["CapacityUnits", "Table"]
    return all(_units(mine[part]) == _units(other[part]) + cost for part in parts)


def _units(figure: Any) -> float:
    return figure["CapacityUnits"] if isinstance(figure, dict) else figure


def by_side(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    """Transactions say how many units were read and written; the sum is that of DynamoDB Local.

    Of several actions on a table DynamoDB Local counts the last one; each costs two units at least.
    """
    if not operation.startswith("Transact") or not equal_capacity(ours, oracle):
        return False
    actions = [(name, body) for action in request["TransactItems"] for name, body in action.items()]
    for table, report in reports(ours).items():
        mine, other = _sums(report), reports(oracle)[table]
        names = [name for name, body in actions if body["TableName"] == table]
        if not _split(report) or mine["CapacityUnits"] < 2 * len(names):
            return False
        if (
            (len(names) == 1 or "Get" in names)
            and mine != other
            and not _of_one_write(names[0], mine, other)
        ):
            return False
    return True


def _of_one_write(name: str, ours: dict[str, Any], oracle: dict[str, Any]) -> bool:
    """A delete of nothing costs two units like any other; an index that never held the item costs
    nothing.
    """
    nothing = name == "Delete" and (ours["CapacityUnits"], oracle["CapacityUnits"]) == (2, 1)
    return nothing or (name != "Get" and _less("", None, ours, oracle))


def _split(report: dict[str, Any]) -> bool:
    return report["CapacityUnits"] == report.get("ReadCapacityUnits", 0) + report.get(
        "WriteCapacityUnits", 0
    )


def _sums(report: dict[str, Any]) -> dict[str, Any]:
    sides = {"ReadCapacityUnits", "WriteCapacityUnits"}
    return {
        name: _sums(each) if isinstance(each, dict) else each
        for name, each in report.items()
        if name not in sides
    }


def of_writes(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    """DynamoDB Local counts writes in indexes that do not hold the item, and deletes of nothing
    twice in a batch.

    The table's own figure may differ by the deletes of the batch only; an index's must be equal or
    missing in ours.
    """
    if (
        operation not in WRITES
        or not equal_capacity(ours, oracle)
        or reports(ours).keys() != reports(oracle).keys()
    ):
        return False
    return all(
        _less(operation, request, reports(ours)[table], reports(oracle)[table])
        for table in reports(ours)
    )


def _less(operation: str, request: Any, ours: dict[str, Any], oracle: dict[str, Any]) -> bool:
    deletes = _deletes(request, ours["TableName"]) if operation == "BatchWriteItem" else 0
    if "Table" not in ours:  # asked for the total only
        return ours["CapacityUnits"] <= oracle["CapacityUnits"]
    extra = oracle["Table"]["CapacityUnits"] - ours["Table"]["CapacityUnits"]
    kinds = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
    indexes = all(_indexes_less(ours.get(kind, {}), oracle.get(kind, {})) for kind in kinds)
    return 0 <= extra <= deletes and indexes


def _indexes_less(ours: dict[str, Any], oracle: dict[str, Any]) -> bool:
    return all(
        ours[name]["CapacityUnits"] <= oracle.get(name, {"CapacityUnits": -1})["CapacityUnits"]
        for name in ours
    )


def _deletes(request: Any, table: str) -> int:
    return sum("DeleteRequest" in each for each in request["RequestItems"][table])
