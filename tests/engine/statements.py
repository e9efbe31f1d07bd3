"""A table with a sort key and two indexes, a few items, and a short way to run a statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.errors import ServiceError
from tests.engine.tables import index, put, table

KEYS_ONLY = {"ProjectionType": "KEYS_ONLY"}

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def filled(engine: Engine) -> Engine:
    """Partition "a" holds five items, sk 0 to 4; "b" one; "u" one with all that updates need."""
    engine.call(
        "CreateTable",
        table(
            "things",
            "pk sk",
            "pk sk:N g l",
            GlobalSecondaryIndexes=[index("by_g", "g sk", KEYS_ONLY)],
            LocalSecondaryIndexes=[index("by_l", "pk l", KEYS_ONLY)],
        ),
    )
    for number in range(5):
        item = {
            "pk": {"S": "a"},
            "sk": {"N": str(number)},
            "v": {"S": f"x{number}"},
            "g": {"S": "G"},
            "l": {"S": "L"},
        }
        put(engine, item, "things")
    put(
        engine,
        {"pk": {"S": "b"}, "sk": {"N": "9"}, "nul": {"NULL": True}, "n": {"N": "9"}},
        "things",
    )
    put(
        engine,
        {
            "pk": {"S": "u"},
            "sk": {"N": "1"},
            "v": {"S": "old"},
            "n": {"N": "5"},
            "s": {"SS": ["a", "b"]},
            "list": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}]},
            "m": {"M": {"a": {"N": "1"}, "b": {"M": {"c": {"S": "d"}}}}},
        },
        "things",
    )
    return engine


@pytest.fixture
def run(filled: Engine) -> Run:
    def execute(statement: str, *parameters: Any, **members: Any) -> dict[str, Any]:
        request: dict[str, Any] = {"Statement": statement, **members}
        if parameters:
            request["Parameters"] = list(parameters)
        return filled.call("ExecuteStatement", request)

    return execute


def refusal(run: Run, statement: str, *parameters: Any, **members: Any) -> str:
    """The message of a statement that must fail."""
    with pytest.raises(ServiceError) as raised:
        run(statement, *parameters, **members)
    return raised.value.message
