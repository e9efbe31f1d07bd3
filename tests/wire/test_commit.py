"""Group commit: one commit a turn, answers only after it, and one bad operation that costs no
other.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sortkey.wire.commit import GroupCommit
from tests.wire.harness import FakeEngine, Running, http


class Write:
    """A call that writes its name."""

    def __init__(self, engine: FakeEngine, name: str, sent: list[str]) -> None:
        self.engine, self.name, self.sent = engine, name, sent

    def run(self) -> bytes:
        self.engine.execute("PutItem", {"Name": self.name})
        return self.name.encode()

    def failed(self, error: Exception, /) -> bytes:
        return b"failed " + self.name.encode()

    def send(self, answer: bytes, /) -> None:
        assert self.name in self.engine.committed or answer.startswith(b"failed")
        self.sent.append(answer.decode())


class Turn:
    """A group commit whose event loop is a list."""

    def __init__(self) -> None:
        self.alone = False
        self.engine = FakeEngine()
        self.scheduled: list[Callable[[], None]] = []
        self.sent: list[str] = []
        self.group = GroupCommit(self.engine, self.scheduled.append, lambda: self.alone)

    def submit(self, *names: str) -> None:
        for name in names:
            self.group.submit(Write(self.engine, name, self.sent))

    def end(self) -> None:
        for each in [self.scheduled.pop(0) for _ in list(self.scheduled)]:
            each()


@pytest.fixture
def turn() -> Turn:
    return Turn()


def test_answers_wait_for_the_commit_that_they_share(turn: Turn) -> None:
    # An answer that outran its commit would be a lie after a crash.
    turn.submit("a", "b", "c")
    assert turn.sent == []
    assert len(turn.scheduled) == 1
    turn.end()
    assert turn.sent == ["a", "b", "c"]
    assert turn.engine.flushes == 1


def test_the_next_turn_has_its_own_commit(turn: Turn) -> None:
    turn.submit("a")
    turn.end()
    turn.submit("b")
    turn.end()
    assert turn.sent == ["a", "b"]
    assert turn.engine.flushes == 2


@pytest.mark.parametrize("names", [("bad", "a", "b"), ("a", "bad", "b"), ("a", "b", "bad")])
def test_an_operation_that_fails_costs_no_other_of_its_group(
    turn: Turn, names: tuple[str, ...]
) -> None:
    # The rollback takes the others' writes as well: they are done again.
    turn.engine.breaking = {"bad"}
    turn.submit(*names)
    turn.end()
    assert sorted(turn.sent) == ["a", "b", "failed bad"]
    assert turn.engine.committed == ["a", "b"]


def test_a_commit_that_fails_is_done_again_one_by_one(turn: Turn) -> None:
    turn.engine.breaking_in_flush = {"bad"}
    turn.submit("a", "bad", "b")
    turn.end()
    assert turn.sent == ["a", "failed bad", "b"]
    assert turn.engine.committed == ["a", "b"]


def test_a_read_waits_with_the_writes_that_it_saw(running: Running) -> None:
    # It may have seen what is not committed yet, and might never be.
    client = running.client()
    client.send(http("PutItem", b'{"Name":"a"}') + http("ListTables"))
    assert client.read().json() == {"Count": 1}
    assert client.read().json()["Seen"] == ["a"]
    assert running.engine.committed == ["a"]


def test_a_failure_of_the_store_is_answered_with_500_and_no_detail(running: Running) -> None:
    # The client learns that it may try again; the reason is in the server's log.
    running.engine.breaking = {"bad"}
    answer = running.ask(http("PutItem", b'{"Name":"bad"}'))
    assert answer.status == 500
    assert answer.json() == {
        "__type": "com.amazonaws.dynamodb.v20120810#InternalServerError",
        "message": "Internal server error",
    }
    assert running.ask(http("PutItem", b'{"Name":"good"}')).status == 200
    assert running.engine.committed == ["good"]
