"""The pytest plugin: what its fixtures give, and that a test cannot pass by a fault that never
happened.
"""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import pytest

from sortkey import Created, Entity, Instant, Store, Table, key
from sortkey.engine import Engine
from sortkey.testing import FrozenClock

table = Table("Notes", key=("PK",))


class Note(Entity, table=table):
    id: str
    created_at: Annotated[Instant | None, Created] = None

    @key("NOTE#{id}")
    def key(*, id: str): ...


@pytest.mark.parametrize("run", [1, 2])
def test_the_store_of_a_test_is_empty(sortkey_store: Store, run: int) -> None:
    # What one test leaves must not be found by the next.
    assert sortkey_store.ensure(table) == []
    assert sortkey_store.find(Note.key(id="x")) is None
    sortkey_store.create(Note(id="x"))


def test_the_time_of_the_store_stands_still_until_it_is_moved(
    sortkey_store: Store, sortkey_clock: FrozenClock
) -> None:
    # Instants can be compared with what is written in the test.
    sortkey_store.ensure(table)
    first = sortkey_store.create(Note(id="a"))
    sortkey_clock.advance(60)
    second = sortkey_store.create(Note(id="b"))
    assert first.created_at == datetime.fromtimestamp(1_700_000_000, UTC)
    assert second.created_at == datetime.fromtimestamp(1_700_000_060, UTC)


def test_the_engine_of_a_test_is_empty(sortkey_engine: Engine) -> None:
    # For those who speak DynamoDB's own language.
    assert sortkey_engine.call("ListTables", {}) == {"TableNames": []}


@pytest.mark.slow
def test_a_fault_that_no_call_has_met_fails_the_test(tmp_path: Path) -> None:
    # The code under test did not do what the fault was for: the test has shown nothing.
    (tmp_path / "test_it.py").write_text(
        "def test_it(sortkey_store, sortkey_faults):\n    sortkey_faults.throttle(2, 'Query')\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "the test ended before these faults were met: throttle of Query, 2 more" in run.stdout
