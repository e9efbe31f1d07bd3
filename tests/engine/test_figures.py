"""The figures of DescribeTable: exact while counting is quick, up to six hours old when it
is not.
"""

from __future__ import annotations

from collections.abc import Callable

from sortkey.engine import Engine
from sortkey.engine.figures import Counts
from tests.engine.tables import Clock, described, index, put, table


def timer(step: float) -> Callable[[], float]:
    """Every look at it comes `step` seconds after the last."""
    now = 0.0

    def tick() -> float:
        nonlocal now
        now += step
        return now

    return tick


def test_figures_follow_every_write(engine: Engine) -> None:
    # Sizes by AWS's rules: names and values; an index counts what it holds.
    keys_only = index("gsi", "c", {"ProjectionType": "KEYS_ONLY"})
    engine.call(
        "CreateTable",
        table(attributes="a c", GlobalSecondaryIndexes=[index("all", "c"), keys_only]),
    )
    put(engine, {"a": {"S": "1"}, "c": {"S": "22"}, "x": {"S": "333"}})
    put(engine, {"a": {"S": "2"}})
    found = described(engine)
    assert (found["ItemCount"], found["TableSizeBytes"]) == (2, 9 + 2)
    sizes = {
        gsi["IndexName"]: (
            gsi["ItemCount"],
            gsi["IndexSizeBytes"],
        )
        for gsi in found["GlobalSecondaryIndexes"]
    }
    assert sizes == {"all": (1, 9), "gsi": (1, 5)}
    engine.call("DeleteItem", {"TableName": "tbl", "Key": {"a": {"S": "1"}}})
    assert described(engine)["ItemCount"] == 1


def test_slow_figures_are_used_again_for_six_hours(engine: Engine, clock: Clock) -> None:
    # Counting a table of many million items on every DescribeTable would stop everything else.
    engine.counts = Counts(timer(step=1.0))
    engine.call("CreateTable", table())
    put(engine, {"a": {"S": "1"}})
    assert described(engine)["ItemCount"] == 0  # counted by CreateTable's answer
    clock.now += 6 * 3600 - 1
    assert described(engine)["ItemCount"] == 0
    clock.now += 1
    assert described(engine)["ItemCount"] == 1


def test_nothing_is_counted_again_without_a_write(engine: Engine) -> None:
    # Waiters and dashboards ask often.
    engine.call("CreateTable", table())
    described(engine)
    counted: list[int] = []
    rows = engine.catalog.table("tbl").rows
    rows.totals = lambda: counted.append(1) or (0, 0)  # type: ignore[method-assign, func-returns-value]
    described(engine)
    assert counted == []
    put(engine, {"a": {"S": "1"}})
    described(engine)
    assert counted == [1]
