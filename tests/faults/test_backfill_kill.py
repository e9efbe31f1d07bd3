"""`kill -9` of a backfill, and of the server under it: it goes on where it was, and every item is
as it should be.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import sortkey
from sortkey import Store, attr
from sortkey.errors import StoreError
from tests.faults.backfiller import STATUSES, OldOrder, Order, after, before
from tests.faults.served import Served

pytestmark = pytest.mark.slow

ORDERS = 3000


def run(
    address: str, kill_after: int | None, pause: float = 0.0
) -> tuple[int, list[dict[str, Any]]]:
    """Backfill in a process of its own; kill it after so many pages and a moment. Gives its exit
    code and its lines.
    """
    command = [sys.executable, "-m", "tests.faults.backfiller", address]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines: list[dict[str, Any]] = []
        for line in process.stdout:
            lines.append(json.loads(line))
            if len(lines) == kill_after:
                time.sleep(pause)
                process.kill()
        said = process.stderr.read()
    assert process.returncode in (0, -9, 1), said
    return process.returncode, lines


def prepare(address: str) -> None:
    with sortkey.open(address) as store:
        store.ensure(before)
        store.batch_write(
            [
                OldOrder(customer=f"c{n % 11}", number=n, buyer=f"Ada L{n}", status=STATUSES[n % 3])
                for n in range(ORDERS)
            ]
        )
        store.apply(store.plan(after))


@contextmanager
def changing(address: str, seed: int) -> Iterator[dict[int, int]]:
    """Change orders with the new program all the time. Returns the acknowledged changes of each."""
    touched: dict[int, int] = {}
    stop, chance = threading.Event(), random.Random(seed)

    def change(store: Store) -> None:
        while not stop.wait(0.002):
            n = chance.randrange(ORDERS)
            key = Order.key(customer=f"c{n % 11}", number=n)
            try:
                store.update(
                    key, attr(Order.touched).add(1), set={"status": chance.choice(STATUSES)}
                )
                touched[n] = touched.get(n, 0) + 1
            except StoreError:
                continue

    with sortkey.open(address) as store:
        thread = threading.Thread(target=change, args=(store,))
        thread.start()
        try:
            yield touched
        finally:
            stop.set()
            thread.join()


def check(address: str, touched: dict[int, int]) -> None:
    with sortkey.open(address) as store:
        everything = store.scan(Order)
        assert len(everything) == ORDERS
        assert {each.number: each.touched for each in everything if each.touched} == touched
        assert all((each.first, each.last) == ("Ada", f"L{each.number}") for each in everything)
        for status in STATUSES:
            found = [
                (each.customer, each.number) for each in store.query(Order.in_status(status=status))
            ]
            assert found == sorted(
                (each.customer, each.number) for each in everything if each.status == status
            )
        assert store.plan(after).is_empty
        assert store.backfill(Order, dry_run=True).written == 0


def test_a_backfill_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    # Hours of work on a large table must not begin again; and what the others change meanwhile is
    # theirs.
    chance = random.Random(7)
    with Served(tmp_path / "data", "--own-tables") as server:
        address = f"http://127.0.0.1:{server.port}"
        prepare(address)
        reached = 0
        with changing(address, 7) as touched:
            for _ in range(4):
                code, lines = run(address, chance.randrange(1, 4), chance.random() * 0.05)
                assert code == -9
                assert lines[0]["read"] >= reached, "it began again"
                reached = lines[-1]["read"]
            code, lines = run(address, None)
        assert code == 0
        done = lines[-1]
        assert done["resumed"]
        assert (done["read"], done["problems"]) == (
            ORDERS,
            [],
        )  # every order was counted once, over all runs
        check(address, touched)


def test_a_backfill_whose_server_is_killed_goes_on_with_the_next(tmp_path: Path) -> None:
    # What was answered is stored, so the place that was noted is never ahead of the items.
    with Served(tmp_path / "data", "--own-tables") as server:
        prepare(f"http://127.0.0.1:{server.port}")
        command = [
            sys.executable,
            "-m",
            "tests.faults.backfiller",
            f"http://127.0.0.1:{server.port}",
        ]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stdout is not None
            for _ in range(4):
                process.stdout.readline()
            server.kill()
            process.kill()
    with Served(tmp_path / "data", "--own-tables") as server:
        address = f"http://127.0.0.1:{server.port}"
        code, lines = run(address, None)
        assert code == 0
        assert lines[-1]["resumed"]
        check(address, {})
