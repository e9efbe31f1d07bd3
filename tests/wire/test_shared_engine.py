"""An engine that the wire shares with threads of its process."""

import threading
from typing import Any

import pytest

from sortkey import engine
from sortkey.engine import Engine
from sortkey.errors import ResourceNotFoundException
from sortkey.wire.shared_engine import SharedEngine


@pytest.fixture
def opened():
    with engine.own(":memory:") as opened:
        opened.call(
            "CreateTable",
            {
                "TableName": "Things",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        yield opened


def put(number: int) -> dict[str, Any]:
    return {"TableName": "Things", "Item": {"pk": {"S": str(number)}}}


def count(opened: Engine) -> int:
    return opened.call("Scan", {"TableName": "Things"})["Count"]


def test_another_thread_waits_until_the_group_is_committed(opened: Engine):
    # A store in a worker's thread would otherwise commit, or undo, the requests that the wire has
    # not answered yet.
    shared, done = SharedEngine(opened), threading.Event()
    shared.execute("PutItem", put(1))
    thread = threading.Thread(target=lambda: (opened.call("PutItem", put(2)), done.set()))
    thread.start()
    assert not done.wait(0.05)
    shared.flush()
    thread.join(5)
    assert done.is_set()
    assert count(opened) == 2


def test_a_request_in_the_loops_own_thread_commits_the_group_before_it_runs(
    opened: Engine, monkeypatch: Any
):
    # An awaited store runs in the loop's thread, where no lock can stop it. Its failure must be its
    # own.
    shared = SharedEngine(opened)
    shared.execute("PutItem", put(1))
    monkeypatch.setattr(opened, "execute", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        opened.call("PutItem", put(2))
    monkeypatch.undo()
    shared.flush()
    assert count(opened) == 1


def test_reads_and_refusals_hold_the_engine_no_longer_than_they_take(opened: Engine):
    # Nothing is open after them, so nobody would come to commit and let go.
    shared = SharedEngine(opened)
    shared.execute("GetItem", {"TableName": "Things", "Key": {"pk": {"S": "1"}}})
    with pytest.raises(ResourceNotFoundException):
        shared.execute("PutItem", {**put(1), "TableName": "Other"})
    shared.work()
    thread = threading.Thread(target=opened.call, args=("PutItem", put(2)))
    thread.start()
    thread.join(5)
    assert not thread.is_alive()
    assert count(opened) == 1


def test_whoever_listens_hears_of_every_request_and_its_refusal(opened: Engine):
    # The console's list of requests is made of this.
    calls: list[Any] = []
    shared = SharedEngine(opened, lambda *call: calls.append(call))
    shared.execute("PutItem", put(1))
    shared.flush()
    with pytest.raises(ResourceNotFoundException):
        shared.execute("PutItem", {**put(1), "TableName": "Other"})
    assert [(name, request["TableName"]) for name, request, _, _ in calls] == [
        ("PutItem", "Things"),
        ("PutItem", "Other"),
    ]
    assert [type(problem) for *_, problem in calls] == [type(None), ResourceNotFoundException]
    assert all(seconds > 0 for _, _, seconds, _ in calls)
