"""data_migration in a real process that is killed with SIGKILL, again and again, at moments that
nobody chose.
"""

import json
import multiprocessing
import os
import random
import signal
from pathlib import Path
from typing import Any

import pytest

from sortkey_systems.jobengine.sources import open_source
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.data_migration.transfer import transfer
from sortkey_systems.jobengine.stages.registry import run_step
from sortkey_systems.jobengine.stages.work import MemoryContext, Work, to_json
from tests.systems.jobengine.stage_runs import run_until, shop

ROUNDS_MAX = 200


class InFile(MemoryContext):
    """Keeps its state in a file, so that it outlives the process."""

    def __init__(self, path: Path) -> None:
        super().__init__(state=json.loads(path.read_text()) if path.exists() else None)
        self.path = path

    def checkpoint(self, state: Any) -> None:
        super().checkpoint(state)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(state))
        part.replace(self.path)


def _attempt(source: str, target: str, results: dict[str, Any], state: Path) -> None:
    transfer(Work(open_source(source), target, results=results, batch_rows=25), InFile(state))


def _documents(target: str) -> dict[str, Any]:
    with Target(target) as opened:
        found: dict[str, Any] = {name: list(opened.documents(name)) for name in opened.resources()}
        return {**found, "findings": list(opened.findings())}


@pytest.mark.slow
def test_a_transfer_that_is_killed_in_many_places_loses_no_row_and_writes_none_twice(
    tmp_path: Path,
) -> None:
    # Exceptions unwind; a kill does not. What is on disk must be enough.
    work = shop(tmp_path, customers=300, batch_rows=25)
    run_until(work, "migration_planning")
    run_step("data_migration", "dataset_selection", work, MemoryContext())
    results = {step: to_json(result) for step, result in work.results.items()}
    transfer(work, MemoryContext())

    chance, killed, state, target = (
        random.Random(5),
        0,
        tmp_path / "state.json",
        str(tmp_path / "killed.sqlite"),
    )
    for number in range(ROUNDS_MAX):
        arguments = (str(tmp_path / "shop.sqlite"), target, dict(results), state)
        child = multiprocessing.get_context("fork").Process(target=_attempt, args=arguments)
        child.start()
        # Longer by and by: on a slow machine, a process may need all of the first ones to start.
        child.join(chance.uniform(0.005, 0.04) * (1 + number / 20))
        if child.is_alive() and child.pid:
            os.kill(child.pid, signal.SIGKILL)
            killed += 1
        child.join()
        if child.exitcode == 0:
            break
    assert child.exitcode == 0
    assert killed >= 5
    assert _documents(target) == _documents(work.target)
