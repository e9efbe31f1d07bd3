"""Short ways to say what a table looks like, and an engine whose clock stands still until it is
moved.
"""

from __future__ import annotations

from typing import Any

import sortkey.engine
from sortkey.engine import Engine
from sortkey.errors import ServiceError

NOW = 1_800_000_000.0
ALL = {"ProjectionType": "ALL"}
UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def new_engine(folder: Any = ":memory:", clock: Clock | None = None) -> Engine:
    return sortkey.engine.own(folder, clock=clock or Clock())


def definitions(names: str) -> list[dict[str, str]]:
    """ "a b:N" → a is a string, b a number."""
    parts = [name.partition(":") for name in names.split()]
    return [{"AttributeName": name, "AttributeType": kind or "S"} for name, _, kind in parts]


def keys(names: str) -> list[dict[str, str]]:
    """ "a b" → hash a, range b; "a:R b:H" says the types."""
    parts = [name.partition(":") for name in names.split()]
    types = {"H": "HASH", "R": "RANGE"}
    return [
        {"AttributeName": name, "KeyType": types.get(kind, "RANGE" if place else "HASH")}
        for place, (name, _, kind) in enumerate(parts)
    ]


def index(name: str, key: str, projection: dict[str, Any] = ALL, **members: Any) -> dict[str, Any]:
    return {"IndexName": name, "KeySchema": keys(key), "Projection": projection, **members}


def table(
    name: str = "tbl", key: str = "a", attributes: str | None = None, **members: Any
) -> dict[str, Any]:
    """A CreateTable request. A member that is None is left out."""
    request = {
        "TableName": name,
        "AttributeDefinitions": definitions(key if attributes is None else attributes),
        "KeySchema": keys(key),
        "BillingMode": "PAY_PER_REQUEST",
        **members,
    }
    return {member: value for member, value in request.items() if value is not None}


def failure(engine: Engine, operation: str, request: dict[str, Any]) -> str:
    """ "Code: message" of a request that must fail."""
    try:
        engine.call(operation, request)
    except ServiceError as error:
        return f"{error.code}: {error.message}"
    raise AssertionError(f"{operation} succeeded")


def described(engine: Engine, name: str = "tbl") -> dict[str, Any]:
    return engine.call("DescribeTable", {"TableName": name})["Table"]


def put(engine: Engine, item: dict[str, Any], name: str = "tbl") -> None:
    engine.call("PutItem", {"TableName": name, "Item": item})


def scan(engine: Engine, name: str = "tbl", **members: Any) -> list[dict[str, Any]]:
    return engine.call("Scan", {"TableName": name, **members})["Items"]
