"""`kill -9` of a server that changes assets and indexes the changes: nothing is out of step
afterwards.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from sortkey import reconcile
from tests.faults.forks import Forks
from tests.faults.vams_changes import opened

SECONDS_MAX = 20.0


def kill_once(forks: Forks, folder: Path, seed: int, seconds: float) -> None:
    fork = forks.start(str(folder), seed)
    lines = fork.lines()
    assert next(lines) == "begun"
    time.sleep(seconds)
    fork.kill()
    assert list(lines) == []
    assert fork.was_killed()


def check(folder: Path) -> int:
    """Start once more, let it catch up, and compare. Nothing is repaired. Gives the documents."""
    store, searches = opened(folder)
    with store:
        searches.start()
        try:
            assert searches.wait(SECONDS_MAX)
            end = time.monotonic() + SECONDS_MAX
            while True:
                drifts = {
                    name: reconcile(each.search, each.source, repair=False)
                    for name, each in searches.items()
                }
                if not any(drift.count for drift in drifts.values()):
                    return sum(drift.checked for drift in drifts.values())
                assert time.monotonic() < end, {name: str(each) for name, each in drifts.items()}
                time.sleep(0.1)
        finally:
            searches.stop()


@pytest.mark.slow
@pytest.mark.accepts("VA-3", "VA-38")
def test_reconcile_finds_nothing_after_twenty_kills(tmp_path: Path) -> None:
    # A search that forgets a change is worse than none: people take its silence for an answer.
    chance = random.Random(20)
    with Forks("tests.faults.vams_changes") as forks:
        for seed in range(20):
            kill_once(forks, tmp_path, seed, 0.02 + chance.random() * 0.35)
            if seed % 10 == 9:
                assert check(tmp_path) > 50
