"""An index on a table with items: filled in slices, taken up again after a crash, equal to a
rebuild.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from sortkey.engine import Engine, index_builds
from tests.engine.tables import definitions, described, failure, index, new_engine, put, scan, table

ROWS = 120


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_builds, "SLICE_ROWS", 25)
    monkeypatch.setattr(index_builds, "AT_ONCE_ROWS", 10)


def filled(engine: Engine, rows: int = ROWS) -> Engine:
    engine.call("CreateTable", table())
    for number in range(rows):
        put(engine, item(number))
    return engine


def item(number: int, **attributes: Any) -> dict[str, Any]:
    """Every fifth has no c, every seventh one that cannot be an index key."""
    unfit = [{"N": "1"}, {"S": ""}, {"S": "x" * 3000}, {"L": []}, {"S": "x" * 70_000}]
    c = (
        {}
        if number % 5 == 0
        else {"c": unfit[number % 5] if number % 7 == 0 else {"S": f"c{number % 3}"}}
    )
    return {"a": {"S": f"a{number}"}, **c, **attributes}


def add_index(engine: Engine, key: str = "c", name: str = "gsi") -> None:
    given = {
        "AttributeDefinitions": definitions(key),
        "GlobalSecondaryIndexUpdates": [{"Create": index(name, key)}],
    }
    engine.call("UpdateTable", {"TableName": "tbl", **given})


def finish(engine: Engine) -> None:
    for _ in range(100):
        if status(engine)["IndexStatus"] == "ACTIVE":
            return
        engine.work()
    raise AssertionError("the index is never built")


def status(engine: Engine) -> dict[str, Any]:
    return described(engine)["GlobalSecondaryIndexes"][-1]


def rebuilt(engine: Engine) -> dict[bytes, bytes | None]:
    """What the index column of every row should be."""
    found = engine.catalog.table("tbl")
    encode = found.index_encoders[-1]
    return {key: encode(orjson.loads(body)) for _, key, body, _ in found.rows.by_id(0, 10_000)}


def held(engine: Engine) -> dict[bytes, bytes | None]:
    found = engine.catalog.table("tbl")
    column = found.indexes[-1].column
    return dict(engine.database.execute(f"select key, {column} from {found.rows.name}").fetchall())


def test_a_small_table_has_its_index_at_once(engine: Engine) -> None:
    # Tests and scripts that embed the engine have no server that works in the background.
    filled(engine, 8)
    add_index(engine)
    assert status(engine)["IndexStatus"] == "ACTIVE"
    assert held(engine) == rebuilt(engine)


def test_a_build_leaves_out_what_cannot_be_a_key(engine: Engine) -> None:
    # Items of before the index may have any value there: of another type, empty, or too long for a
    # key.
    filled(engine)
    add_index(engine)
    finish(engine)
    indexed = {each["a"]["S"] for each in scan(engine, IndexName="gsi")}
    assert indexed == {f"a{number}" for number in range(ROWS) if number % 5 and number % 7}
    assert status(engine)["ItemCount"] == len(indexed)


def test_an_update_of_an_item_that_is_left_out_keeps_it_out(engine: Engine) -> None:
    # Changing another attribute of such an item is allowed; it must neither fail nor slip into the
    # index.
    filled(engine)
    add_index(engine)
    finish(engine)
    unfit = [number for number in range(ROWS) if number % 5 and number % 7 == 0]
    for number in unfit:
        engine.call(
            "UpdateItem",
            {
                "TableName": "tbl",
                "Key": {"a": {"S": f"a{number}"}},
                "UpdateExpression": "SET z = :z",
                "ExpressionAttributeValues": {":z": {"N": "1"}},
            },
        )
    assert held(engine) == rebuilt(engine)
    assert not {f"a{number}" for number in unfit} & {
        each["a"]["S"] for each in scan(engine, IndexName="gsi")
    }


def test_an_index_that_is_being_built_cannot_be_read_nor_joined_by_another(engine: Engine) -> None:
    # Half an index would answer queries with half of the items.
    filled(engine)
    add_index(engine)
    found = status(engine)
    assert (found["IndexStatus"], found["Backfilling"]) == ("CREATING", True)
    message = "ValidationException: Cannot read from backfilling global secondary index: gsi"
    assert failure(engine, "Scan", {"TableName": "tbl", "IndexName": "gsi"}) == message
    with pytest.raises(Exception, match="Only 1 online index"):
        add_index(engine, name="second")


def test_an_index_that_is_being_built_can_be_deleted(engine: Engine) -> None:
    # AWS allows it in this phase, so that a mistaken index on a big table need not be waited for.
    filled(engine)
    add_index(engine)
    engine.work()
    engine.call(
        "UpdateTable",
        {"TableName": "tbl", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}]},
    )
    assert "GlobalSecondaryIndexes" not in described(engine)
    assert engine.records.all(index_builds.KIND) == []
    add_index(engine)
    finish(engine)
    assert held(engine) == rebuilt(engine)


def test_writes_during_a_build_are_in_the_index(engine: Engine) -> None:
    # Rows before and after the point that the build has reached change, go and come.
    filled(engine)
    add_index(engine)
    choice = random.Random(7)
    for _ in range(ROWS // 25):
        assert status(engine)["IndexStatus"] == "CREATING"
        engine.work()
        for _ in range(10):
            number = choice.randrange(ROWS + 40)
            if choice.random() < 0.3:
                engine.call("DeleteItem", {"TableName": "tbl", "Key": {"a": {"S": f"a{number}"}}})
            else:
                put(engine, {"a": {"S": f"a{number}"}, "c": {"S": f"new{number}"}})
    finish(engine)
    assert held(engine) == rebuilt(engine)


def test_a_build_goes_on_after_the_folder_is_opened_again(tmp_path: Path) -> None:
    # A process may die in the middle; what it had committed is kept, and the rest is done by the
    # next one.
    with new_engine(tmp_path / "data") as engine:
        filled(engine)
        add_index(engine)
        engine.work()
        engine.work()
        (progress,) = engine.records.all(index_builds.KIND)
        assert progress[1]["after"] == 50
    with new_engine(tmp_path / "data") as engine:
        assert status(engine)["IndexStatus"] == "CREATING"
        engine.work()
        assert engine.records.all(index_builds.KIND)[0][1]["after"] == 75
        finish(engine)
        assert held(engine) == rebuilt(engine)


KILLED = """
import os, signal, sys
from sortkey.engine import index_builds
from tests.engine.tables import new_engine
from tests.engine.test_index_builds import add_index, filled
index_builds.SLICE_ROWS, index_builds.AT_ONCE_ROWS = 25, 10
engine = filled(new_engine(sys.argv[1]))
add_index(engine)
engine.work()
index_builds.work(engine)  # a slice that is never committed
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_build_survives_the_death_of_its_process(tmp_path: Path) -> None:
    # Killed between the writes of a slice and their commit: that slice is done again, the one
    # before it is not lost.
    folder = tmp_path / "data"
    died = subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False)
    assert died.returncode == -signal.SIGKILL
    with new_engine(folder) as engine:
        assert engine.records.all(index_builds.KIND)[0][1]["after"] == 25
        finish(engine)
        assert held(engine) == rebuilt(engine)
        assert len(scan(engine, IndexName="gsi")) == len(
            [n for n in range(ROWS) if n % 5 and n % 7]
        )


