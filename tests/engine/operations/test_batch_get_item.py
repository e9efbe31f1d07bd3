"""BatchGetItem: how much one answer holds."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.errors import ValidationException
from tests.engine.tables import table

KB = 1024


def key(number: int) -> dict[str, Any]:
    return {"a": {"S": f"{number:03}"}}


def fill(engine: Engine, name: str, count: int, size: int) -> None:
    engine.call("CreateTable", table(name))
    filler = "x" * (size - len("a" + "000" + "b"))
    for number in range(count):
        engine.call("PutItem", {"TableName": name, "Item": {**key(number), "b": {"S": filler}}})


def test_an_answer_never_exceeds_16_mb(engine: Engine) -> None:
    # AWS: "returns … items (so as not to exceed the 16 MB limit)"; the item that would is left for
    # the next request.
    fill(engine, "tbl", 60, 300 * KB)
    wanted = {"Keys": [key(number) for number in range(60)], "ConsistentRead": True}

    answer = engine.call(
        "BatchGetItem", {"RequestItems": {"tbl": wanted}, "ReturnConsumedCapacity": "TOTAL"}
    )

    assert len(answer["Responses"]["tbl"]) == 54
    assert answer["UnprocessedKeys"] == {
        "tbl": {**wanted, "Keys": [key(number) for number in range(54, 60)]}
    }
    assert answer["ConsumedCapacity"] == [
        {"TableName": "tbl", "CapacityUnits": 54 * 75.0}
    ]  # what is left is free


def test_16_mb_to_the_byte_fit(engine: Engine) -> None:
    fill(engine, "tbl", 64, 256 * KB)
    wanted = {"Keys": [key(number) for number in range(65)]}

    answer = engine.call("BatchGetItem", {"RequestItems": {"tbl": wanted}})

    assert len(answer["Responses"]["tbl"]) == 64
    assert answer["UnprocessedKeys"] == {}


def test_what_does_not_fit_is_left_of_every_table(engine: Engine) -> None:
    # A client that asks again for UnprocessedKeys must get everything, from all tables.
    fill(engine, "one", 50, 400 * KB)
    fill(engine, "two", 2, KB)
    wanted = {
        "one": {"Keys": [key(number) for number in range(50)]},
        "two": {"Keys": [key(0), key(1)]},
    }

    answer = engine.call("BatchGetItem", {"RequestItems": wanted})

    left = answer["UnprocessedKeys"]
    assert len(answer["Responses"]["one"]) + len(left["one"]["Keys"]) == 50
    assert left["two"] == wanted["two"]
    assert answer["Responses"]["two"] == []


def test_a_table_with_null_for_its_keys_is_named(engine: Engine) -> None:
    # Not a fault of the server: the client sent nothing for the table.
    with pytest.raises(ValidationException, match="is required: tbl has empty list"):
        engine.call("BatchGetItem", {"RequestItems": {"tbl": None}})
