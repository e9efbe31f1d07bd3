"""Pages of a SELECT: limits, tokens, the megabyte, and what they cost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.engine import Engine
from tests.engine.statements import Run, refusal
from tests.engine.tables import new_engine, put, table


@pytest.fixture(scope="module")
def many() -> Any:
    with new_engine() as engine:
        engine.call("CreateTable", table("many", "pk sk", "pk sk:N"))
        for pk in "abcd":
            for sk in range(7):
                put(
                    engine,
                    {"pk": {"S": pk}, "sk": {"N": str(sk)}, "odd": {"BOOL": sk % 2 == 1}},
                    "many",
                )
        yield engine


def _all(engine: Engine, statement: str, limit: int | None) -> list[Any]:
    """Every page, to the end."""
    items: list[Any] = []
    request: dict[str, Any] = {"Statement": statement}
    if limit is not None:
        request["Limit"] = limit
    while True:
        answer = engine.call("ExecuteStatement", request)
        assert limit is None or len(answer["Items"]) <= limit
        items += answer["Items"]
        if "NextToken" not in answer:
            return items
        request["NextToken"] = answer["NextToken"]


@given(
    st.sampled_from(
        [
            "SELECT * FROM many",
            "SELECT * FROM many WHERE odd=true",
            "SELECT * FROM many WHERE pk='b'",
            "SELECT * FROM many WHERE pk='b' AND sk=3",
            "SELECT * FROM many WHERE pk='b' AND sk>2 AND odd=true ORDER BY sk DESC",
            "SELECT * FROM many WHERE pk IN ['d','nobody','a','b']",
            "SELECT * FROM many WHERE pk IN ['d','a','b'] AND sk>=5 ORDER BY pk DESC, sk DESC",
        ]
    ),
    st.integers(1, 30),
)
def test_pages_of_any_size_add_up_to_the_whole(many: Engine, statement: str, limit: int) -> None:
    # A page may end inside a partition, between two, or behind a filter; nothing is lost or shown
    # twice.
    assert _all(many, statement, limit) == _all(many, statement, None)


def test_a_token_goes_on_only_with_its_own_statement(run: Run) -> None:
    # A token taken to another statement, or changed by hand, would read what was not asked for.
    statement = "SELECT sk FROM things WHERE pk='a'"
    answer = run(statement, Limit=2)
    assert answer["LastEvaluatedKey"] == {"pk": {"S": "a"}, "sk": {"N": "1"}}
    token = answer["NextToken"]
    assert run(statement, Limit=1, NextToken=token)["Items"] == [{"sk": {"N": "2"}}]
    changed = ("B" if token[0] == "A" else "A") + token[1:]
    for other, used in (
        ("SELECT sk FROM things WHERE pk='b'", token),
        (statement, changed),
        (statement, "x"),
    ):
        assert refusal(run, other, NextToken=used) == "Invalid NextToken"


def test_a_page_ends_at_a_megabyte_over_all_partitions(engine: Engine) -> None:
    # The megabyte is the request's, not each partition's.
    engine.call("CreateTable", table("big", "pk"))
    for number in range(6):
        put(engine, {"pk": {"S": str(number)}, "v": {"S": "x" * 300_000}}, "big")
    request = {"Statement": "SELECT pk FROM big WHERE pk IN ['0','1','2','3','4','5']"}
    first = engine.call("ExecuteStatement", request)
    assert len(first["Items"]) == 4
    assert (
        len(engine.call("ExecuteStatement", {**request, "NextToken": first["NextToken"]})["Items"])
        == 2
    )


def test_a_page_over_many_partitions_has_ten_items(engine: Engine) -> None:
    # The guide, of IN: "Results are returned in pages of up to 10 items"; a longer list goes on by
    # its token.
    engine.call("CreateTable", table("small", "pk"))
    for number in range(12):
        put(engine, {"pk": {"S": str(number)}}, "small")
    statement = f"SELECT pk FROM small WHERE pk IN {[str(number) for number in range(12)]}"
    first = engine.call("ExecuteStatement", {"Statement": statement})
    assert len(first["Items"]) == 10
    assert len(_all(engine, statement, None)) == 12
    assert "NextToken" not in engine.call(
        "ExecuteStatement", {"Statement": statement.replace(", '10', '11'", "")}
    )


READS = [
    ("SELECT * FROM things WHERE pk='a' AND sk=1", {}, 0.5),
    ("SELECT * FROM things WHERE pk='a' AND sk=1", {"ConsistentRead": True}, 1.0),
    ("SELECT * FROM things WHERE pk='a' AND sk=99", {}, 0.5),
    ("SELECT * FROM things WHERE pk='a'", {}, 0.5),
    ("SELECT * FROM things WHERE pk IN ['a','b']", {}, 1.0),
    ("SELECT * FROM things", {}, 0.5),
]


@pytest.mark.parametrize(("statement", "members", "units"), READS)
def test_reads_report_what_they_consumed(
    run: Run, statement: str, members: dict[str, Any], units: float
) -> None:
    # DynamoDB Local ignores ReturnConsumedCapacity here; AWS documents it. Each partition is a read
    # of its own.
    answer = run(statement, ReturnConsumedCapacity="TOTAL", **members)
    assert answer["ConsumedCapacity"] == {"TableName": "things", "CapacityUnits": units}


def test_a_global_index_has_no_consistent_reads(run: Run) -> None:
    # The index follows the table; a consistent read of it cannot be promised.
    message = "Consistent reads are not supported on global secondary indexes"
    assert refusal(run, "SELECT sk FROM things.by_g WHERE g='G'", ConsistentRead=True) == message
