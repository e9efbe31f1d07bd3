"""`kill -9` in the middle of handlers: after the restart nothing is lost, and what may happen once,
happened once.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

import sortkey
from sortkey import Store, StreamWorker
from tests.faults.forks import Forks
from tests.faults.handling import CUSTOMERS, Count, Order, handlers

ROUNDS = 50


def run_until_killed(forks: Forks, folder: Path, first: int, seed: int) -> int:
    """Let the program run until it dies. Returns the number of the last order acknowledged as
    stored.
    """
    fork = forks.start(str(folder), first, seed)
    acknowledged = [int(line) for line in fork.lines()]
    assert fork.was_killed()
    assert acknowledged == list(range(first, first + len(acknowledged)))
    return first + len(acknowledged) - 1


def steps_of(customer: str, numbers: range) -> list[tuple[int, int]]:
    """What was done for a customer: (number, step) of each change, in order."""
    return [(0, n) if n % 4 == 0 else (n, 0) for n in numbers if CUSTOMERS[n % 3] == customer]


@pytest.mark.slow
def test_killed_in_a_handler_nothing_is_lost_and_counts_are_right(tmp_path: Path) -> None:
    # Every system builds on this: indexes, counters and notices that follow the tables, whatever
    # happens.
    next_number = 1
    with Forks("tests.faults.handling") as forks:
        for round in range(ROUNDS):
            # The one after the last acknowledged may be stored too: it is written again, and
            # changes nothing then.
            next_number = run_until_killed(forks, tmp_path, next_number, seed=round) + 1
    with sortkey.open(tmp_path / "data") as store:
        finish(store, tmp_path)
        check_counts(store, next_number)
    check_journal(tmp_path / "journal", next_number)


def finish(store: Store, folder: Path) -> None:
    """Do what is left, in this process. The dead one's shard is taken at once: its process
    is gone.
    """
    worker = StreamWorker(
        store, handlers(store, folder / "journal", lambda place: None), name="shop"
    )
    worker.run_until_idle()
    worker.stop()
    assert worker.dead_letters.list() == []


def check_counts(store: Store, end: int) -> None:
    for customer in CUSTOMERS:
        count = store.get(Count.key(customer=customer), consistent=True)
        done = steps_of(customer, range(1, end))
        last = store.find(Order.key(customer=customer, number=0))
        unacknowledged = [
            step
            for _, step in steps_of(customer, range(end, end + 1))
            if last and last.step == step
        ]
        orders = [
            order for order in store.scan(Order) if order.customer == customer and order.number
        ]
        changed = [step for _, step in done if step] + unacknowledged
        assert count.changes == len(orders) + len(changed), (
            f"{customer}: a change was counted twice, or never"
        )
        assert count.steps == sum(changed)


def check_journal(journal: Path, end: int) -> None:
    """Each handler got everything, and for each key in order: it may go back after a crash,
    but never skips.
    """
    handled: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for line in journal.read_text().splitlines():
        handler, customer, number, step = line.split()
        handled[handler, customer, int(number)].append(int(step))
    for handler in ("tell", "batch"):
        for customer in CUSTOMERS:
            done = steps_of(customer, range(1, end))
            wanted = [step for number, step in done if number == 0]
            first_times = list(dict.fromkeys(handled[handler, customer, 0]))
            assert first_times[: len(wanted)] == wanted, (
                f"{handler} got {customer}'s order out of order"
            )
            missing = [
                number
                for number, _ in done
                if number and (handler, customer, number) not in handled
            ]
            assert missing == [], f"{handler} never got {missing}"
