"""Random requests on random tables, one function an operation; and `damage`, which breaks a good
one in one place.
"""

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.oracle.random_expressions import Expressions
from tests.oracle.random_legacy import attribute_updates, expected, filters, key_conditions
from tests.oracle.random_statements import statement
from tests.oracle.random_tables import PLAIN, Index, Table
from tests.oracle.random_values import wrong


@dataclass(frozen=True, slots=True)
class Draft:
    """A request, and how its answer is to be compared: as it is, or drained because its order or
    its pages are open.
    """

    operation: str
    request: dict[str, Any]
    drain: bool = False
    order_by: str | None = None


def random_request(tables: list[Table], source: random.Random) -> Draft:
    """One request; one in eight is damaged."""
    made = source.choices(_MAKERS, weights=_WEIGHTS)[0]
    draft = made(tables, source)
    if source.random() < 0.125:
        return Draft(draft.operation, _whole(damage(draft.request, source)), draft.drain)
    return draft


def _whole(request: dict[str, Any]) -> dict[str, Any]:
    """Without a segment that damage made valid: it holds other items on a server with another hash
    function.
    """
    match request:
        case {"Segment": int(segment), "TotalSegments": int(total)} if 0 <= segment < total:
            return {
                name: each
                for name, each in request.items()
                if name not in ("Segment", "TotalSegments")
            }
        case _:
            return request


def put_item(tables: list[Table], source: random.Random) -> Draft:
    table = source.choice(tables)
    request = {"TableName": table.name, "Item": table.item(source)} | _returns(
        source, ("NONE", "ALL_OLD")
    )
    return Draft("PutItem", request | _conditioned(table, source))


def delete_item(tables: list[Table], source: random.Random) -> Draft:
    table = source.choice(tables)
    request = {"TableName": table.name, "Key": table.key(source)} | _returns(
        source, ("NONE", "ALL_OLD")
    )
    return Draft("DeleteItem", request | _conditioned(table, source))


def update_item(tables: list[Table], source: random.Random) -> Draft:
    table = source.choice(tables)
    kinds = ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
    request = {"TableName": table.name, "Key": table.key(source)} | _returns(source, kinds)
    if source.random() < 0.2:
        return Draft(
            "UpdateItem",
            request | {"AttributeUpdates": attribute_updates(table, source)} | expected(source),
        )
    words = Expressions(table, source)
    if source.random() < 0.97:
        request["UpdateExpression"] = words.update()
    if source.random() < 0.3:
        request["ConditionExpression"] = words.condition()
        request |= _on_failure(source)
    return Draft("UpdateItem", request | words.placeholders())


def get_item(tables: list[Table], source: random.Random) -> Draft:
    table = source.choice(tables)
    request = (
        {"TableName": table.name, "Key": table.key(source)}
        | _capacity(source)
        | _consistent(source)
    )
    return Draft("GetItem", request | _projected(table, source))


def query(tables: list[Table], source: random.Random) -> Draft:
    table = source.choice(tables)
    index = source.choice([None, *table.indexes])
    hash_name, sort_name = (index.hash, index.sort) if index else (table.hash, table.sort)
    request: dict[str, Any] = {"TableName": table.name} | _read_options(table, index, source)
    if source.random() < 0.5:
        request["ScanIndexForward"] = source.random() < 0.5
    if (
        not index and not sort_name
    ):  # DynamoDB Local knows that one item is all there is, and gives no cursor
        request.pop("Limit", None)
    if source.random() < 0.15:
        conditions = key_conditions(table, hash_name, sort_name, source)
        request |= {"KeyConditions": conditions} | filters("QueryFilter", source)
    else:
        words = Expressions(table, source)
        request["KeyConditionExpression"] = words.key_condition(hash_name, sort_name)
        request |= _filtered(words, source) | words.placeholders()
    if not index and sort_name and source.random() < 0.12:
        request["ExclusiveStartKey"] = _start_key(table, request, source)
    # Items with equal index keys come in any order, and a page may end among them.
    return Draft("Query", request, drain=index is not None, order_by=sort_name if index else None)


