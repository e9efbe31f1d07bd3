"""`kill -9` in the middle of a write load: what was acknowledged is there, nothing is half done,
nothing disagrees.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine, own
from tests.engine import invariants
from tests.engine.invariants import Contents, contents, key_text
from tests.faults.load import (
    LEFT,
    MAIN,
    RIGHT,
    SHARED,
    Doubt,
    Item,
    Place,
    Writer,
    tables,
    write_until_killed,
)
from tests.faults.served import Served

WRITERS = 6


class Trial:
    """A folder that is served, killed and looked at, again and again."""

    def __init__(self, folder: Path, synchronous: str, seed: int) -> None:
        self.folder, self.synchronous = folder, synchronous
        self.random = random.Random(seed)
        self.writers = [
            Writer(number, random.Random(f"{seed}/{number}")) for number in range(WRITERS)
        ]
        self.replayed: dict[str, Contents] = {MAIN: {}, LEFT: {}, RIGHT: {}}
        self.after: dict[str, str] = {}
        with own(folder) as engine:
            for table in tables():
                engine.call("CreateTable", table)

    def kill_once(self) -> None:
        with Served(self.folder, "--synchronous", self.synchronous) as server:
            most = self.random.choice((20, 200, 500, 2000))
            write_until_killed(server, self.writers, self.random.randrange(1, most))
            said = server.end()
            assert "Traceback" not in said, said
        with own(self.folder) as engine:
            self.check(engine)

    def check(self, engine: Engine) -> None:
        held = {name: contents(engine, name) for name in (MAIN, LEFT, RIGHT)}
        check_acknowledged(self.writers, held)
        assert held[LEFT] == held[RIGHT], "half a transaction"
        self.check_streams(engine, held)
        check_tokens(engine, self.writers)
        invariants.check(engine)

    def check_streams(self, engine: Engine, held: dict[str, Contents]) -> None:
        """Go on reading each stream where the last look ended: every record starts from what the
        one before left.
        """
        for name, replayed in self.replayed.items():
            self.after[name] = read_stream(engine, name, replayed, self.after.get(name))
            assert replayed == held[name], f"the stream of {name} does not match its table"


def check_acknowledged(writers: list[Writer], held: dict[str, Contents]) -> None:
    """Items are as acknowledged to each writer. A write without an answer is done or not, and then
    known.
    """
    for writer in writers:
        if writer.doubt is not None:
            settle(writer, writer.doubt, held)
        for place, item in writer.known.items():
            assert found(held, place) == item, f"{place} is not what was acknowledged"
    added = found(held, (MAIN, f"{SHARED}-added"))
    count = int(added["c"]["N"]) if added else 0
    acknowledged, doubted = (
        sum(getattr(writer, name) for writer in writers) for name in ("added", "adding")
    )
    assert acknowledged <= count <= acknowledged + doubted
    writers[0].added += count - acknowledged
    value = found(held, (MAIN, f"{SHARED}-set"))
    assert max(writer.set_counter for writer in writers) <= (int(value["c"]["N"]) if value else 0)
    for writer in writers:
        writer.adding = 0


def settle(writer: Writer, doubt: Doubt, held: dict[str, Contents]) -> None:
    before = {place: writer.known.get(place) for place in doubt.after}
    now = {place: found(held, place) for place in doubt.after}
    if doubt.atomic:
        assert now in (before, doubt.after), f"half done: {doubt.request}"
    for place, item in now.items():
        assert item in (before[place], doubt.after[place])
    writer.known.update(now)


def found(held: dict[str, Contents], place: Place) -> Item | None:
    table, name = place
    return held[table].get(key_text({"p": {"S": name}, "r": {"N": "1"}}, ("p", "r")))


def check_tokens(engine: Engine, writers: list[Writer]) -> None:
    """A transaction sent again with its token is done once in all, whether its first answer came or
    not.
    """
    for writer in writers:
        if writer.last_transaction is not None:
            engine.call("TransactWriteItems", writer.last_transaction)
        if writer.doubt is not None and writer.doubt.request[0] == "TransactWriteItems":
            engine.call(*writer.doubt.request)
            writer.known.update(writer.doubt.after)
            writer.last_transaction = writer.doubt.request[1]
        writer.doubt = None
        for place, item in writer.known.items():
            answer = engine.call(
                "GetItem", {"TableName": place[0], "Key": {"p": {"S": place[1]}, "r": {"N": "1"}}}
            )
            assert answer.get("Item") == item


def read_stream(engine: Engine, name: str, replayed: Contents, after: str | None) -> str:
    """Apply a stream's new records to the replayed items. Returns the last sequence number."""
    arn = engine.call("DescribeTable", {"TableName": name})["Table"]["LatestStreamArn"]
    shards = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    assert len(shards) == 1
    place = {"StreamArn": arn, "ShardId": shards[0]["ShardId"]}
    start: Item = {"ShardIteratorType": "TRIM_HORIZON"}
    if after is not None:
        start = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": after}
    iterator = engine.call("GetShardIterator", {**place, **start})["ShardIterator"]
    while records := (answer := engine.call("GetRecords", {"ShardIterator": iterator}))["Records"]:
        for record in records:
            after = apply(record["dynamodb"], replayed, after)
        iterator = answer["NextShardIterator"]
    return after or ""


def apply(change: dict[str, Any], replayed: Contents, after: str | None) -> str:
    key = key_text(change["Keys"], ("p", "r"))
    assert change["SequenceNumber"] > (after or "")
    assert replayed.pop(key, None) == change.get("OldImage"), "a record is missing"
    if "NewImage" in change:
        replayed[key] = change["NewImage"]
    return change["SequenceNumber"]


def kill_again_and_again(trial: Trial, times: int) -> None:
    for _ in range(times):
        trial.kill_once()
    with own(trial.folder) as engine:  # the whole history at once, as a new reader gets it
        for name in trial.replayed:
            replayed: Contents = {}
            read_stream(engine, name, replayed, None)
            assert replayed == contents(engine, name)


@pytest.mark.slow
@pytest.mark.parametrize("synchronous", ["normal", "full"])
def test_fifty_kills_lose_nothing_that_was_acknowledged(tmp_path: Path, synchronous: str) -> None:
    # The promise of the store; 25 kills for each way of syncing.
    kill_again_and_again(Trial(tmp_path / "data", synchronous, seed=2), 25)


def test_three_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    kill_again_and_again(Trial(tmp_path / "data", "normal", seed=1), 3)
