"""Random tables, random requests, both answers compared: `python -m tests.oracle.machine --requests
20000 --seed 7`.

A `Session` owns some tables on both sides. A difference ends it, because from then on
the two sides may hold different items.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from typing import Any

from tests.oracle.endpoints import Answer, Http, InProcess
from tests.oracle.normal import as_multiset, plain_numbers
from tests.oracle.pair import Difference, Pair, Stuck
from tests.oracle.random_requests import Draft, random_request
from tests.oracle.random_tables import Table, index_request, random_global_index, random_table
from tests.oracle.server import Lifeline, shared_port
from tests.oracle.streams import stream_records
from tools.downloads import Missing

REQUESTS_PER_SESSION = 250


class Session:
    """A few tables that exist on both sides, and the means to ask both the same."""

    def __init__(self, pair: Pair, prefix: str, source: random.Random) -> None:
        self.pair, self.source = pair, source
        self.tables = [
            random_table(f"{prefix}-{number}", source) for number in range(source.randint(1, 3))
        ]
        self.sent: Counter[str] = Counter()
        for table in self.tables:
            self._create(table)

    def step(self, source: random.Random | None = None) -> None:
        """One random request, compared. Raises Difference."""
        source = source or self.source
        if source.random() < 0.004:
            self._change_indexes(source.choice(self.tables), source)
            return
        draft = random_request(self.tables, source)
        self.sent[draft.operation] += 1
        if draft.operation == "CreateTable":
            self._create_other(draft)
        elif draft.drain:
            self.pair.same_items(draft.operation, draft.request, draft.order_by)
        else:
            self.pair.same(draft.operation, draft.request)

    def compare_everything(self) -> None:
        """Every item of every table and index, and every stream record: nothing may have drifted
        unseen.
        """
        for table in self.tables:
            for index in [None, *table.indexes]:
                where = {"IndexName": index.name} if index else {}
                self.pair.same_items("Scan", {"TableName": table.name, **where})
            if table.stream and table.name not in self.pair.healed:
                self._compare_streams(table)

    def close(self) -> None:
        for table in self.tables:
            self.pair.call("DeleteTable", {"TableName": table.name})

    def _create(self, table: Table) -> None:
        self.pair.same("CreateTable", table.create_request())
        self.pair.settle(table.name)

    def _create_other(self, draft: Draft) -> None:
        ours, oracle = self.pair.call("CreateTable", draft.request)
        name = draft.request.get("TableName")
        taken = {table.name for table in self.tables}
        if name not in taken and (
            ours.ok or oracle.ok
        ):  # the damage made a new name or a new, valid definition
            self.pair.settle(str(name))
            self.pair.call("DeleteTable", {"TableName": name})
        self.pair.compare("CreateTable", draft.request, ours, oracle)

    def _change_indexes(self, table: Table, source: random.Random) -> None:
        """Add a global index to a filled table, or drop one; then its contents must be equal."""
        # DynamoDB Local never ends deleting an index of which all keys are the table's.
        keys = {*table.key_names(), None}
        existing = [
            index
            for index in table.indexes
            if not index.local and not {index.hash, index.sort} <= keys
        ]
        request: dict[str, Any] = {"TableName": table.name}
        if existing and source.random() < 0.5:
            index = source.choice(existing)
            request["GlobalSecondaryIndexUpdates"] = [{"Delete": {"IndexName": index.name}}]
            changed = [each for each in table.indexes if each is not index]
        else:
            index = random_global_index(
                10 + len(self.sent) + source.randrange(10_000), table.types, source
            )
            names = {name for name in (index.hash, index.sort) if name}
            # All of them: DynamoDB Local forgets the types of index keys that are not sent again.
            used = {
                *table.key_names(),
                *names,
                *(n for i in table.indexes for n in (i.hash, i.sort) if n),
            }
            definitions = [
                {"AttributeName": name, "AttributeType": table.types[name]} for name in sorted(used)
            ]
            request["AttributeDefinitions"] = definitions
            create = index_request(index, table.provisioned)
            request["GlobalSecondaryIndexUpdates"] = [{"Create": create}]
            changed = [*table.indexes, index]
        self.sent["UpdateTable"] += 1
        ours, oracle = self.pair.call("UpdateTable", request)
        if oracle.status == 500 and ours.ok:
            raise Stuck(
                f"{self.pair.oracle.name} broke down over {json.dumps(request)}: {oracle.error}"
            )
        self.pair.compare("UpdateTable", request, ours, oracle)
        self.pair.settle(table.name)
        table.indexes = changed
        used = {*table.key_names(), *(n for i in changed for n in (i.hash, i.sort) if n)}
        table.types = {name: kind for name, kind in table.types.items() if name in used}

    def _compare_streams(self, table: Table) -> None:
        ours, oracle = (
            plain_numbers(stream_records(side, table.name))
            for side in (self.pair.ours, self.pair.oracle)
        )
        # Records of one item are in order on both sides; between items there is no order.
        request = {"TableName": table.name}
        self.pair.compare(
            "GetRecords", request, Answer(200, _by_item(ours)), Answer(200, _by_item(oracle))
        )


def run(pair: Pair, requests: int, seed: int, differences_max: int = 20) -> list[str]:
    """Send so many requests in sessions of 250; gives a description of each difference."""
    found: list[str] = []
    sent: Counter[str] = Counter()
    number, given_up, started = 0, 0, time.monotonic()
    while sent.total() < requests and len(found) < differences_max:
        number += 1
        source = random.Random(f"{seed}-{number}")
        session = None
        try:
            session = Session(
                pair, f"m{seed}-{number}-{random.SystemRandom().randrange(10**6)}", source
            )
            pair.diverged = False
            for _ in range(min(REQUESTS_PER_SESSION, requests - sent.total())):
                session.step()
                if pair.diverged:
                    break
            else:
                session.compare_everything()
        except Difference as difference:
            found.append(f"session {number}: {difference}")
            print(found[-1], file=sys.stderr, flush=True)
        except Stuck as stuck:
            given_up += 1
            print(f"session {number} given up: {stuck}", file=sys.stderr, flush=True)
        if session:
            sent += session.sent
            session.close()
        rate = sent.total() / (time.monotonic() - started)
        print(
            f"{sent.total()} requests, {len(found)} differences, {rate:.0f}/s",
            file=sys.stderr,
            flush=True,
        )
    print(
        f"seed {seed}: {sent.total()} requests {dict(sent)} in {number} sessions, {given_up} given "
        "up"
    )
    print(f"answers {dict(pair.outcomes)}; explained differences {dict(pair.explained_count)}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--differences", type=int, default=20, help="stop after so many")
    parser.add_argument(
        "--self", action="store_true", help="compare DynamoDB Local with itself: tests the machine"
    )
    arguments = parser.parse_args()
    lifeline = Lifeline()
    try:
        pair = _self_pair() if arguments.self else _pair()
        found = run(pair, arguments.requests, arguments.seed, arguments.differences)
    except Missing as missing:
        raise SystemExit(f"no DynamoDB Local to compare with: {missing}") from None
    finally:
        lifeline.close()
    raise SystemExit(
        f"{len(found)} differences; run again with --seed {arguments.seed}" if found else 0
    )


def _pair() -> Pair:
    import sortkey.engine

    return Pair(InProcess(sortkey.engine.own()), Http("DynamoDB Local", shared_port()))


def _self_pair() -> Pair:
    first = shared_port()
    other = Lifeline()  # a second jar, so that the two share no tables
    pair = Pair(Http("first", first), Http("second", shared_port()))
    pair.keep = other
    return pair


def _by_item(records: list[dict[str, Any]]) -> dict[str, Any]:
    grouped: dict[str, list[Any]] = {}
    for record in records:
        grouped.setdefault(json.dumps(record["dynamodb"]["Keys"], sort_keys=True), []).append(
            record
        )
    return {
        "records": as_multiset([{"key": key, "records": each} for key, each in grouped.items()])
    }


if __name__ == "__main__":
    main()
