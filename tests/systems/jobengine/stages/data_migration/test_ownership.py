"""A target belongs to one journey: another one is refused before anything in it changes, also while
both run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from sortkey.cli import main
from sortkey_systems.jobengine.sample_shop import make_shop
from sortkey_systems.jobengine.stages.data_migration.ownership import (
    TargetRefused,
    check_owner,
    locked,
    open_target,
)
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.data_migration.transfer import transfer
from sortkey_systems.jobengine.stages.registry import run_journey, run_stage, run_step
from sortkey_systems.jobengine.stages.work import MemoryContext, Work
from tests.systems.homes import Home
from tests.systems.jobengine.engines import Engine, engine
from tests.systems.jobengine.stage_runs import Killed, Stopping, run_until, shop

__all__ = ["engine"]
FIRST, SECOND = "JRN-AAAAAAAAAAAA", "JRN-BBBBBBBBBBBB"


def documents(address: str) -> dict[str, list[Any]]:
    with Target(address) as target:
        return {name: list(target.documents(name)) for name in target.resources()}


@pytest.mark.parametrize("target", ["out.sqlite", "out"])
def test_a_target_with_the_documents_of_another_journey_is_refused_untouched(
    tmp_path: Path, target: str
) -> None:
    # The second journey used to delete the first one's documents, with a warning in a log.
    first = shop(tmp_path, target=target, journey_id=FIRST)
    run_journey(first, MemoryContext())
    before = documents(first.target)
    second = shop(tmp_path, customers=41, target=target, journey_id=SECOND)
    run_until(second, "migration_planning")
    with pytest.raises(
        TargetRefused, match=f"holds the documents of journey {FIRST}: choose another target"
    ):
        run_stage("data_migration", second, MemoryContext())
    assert documents(first.target) == before


def test_the_same_journey_may_write_to_its_target_again(tmp_path: Path) -> None:
    # A retry, or a plan that a new rule has changed, replaces the journey's own documents.
    work = shop(tmp_path, journey_id=FIRST)
    run_journey(work, MemoryContext())
    before = documents(work.target)
    work.results.clear()
    run_journey(work, MemoryContext())
    assert documents(work.target) == before


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("CREATE TABLE customers (id INTEGER)", "is a database that no journey made"),
        (
            "CREATE TABLE _about (name, value); INSERT INTO _about VALUES ('plan', 'abc')",
            "an earlier version",
        ),
    ],
)
def test_a_database_that_is_no_target_is_refused(tmp_path: Path, content: str, says: str) -> None:
    # Somebody's own database must not get twenty tables more.
    path = tmp_path / "mine.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(content)
    db.close()
    with pytest.raises(TargetRefused, match=says):
        check_owner(path, FIRST)


def test_files_that_documents_would_replace_are_not_replaced(tmp_path: Path) -> None:
    # A folder is named quickly.
    (tmp_path / "Customer.jsonl").write_text("{}")
    with pytest.raises(TargetRefused, match=r"has a Customer.jsonl that no journey wrote"):
        check_owner(tmp_path, FIRST)
    (tmp_path / "text.sqlite").write_text(
        "no database, but long enough to be read as the head of one" * 20
    )
    with pytest.raises(TargetRefused, match="cannot be a target"):
        check_owner(tmp_path / "text.sqlite", FIRST)


def test_two_journeys_at_once_do_not_share_a_target(tmp_path: Path) -> None:
    # In threads of one worker, which all of them may be: exactly one of them writes, and the other
    # says who does.
    works = [
        shop(tmp_path, customers=40 + n, journey_id=name) for n, name in enumerate((FIRST, SECOND))
    ]
    for work in works:
        run_until(work, "migration_planning")
    start, refused = threading.Barrier(2), list[str]()

    def run(work: Work) -> None:
        start.wait()
        try:
            run_stage("data_migration", work, MemoryContext())
        except TargetRefused as error:
            refused.append(str(error))

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (message,) = refused
    winner = works[0] if FIRST in message else works[1]
    assert (
        len(documents(winner.target)["Customer"])
        == winner.results["transfer"].counts["customers"].written
    )
    assert not list(tmp_path.glob(".*.lock"))


def _hold(address: str, ready: Connection) -> None:
    with locked(address, FIRST):
        ready.send(None)
        signal.pause()


def test_a_target_is_locked_for_other_processes_until_its_process_is_killed(tmp_path: Path) -> None:
    # A lock that outlives a kill -9 would block the journey for good.
    target, (here, there) = str(tmp_path / "out.sqlite"), multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_hold, args=(target, there))
    child.start()
    try:
        assert here.poll(60)
        with (
            pytest.raises(
                TargetRefused, match=f"in use by journey {FIRST} \\(process {child.pid}\\)"
            ),
            locked(target, SECOND),
        ):
            pytest.fail("two have the lock")
    finally:
        os.kill(child.pid or 0, signal.SIGKILL)
        child.join()
    with locked(target, SECOND):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_worker_waits_for_an_earlier_one_of_its_own_journey(tmp_path: Path) -> None:
    # One that lost its lease notices at its next checkpoint; the attempt after it must not fail
    # meanwhile.
    target = str(tmp_path / "out.sqlite")
    holds, waits = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(target, FIRST):
            holds.set()
            assert waits.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert holds.wait(60)
    waits.set()
    with locked(target, FIRST):
        thread.join()


def test_a_killed_transfer_goes_on_in_its_own_target(tmp_path: Path) -> None:
    # Ownership is recorded with the first batch, so that nobody takes the target between the kill
    # and the next attempt.
    work = shop(tmp_path, journey_id=FIRST, batch_rows=40)
    run_until(work, "migration_planning")
    run_stage(
        "data_migration",
        shop(tmp_path, target="whole.sqlite", results=dict(work.results)),
        MemoryContext(),
    )
    run_step("data_migration", "dataset_selection", work, MemoryContext())
    killed = Stopping(5, keeps=True)
    with pytest.raises(Killed):
        transfer(work, killed)
    with pytest.raises(TargetRefused, match=FIRST):
        check_owner(work.target, SECOND)
    transfer(work, MemoryContext(state=killed.state))
    assert documents(work.target) == documents(str(tmp_path / "whole.sqlite"))


def test_an_open_target_is_locked(tmp_path: Path) -> None:
    # Every step that reads or writes the target holds it.
    work = shop(tmp_path, journey_id=FIRST)
    with (
        open_target(work),
        pytest.raises(TargetRefused, match="in use"),
        locked(work.target, SECOND),
    ):
        pytest.fail("two have the lock")


def test_a_job_fails_at_its_first_stage_where_its_target_is_of_another_journey(
    home: Home, tmp_path: Path
) -> None:
    # Not after hours of analysis; and a retry would change nothing.
    engine = Engine(home, tmp_path)
    work = shop(tmp_path, journey_id=FIRST)
    run_journey(work, MemoryContext())
    before = documents(work.target)
    job = engine.run(engine.journey(retry_attempts=3))
    assert job.status == "failed"
    assert f"holds the documents of journey {FIRST}" in (job.error_message or "")
    assert len(engine.executions.all_jobs(job.journey_id)) == 1
    assert documents(work.target) == before


@pytest.mark.slow
def test_runs_with_the_default_target_keep_each_others_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The second `run` used to delete what the first had written.
    monkeypatch.chdir(tmp_path)
    for name, customers in (("one", 40), ("two", 50)):
        source = make_shop(tmp_path / f"{name}.sqlite", customers=customers)
        main(["jobengine", "run", str(source), "--data", "data"])
    targets = sorted(tmp_path.glob("JRN-*.sqlite"))
    assert sorted(len(documents(str(each))["Customer"]) for each in targets) == [49, 59]
    capsys.readouterr()
    assert (
        main(["jobengine", "run", "one.sqlite", "--target", targets[0].name, "--data", "data"]) == 2
    )
    assert "choose another target (--target), or delete that file" in capsys.readouterr().err
    assert sorted(len(documents(str(each))["Customer"]) for each in targets) == [49, 59]


@pytest.mark.slow
def test_two_runs_at_once_into_one_target_do_not_mix(tmp_path: Path) -> None:
    # Whole programs, on two folders that know nothing of each other: the target itself must tell.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    runs: list[subprocess.Popen[str]] = []
    for name, customers in (("one", 40), ("two", 60)):
        source = make_shop(tmp_path / f"{name}.sqlite", customers=customers)
        line = [
            "jobengine",
            "run",
            str(source),
            "--target",
            str(tmp_path / "out"),
            "--data",
            str(tmp_path / name),
        ]
        command = [sys.executable, "-m", "sortkey", *line]
        runs.append(
            subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )
    printed = [run.communicate(timeout=240) for run in runs]
    (refused,) = [
        number
        for number, (_, error) in enumerate(printed)
        if "of journey" in error or "by journey" in error
    ]
    assert runs[refused].returncode != 0
    assert len(documents(str(tmp_path / "out"))["Customer"]) == (69 if refused == 0 else 49)
