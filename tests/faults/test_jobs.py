"""`kill -9` of workers in the middle of jobs: every job ends once, no step's result and no line of
a log is lost.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import sortkey
from sortkey import Job, JobQueue, JobWorker, Store
from tests.faults.job_worker import LOOPS, QUEUE, STEPS, journey, opened
from tests.faults.served import Served

Note = dict[str, Any]


class Workers:
    """Processes that work on an address, forked from one program."""

    def __init__(self, address: str, module: str = "tests.faults.job_worker") -> None:
        self._program = subprocess.Popen(
            [sys.executable, "-m", module, address],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.pids: list[int] = []

    def start(self) -> int:
        assert self._program.stdin
        assert self._program.stdout
        self._program.stdin.write(b"\n")
        self._program.stdin.flush()
        self.pids.append(int(self._program.stdout.readline()))
        return self.pids[-1]

    def kill(self, pid: int) -> None:
        self.pids.remove(pid)
        os.kill(pid, signal.SIGKILL)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *exc: object) -> None:
        for pid in list(self.pids):
            self.kill(pid)
        assert self._program.stdin
        assert self._program.stdout
        self._program.stdin.close()
        self._program.stdout.close()
        self._program.wait()


def notes(side: Path) -> list[Note]:
    return [json.loads(line) for line in side.read_text().splitlines()] if side.exists() else []


def wait_for_more(side: Path, count: int, seconds: float = 30.0) -> None:
    """Until workers have written down so many things more. Quick, so that the kill comes where it
    was meant to.
    """
    end, side_bytes = time.monotonic() + seconds, side.stat().st_size if side.exists() else 0
    while True:
        if side.exists():
            with side.open("rb") as file:
                file.seek(side_bytes)
                if file.read().count(b"\n") >= count:
                    return
        assert time.monotonic() < end, "the workers do nothing any more"
        time.sleep(0.0005)


def wait_until_ended(queue: JobQueue, ids: list[str], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    for job_id in ids:
        queue.wait(job_id, timeout=max(end - time.monotonic(), 0.1))


def check(store: Store, ids: list[str], recorded: list[Note]) -> None:
    """Compare the table's jobs with what the workers recorded while they ran."""
    queue = JobQueue(store, QUEUE)
    for job_id in ids:
        check_job(queue, queue.get(job_id), [note for note in recorded if note["job"] == job_id])


def check_job(queue: JobQueue, job: Job, recorded: list[Note]) -> None:
    assert (job.status, job.progress) == ("completed", 100), job.error
    attempts = queue.attempts(job.job_id)
    assert [attempt.number for attempt in attempts] == list(range(1, job.attempt + 1)), (
        "an attempt is missing"
    )
    assert [attempt.outcome for attempt in attempts].count("completed") == 1
    assert attempts[-1].outcome == "completed"
    assert {attempt.outcome for attempt in attempts[:-1]} <= {"lost"}, [
        attempt.error for attempt in attempts
    ]
    check_steps(queue, job, recorded)
    check_log(queue, job, recorded)
    check_state(queue, job, recorded)


def check_steps(queue: JobQueue, job: Job, recorded: list[Note]) -> None:
    """A step that was acknowledged was never run again: everybody saw the one result that is
    stored.
    """
    stored = {
        step.name: step.result for step in queue.steps(job.job_id) if step.status == "completed"
    }
    assert stored == job.result
    assert len(stored) == STEPS
    for note in recorded:
        if note["kind"] == "step":
            assert note["result"] == stored[note["step"]], "a step's result was lost"


