"""Who watches an engine is woken by changes that a stream tells, after they are committed, and by
nothing else.
"""

from __future__ import annotations

from sortkey.engine import Engine
from tests.engine.streaming import iterator, read, stream_arn, streamed
from tests.engine.tables import put, scan, table


def test_a_watcher_is_woken_when_the_change_can_be_read(engine: Engine) -> None:
    # A worker that is woken too early finds nothing, and sleeps over the change.
    engine.call("CreateTable", streamed())
    place = iterator(engine, stream_arn(engine))
    found: list[int] = []
    end = engine.watch(lambda: found.append(len(read(engine, place)["Records"])))
    put(engine, {"a": {"S": "1"}})
    put(engine, {"a": {"S": "2"}})
    assert found == [1, 2]
    end()
    put(engine, {"a": {"S": "3"}})
    assert found == [1, 2]


def test_reads_and_tables_without_a_stream_wake_nobody(engine: Engine) -> None:
    # A worker's own checkpoints are writes too: it would wake itself for ever.
    engine.call("CreateTable", streamed())
    engine.call("CreateTable", table("plain"))
    woken: list[None] = []
    engine.watch(lambda: woken.append(None))
    put(engine, {"a": {"S": "1"}}, "plain")
    scan(engine)
    assert woken == []
    put(engine, {"a": {"S": "1"}})
    put(engine, {"a": {"S": "1"}})  # the same again is no change
    assert woken == [None]
