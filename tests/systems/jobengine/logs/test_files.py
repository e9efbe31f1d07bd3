"""A step whose worker is killed with SIGKILL, again and again: its log has every line once, and
every flushed line.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
from collections import Counter
from pathlib import Path

import pytest

import sortkey
from sortkey import open_objects
from sortkey_systems.jobengine.model import Log, model
from tests.systems.jobengine.log_lines import JOB, file_of, key_of, keys, opened, read

ITEMS, ROUNDS_MAX = 200, 200
FLUSH_EVERY, CHECKPOINT_EVERY, WARNING_EVERY = 3, 20, 10


def attempt(folder: Path, number: int) -> None:
    """One worker: from the last checkpoint on, with a line for each item, and one that only this
    attempt has.
    """
    state_file, state = folder / "state.json", {"done": 0, "position": 0}
    if state_file.exists():
        state = json.loads(state_file.read_text())
    bucket = open_objects(folder / "logs")
    with sortkey.open(folder / "data") as store, (folder / "flushed").open("a") as flushed:
        log = opened(bucket, store=store, resume_from=state["position"])
        log.add("INFO", "an attempt begins", attempt=number)
        log.flush()
        print(number, file=flushed, flush=True)
        for item in range(state["done"], ITEMS):
            log.add(
                "WARNING" if item % WARNING_EVERY == 0 else "INFO", f"item {item}", size=item * item
            )
            if item % FLUSH_EVERY == 0:
                log.flush()
            if item % CHECKPOINT_EVERY == CHECKPOINT_EVERY - 1:
                log.flush()
                part = state_file.with_suffix(".part")
                part.write_text(json.dumps({"done": item + 1, "position": log.position}))
                part.replace(state_file)
        log.close()


def run_until_done(folder: Path, chance: random.Random) -> int:
    """Kill each attempt after a while, a little longer each time. How many were killed."""
    killed = 0
    for number in range(ROUNDS_MAX):
        child = multiprocessing.get_context("fork").Process(target=attempt, args=(folder, number))
        child.start()
        child.join(chance.uniform(0.005, 0.05) * (1 + number / 8))
        if child.is_alive() and child.pid:
            os.kill(child.pid, signal.SIGKILL)
            killed += 1
        child.join()
        if child.exitcode == 0:
            return killed
        assert child.exitcode == -signal.SIGKILL
    raise AssertionError("it never came to its end")


@pytest.mark.slow
@pytest.mark.accepts("JE-51")
@pytest.mark.parametrize("seed", [1, 2])
def test_JE_51_whatever_moment_a_worker_is_killed_at_no_line_is_lost_or_doubled(
    tmp_path: Path, seed: int
) -> None:
    # Killed between a part and its items, between two checkpoints, while the file is written and
    # while the parts go.
    with sortkey.open(tmp_path / "data") as store:
        store.ensure(model)
    killed = run_until_done(tmp_path, random.Random(seed))
    assert killed >= 3
    bucket = open_objects(tmp_path / "logs")
    lines = [line for line in file_of(bucket) if line["message"] != "an attempt begins"]
    assert [line["message"] for line in lines] == [f"item {item}" for item in range(ITEMS)]
    assert keys(bucket) == sorted(
        each for each in keys(bucket) if each == key_of("schema_extraction")
    )

    begun = Counter(
        line["details"]["attempt"]
        for line in file_of(bucket)
        if line["message"] == "an attempt begins"
    )
    flushed = {int(number) for number in (tmp_path / "flushed").read_text().split()}
    assert flushed <= begun.keys()
    assert set(begun.values()) == {1}
    assert len(read(bucket)) == ITEMS + len(begun)

    with sortkey.open(tmp_path / "data") as store:
        entries = [entry.message for entry in store.query(Log.of_job(job_id=JOB))]
    assert entries == [f"item {item}" for item in range(0, ITEMS, WARNING_EVERY)]