def scan(tables: list[Table], source: random.Random) -> Draft:
    table = source.choice(tables)
    request: dict[str, Any] = {"TableName": table.name}
    request |= _read_options(table, source.choice([None, *table.indexes]), source)
    index = next((each for each in table.indexes if each.name == request.get("IndexName")), None)
    if (
        source.random() < 0.05
    ):  # the valid ones divide the items otherwise on a server with another hash function
        request |= source.choice(
            ({"Segment": 1}, {"TotalSegments": 2}, {"Segment": 3, "TotalSegments": 2})
        )
    if (
        index and index.projection["ProjectionType"] != "ALL"
    ):  # DynamoDB Local filters before it projects
        return Draft("Scan", request, drain="Limit" in request)
    if source.random() < 0.2:
        return Draft("Scan", request | filters("ScanFilter", source), drain="Limit" in request)
    words = Expressions(table, source)
    return Draft(
        "Scan", request | _filtered(words, source) | words.placeholders(), drain="Limit" in request
    )


def batch_write(tables: list[Table], source: random.Random) -> Draft:
    writes: dict[str, Any] = {}
    for _ in range(source.randint(1, 5)):
        table = source.choice(tables)
        put = source.random() < 0.7
        write = (
            {"PutRequest": {"Item": table.item(source)}}
            if put
            else {"DeleteRequest": {"Key": table.key(source)}}
        )
        writes.setdefault(table.name, []).append(write)
    return Draft("BatchWriteItem", {"RequestItems": writes} | _capacity(source) | _metrics(source))


def batch_get(tables: list[Table], source: random.Random) -> Draft:
    reads: dict[str, Any] = {}
    for table in source.sample(tables, source.randint(1, len(tables))):
        reads[table.name] = {"Keys": [table.key(source) for _ in range(source.randint(1, 3))]}
        reads[table.name] |= _projected(table, source) | _consistent(source)
    return Draft("BatchGetItem", {"RequestItems": reads} | _capacity(source))


def transact_write(tables: list[Table], source: random.Random) -> Draft:
    actions = [_write_action(source.choice(tables), source) for _ in range(source.randint(1, 4))]
    # Two actions may both be at fault, and AWS does not say which one it names.
    request = {"TransactItems": actions} | _capacity(source) | _metrics(source)
    # Three tokens for all tables: some come again with the same actions, most with others.
    token = (
        {"ClientRequestToken": f"{tables[0].name[:30]}-{source.randrange(3)}"}
        if source.random() < 0.1
        else {}
    )
    return Draft("TransactWriteItems", request | token)


def transact_get(tables: list[Table], source: random.Random) -> Draft:
    gets: list[dict[str, Any]] = []
    for _ in range(source.randint(1, 4)):
        table = source.choice(tables)
        words = Expressions(table, source)
        get = {"TableName": table.name, "Key": table.key(source)}
        if source.random() < 0.3:
            get |= {"ProjectionExpression": words.projection()} | words.placeholders()
        gets.append({"Get": get})
    return Draft("TransactGetItems", {"TransactItems": gets} | _capacity(source))


def execute_statement(tables: list[Table], source: random.Random) -> Draft:
    return Draft("ExecuteStatement", statement(source.choice(tables), source))


def batch_execute(tables: list[Table], source: random.Random) -> Draft:
    statements = [statement(source.choice(tables), source) for _ in range(source.randint(1, 3))]
    return Draft("BatchExecuteStatement", {"Statements": statements})


def execute_transaction(tables: list[Table], source: random.Random) -> Draft:
    statements = [statement(source.choice(tables), source) for _ in range(source.randint(1, 3))]
    return Draft("ExecuteTransaction", {"TransactStatements": statements})


def describe_table(tables: list[Table], source: random.Random) -> Draft:
    return Draft("DescribeTable", {"TableName": source.choice(tables).name})


def describe_time_to_live(tables: list[Table], source: random.Random) -> Draft:
    return Draft("DescribeTimeToLive", {"TableName": source.choice(tables).name})


def create_table_again(tables: list[Table], source: random.Random) -> Draft:
    """A name that is taken: ResourceInUseException, or what else is wrong once it is damaged."""
    return Draft("CreateTable", source.choice(tables).create_request())


def damage(request: dict[str, Any], source: random.Random) -> dict[str, Any]:
    """A copy with one thing wrong, somewhere inside."""
    broken = copy.deepcopy(request)
    holder, name = source.choice(_places(broken))
    old = holder[name]
    roll = source.random()
    if roll < 0.35:
        del holder[name]
    elif roll < 0.7 and isinstance(old, str):
        holder[name] = source.choice(
            ("", " ", "no-such-thing", f"{old} ", f"{old} AND", f"({old}", "x" * 300)
        )
    elif isinstance(old, bool):
        holder[name] = not old
    elif isinstance(old, int):
        holder[name] = source.choice((0, -1, 10_000))
    elif isinstance(old, dict):
        holder[name] = source.choice(({}, wrong(source)))
    elif isinstance(old, list):
        holder[name] = source.choice(([], old * 2))
    elif isinstance(holder, dict):
        holder["NoSuchMember"] = "x"
    else:
        holder.append(old)
    return broken