def test_a_slice_that_fails_is_done_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    # The keys of a slice and the note of how far it got are one transaction.
    filled(engine)
    add_index(engine)
    engine.work()
    before = engine.records.all(index_builds.KIND)
    with monkeypatch.context() as patch:
        patch.setattr(engine.records, "put", _fail)
        with pytest.raises(OSError, match="disk"):
            engine.work()
    assert engine.records.all(index_builds.KIND) == before
    finish(engine)
    assert held(engine) == rebuilt(engine)


def test_an_index_of_several_attributes_is_built(engine: Engine) -> None:
    # All of its attributes must be there; types are mixed.
    engine.call("CreateTable", table())
    for number in range(40):
        extra = {"d": {"N": str(number)}} if number % 2 else {}
        put(engine, {"a": {"S": f"a{number}"}, "b": {"S": "x"}, "c": {"S": "y"}, **extra})
    create = index("gsi", "b:H c:H d:R a:R")
    definition = definitions("a b c d:N")
    engine.call(
        "UpdateTable",
        {
            "TableName": "tbl",
            "AttributeDefinitions": definition,
            "GlobalSecondaryIndexUpdates": [{"Create": create}],
        },
    )
    finish(engine)
    assert [each["d"]["N"] for each in scan(engine, IndexName="gsi")] == [
        str(n) for n in range(1, 40, 2)
    ]
    assert held(engine) == rebuilt(engine)


def _fail(*_: Any) -> None:
    raise OSError("disk full")
