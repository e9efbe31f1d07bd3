"""The parameters from before expressions: Expected, AttributeUpdates, KeyConditions and the
filters.
"""

import random
from typing import Any

from tests.oracle.random_tables import PLAIN, Table
from tests.oracle.random_values import scalar, value

_COUNTS = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2, "IN": 2}
_OPERATORS = (
    *("EQ", "NE", "LE", "LT", "GE", "GT", "NOT_NULL", "NULL"),
    *("CONTAINS", "NOT_CONTAINS", "BEGINS_WITH", "IN", "BETWEEN"),
)


def expected(source: random.Random) -> dict[str, Any]:
    """Nothing, or Expected in either of its two spellings."""
    if source.random() < 0.3:
        return {}
    names = source.sample(PLAIN, source.randint(1, 2))
    members: dict[str, Any] = {"Expected": {name: _expectation(source) for name in names}}
    return members | _joined(names, source)


def attribute_updates(table: Table, source: random.Random) -> dict[str, Any]:
    chosen = source.sample(PLAIN, source.randint(1, 3))
    updates = {name: _update(source) for name in chosen}
    others = [name for name in table.types if name not in table.key_names()]
    if others and source.random() < 0.5:
        name = source.choice(others)
        updates[name] = {"Value": scalar(source, table.types[name]), "Action": "PUT"}
    return updates


def key_conditions(
    table: Table, hash_name: str, sort_name: str | None, source: random.Random
) -> dict[str, Any]:
    conditions = {hash_name: _comparison("EQ", [scalar(source, table.types[hash_name])])}
    if sort_name and source.random() < 0.6:
        operator = source.choice(("EQ", "LE", "LT", "GE", "GT", "BEGINS_WITH", "BETWEEN"))
        values = [scalar(source, table.types[sort_name])] * _COUNTS.get(operator, 1)
        conditions[sort_name] = _comparison(operator, values)
    return conditions


def filters(member: str, source: random.Random) -> dict[str, Any]:
    """QueryFilter or ScanFilter, sometimes."""
    if source.random() < 0.4:
        return {}
    names = source.sample(PLAIN, source.randint(1, 2))
    return {member: {name: _random_comparison(source) for name in names}} | _joined(names, source)


def _expectation(source: random.Random) -> dict[str, Any]:
    roll = source.random()
    if roll < 0.2:
        return {"Exists": False}
    if roll < 0.4:
        return {"Value": value(source)} | ({"Exists": True} if roll < 0.3 else {})
    return _random_comparison(source)


def _random_comparison(source: random.Random) -> dict[str, Any]:
    operator = source.choice(_OPERATORS)
    count = _COUNTS.get(operator, 1)
    values = [value(source) for _ in range(count)]
    if operator == "BETWEEN" and source.random() < 0.8:
        values = [{"N": "1"}, {"N": "5"}]
    return _comparison(operator, values)


def _comparison(operator: str, values: list[dict[str, Any]]) -> dict[str, Any]:
    return {"ComparisonOperator": operator} | ({"AttributeValueList": values} if values else {})


def _joined(names: list[str], source: random.Random) -> dict[str, Any]:
    if len(names) < 2:  # refused, and there may be another fault already
        return {}
    return {"ConditionalOperator": source.choice(("AND", "OR"))} if source.random() < 0.2 else {}


def _update(source: random.Random) -> dict[str, Any]:
    match source.randrange(5):
        case 0:
            return {"Action": "DELETE"}
        case 1:
            return {"Action": "DELETE", "Value": source.choice(({"SS": ["a"]}, {"NS": ["1"]}))}
        case 2:
            return {
                "Action": "ADD",
                "Value": source.choice(({"N": "2"}, {"SS": ["b", "c"]}, {"L": [{"S": "x"}]})),
            }
        case _:
            return {"Value": value(source)} | ({"Action": "PUT"} if source.random() < 0.9 else {})
