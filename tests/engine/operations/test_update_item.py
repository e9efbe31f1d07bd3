"""UpdateItem: what happens to an item that is not there."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import failure, table

ONE = {"TableName": "tbl", "Key": {"a": {"S": "one"}}}
INVALID_PATH = (
    "ValidationException: The document path provided in the update expression is invalid for update"
)


@pytest.fixture
def made(engine: Engine) -> Engine:
    engine.call("CreateTable", table())
    return engine


@pytest.mark.parametrize(
    "expression", ["REMOVE x.y", "REMOVE x[0], z", "REMOVE z", "DELETE x.y :s"]
)
def test_nothing_is_removed_from_nothing(made: Engine, expression: str) -> None:
    # Where there is an item, the path of a map or list that it lacks is refused; where there is
    # none, nothing is done.
    values: dict[str, Any] = (
        {"ExpressionAttributeValues": {":s": {"SS": ["a"]}}} if ":s" in expression else {}
    )
    update = {**ONE, "UpdateExpression": expression, **values, "ReturnValues": "ALL_NEW"}

    assert made.call("UpdateItem", update) == {}
    assert made.call("GetItem", ONE) == {}


def test_a_path_into_nothing_is_refused_beside_a_change(made: Engine) -> None:
    update = {
        **ONE,
        "UpdateExpression": "REMOVE x.y SET z = :s",
        "ExpressionAttributeValues": {":s": {"S": "a"}},
    }

    assert failure(made, "UpdateItem", update) == INVALID_PATH