def _places(value: Any) -> list[tuple[Any, Any]]:
    names = list(value) if isinstance(value, dict) else range(len(value))
    found: list[tuple[Any, Any]] = [(value, name) for name in names]
    for name in names:
        if isinstance(value[name], dict | list):
            found += _places(value[name])
    return found


def _start_key(table: Table, request: dict[str, Any], source: random.Random) -> dict[str, Any]:
    """Mostly in the partition that the query reads, wherever in it."""
    start = table.key(source)
    asked = request.get("ExpressionAttributeValues", {}).get(":v0")
    if asked and source.random() < 0.9:
        start[table.hash] = asked
    return start


def _write_action(table: Table, source: random.Random) -> dict[str, Any]:
    words = Expressions(table, source)
    kind = source.choice(("Put", "Update", "Delete", "ConditionCheck"))
    action: dict[str, Any] = {"TableName": table.name}
    action |= {"Item": table.item(source)} if kind == "Put" else {"Key": table.key(source)}
    if kind == "Update":
        action["UpdateExpression"] = words.update()
    if kind == "ConditionCheck" or source.random() < 0.25:
        action["ConditionExpression"] = words.condition()
        action |= _on_failure(source)
    return {kind: action | words.placeholders()}


def _conditioned(table: Table, source: random.Random) -> dict[str, Any]:
    roll = source.random()
    if roll < 0.1:
        return expected(source)
    if roll < 0.4:
        words = Expressions(table, source)
        return (
            {"ConditionExpression": words.condition()} | words.placeholders() | _on_failure(source)
        )
    return {}


def _on_failure(source: random.Random) -> dict[str, Any]:
    return {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"} if source.random() < 0.5 else {}


def _returns(source: random.Random, kinds: tuple[str, ...]) -> dict[str, Any]:
    members: dict[str, Any] = _capacity(source)
    if source.random() < 0.6:
        members["ReturnValues"] = source.choice(kinds)
    return members | _metrics(source)


def _metrics(source: random.Random) -> dict[str, Any]:
    return {"ReturnItemCollectionMetrics": "SIZE"} if source.random() < 0.1 else {}


def _capacity(source: random.Random) -> dict[str, Any]:
    chosen = source.choice((None, None, "TOTAL", "INDEXES", "NONE"))
    return {"ReturnConsumedCapacity": chosen} if chosen else {}


def _consistent(source: random.Random) -> dict[str, Any]:
    return {"ConsistentRead": source.random() < 0.5} if source.random() < 0.4 else {}


def _projected(table: Table, source: random.Random) -> dict[str, Any]:
    roll = source.random()
    if roll < 0.1:
        return {"AttributesToGet": source.sample(PLAIN, source.randint(1, 3))}
    if roll < 0.4:
        words = Expressions(table, source)
        return {"ProjectionExpression": words.projection()} | words.placeholders()
    return {}


def _read_options(table: Table, index: Index | None, source: random.Random) -> dict[str, Any]:
    options = _capacity(source)
    if index:
        options["IndexName"] = index.name
    if source.random() < (0.02 if index and not index.local else 0.3):
        options["ConsistentRead"] = True
    if source.random() < 0.25:
        options["Limit"] = source.randint(1, 5)
    if source.random() < 0.1:
        kinds = ("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "COUNT", "SPECIFIC_ATTRIBUTES")
        options["Select"] = source.choice(kinds)
    return options


def _filtered(words: Expressions, source: random.Random) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if source.random() < 0.35:
        members["FilterExpression"] = words.condition(plain_only=source.random() < 0.9)
    if source.random() < 0.25:
        members["ProjectionExpression"] = words.projection()
    return members


_CHOICES: dict[Callable[[list[Table], random.Random], Draft], int] = {
    put_item: 22,
    update_item: 22,
    delete_item: 6,
    get_item: 8,
    query: 14,
    scan: 6,
    batch_write: 5,
    batch_get: 4,
    transact_write: 8,
    transact_get: 3,
    describe_table: 1,
    describe_time_to_live: 1,
    create_table_again: 1,
    execute_statement: 4,
    batch_execute: 1,
    execute_transaction: 1,
}
_MAKERS, _WEIGHTS = list(_CHOICES), list(_CHOICES.values())