def check_log(queue: JobQueue, job: Job, recorded: list[Note]) -> None:
    lines = queue.logs(job.job_id)
    for attempt in {line.attempt for line in lines}:
        numbers = [line.number for line in lines if line.attempt == attempt]
        assert numbers == list(range(1, len(numbers) + 1)), "a line is missing in between"
    found = Counter((line.attempt, line.step, line.message) for line in lines)
    assert set(found.values()) <= {1}, "a line is there twice"
    acknowledged = {
        (n["attempt"], n["step"], n["message"]) for n in recorded if n["kind"] == "line"
    }
    assert acknowledged <= set(found), "a line was lost"
    # At most one line of an attempt was written and not acknowledged: the one in whose middle it
    # was killed.
    beyond = Counter(attempt for attempt, *_ in set(found) - acknowledged)
    assert set(beyond.values()) <= {1}


def check_state(queue: JobQueue, job: Job, recorded: list[Note]) -> None:
    """Each attempt goes on from the last checkpoint, or one behind what was acknowledged: the one
    in flight.
    """
    reached = 0
    for note in sorted(
        (n for n in recorded if "state" in n), key=lambda n: (n["attempt"], n["state"])
    ):
        if note["kind"] == "resumed":
            assert reached <= note["state"] <= reached + 1, "a checkpoint was lost"
        reached = max(reached, note["state"])
    assert queue.state(job.job_id) == LOOPS == reached


def kill_workers(folder: Path, side: Path, rounds: int, seed: int) -> int:
    """Workers share a server. Two run at any time; one of them is killed again and again. How often
    work was lost.
    """
    chance = random.Random(seed)
    with (
        Served(folder, "--own-tables") as server,
        sortkey.open(f"http://127.0.0.1:{server.port}") as store,
    ):
        queue = JobQueue(store, QUEUE, worker_deaths_max=1000)
        queue.ensure()
        ids = [queue.enqueue(journey, {"side": str(side)}).job_id for _ in range(6)]
        with Workers(f"http://127.0.0.1:{server.port}") as workers:
            workers.start()
            workers.start()
            for _ in range(rounds):
                wait_for_more(side, chance.randrange(1, 25))
                workers.kill(chance.choice(workers.pids))
                workers.start()
                if sum(queue.get(job_id).is_ended for job_id in ids) > len(ids) - 4:
                    ids.append(queue.enqueue(journey, {"side": str(side)}).job_id)
            wait_until_ended(queue, ids)
        recorded = notes(side)
        check(store, ids, recorded)
        return sum(queue.get(job_id).attempt - 1 for job_id in ids)


def kill_the_only_process(folder: Path, side: Path, rounds: int, seed: int) -> int:
    """Engine and worker are one process, which is killed and started again on the same folder."""
    chance = random.Random(seed)
    with sortkey.open(folder) as store:
        queue = JobQueue(store, QUEUE, worker_deaths_max=1000)
        queue.ensure()
        ids = [queue.enqueue(journey, {"side": str(side)}).job_id for _ in range(3 + rounds)]
    with Workers(str(folder)) as workers:
        for _ in range(rounds):
            pid = workers.start()
            wait_for_more(side, chance.randrange(1, 40))
            workers.kill(pid)
    with opened(str(folder)) as store:
        queue = JobQueue(store, QUEUE)
        lost = sum(queue.get(job_id).attempt - 1 for job_id in ids)
        with JobWorker(store, [journey], queue=QUEUE, poll_seconds=0.02):
            wait_until_ended(queue, ids)
        check(store, ids, notes(side))
    return lost


@pytest.mark.slow
def test_fifty_kills_of_workers_lose_no_job_no_step_and_no_line(tmp_path: Path) -> None:
    # The promise of jobs: whoever is killed, and whenever, another takes up the job where it was
    # left.
    assert kill_workers(tmp_path / "data", tmp_path / "side", rounds=50, seed=1) > 20


@pytest.mark.slow
def test_fifty_kills_of_the_only_process_lose_no_job_no_step_and_no_line(tmp_path: Path) -> None:
    # A small business runs everything in one process.
    assert kill_the_only_process(tmp_path / "data", tmp_path / "side", rounds=50, seed=2) > 20


def test_three_kills_lose_nothing(tmp_path: Path) -> None:
    kill_workers(tmp_path / "data", tmp_path / "side", rounds=3, seed=3)
