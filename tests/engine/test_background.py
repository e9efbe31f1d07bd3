"""The thread that does the background work of an engine inside a program."""

from __future__ import annotations

import threading

import sortkey.engine
from tests.engine.tables import Clock, table


def test_a_program_that_only_calls_still_sees_items_expire():
    # Nobody calls `work` in a script; without the thread TTL would never come.
    clock = Clock()
    gone = threading.Event()
    with sortkey.engine.open(clock=clock) as engine:
        engine.call("CreateTable", table())
        spec = {"Enabled": True, "AttributeName": "ttl"}
        engine.call("UpdateTimeToLive", {"TableName": "tbl", "TimeToLiveSpecification": spec})
        item = {"a": {"S": "k"}, "ttl": {"N": str(int(clock.now) + 10)}}
        engine.call("PutItem", {"TableName": "tbl", "Item": item})
        clock.now += 1000
        for _ in range(200):
            if engine.call("Scan", {"TableName": "tbl"})["Count"] == 0:
                gone.set()
                break
            gone.wait(0.05)  # the worker looks once a second
    assert gone.is_set()
