"""Python functions in processes with limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from sortkey.errors import JobCancelled
from sortkey_systems.vams.runners.functions import FunctionRunner
from sortkey_systems.vams.runners.port import StepFailed, StepTimedOut
from tests.systems.vams.runners.steps import Trial

pytestmark = pytest.mark.slow  # each starts a process
MODULE = "tests.systems.vams.runners.functions"


def test_a_function_reads_its_input_and_reports(tmp_path: Path) -> None:
    # What a function says while it works is what a user watches.
    trial = Trial(tmp_path / "step")
    trial.add("notes/a.txt", b"hello")
    trial.add("notes/b.bin", b"no text")
    FunctionRunner(f"{MODULE}:shout").run(trial.task())
    assert trial.made("files") == {"notes/a-loud.txt": b"HELLO"}
    assert trial.logs == ["shouted notes/a.txt"]
    assert trial.progress == [(50, "half")]


def test_the_error_of_a_function_fails_the_step(tmp_path: Path) -> None:
    # The user reads why.
    with pytest.raises(StepFailed, match="ValueError: this model cannot be read"):
        FunctionRunner(f"{MODULE}:fail").run(Trial(tmp_path / "step").task())


def test_limits_of_time_and_memory_hold(tmp_path: Path) -> None:
    # A file of one kilobyte can describe a terabyte.
    with pytest.raises(StepTimedOut, match=r"longer than 0\.3 s"):
        FunctionRunner(f"{MODULE}:sleep").run(Trial(tmp_path / "slow").task(seconds=0.3))
    with pytest.raises(StepFailed, match="needs more than 1,000 MB of memory"):
        FunctionRunner(f"{MODULE}:take_memory", 1_000_000_000).run(Trial(tmp_path / "big").task())


def test_an_abort_ends_a_function(tmp_path: Path) -> None:
    # It would sleep for a minute.
    trial = Trial(tmp_path / "step")

    def check() -> None:
        if trial.logs:
            raise JobCancelled("aborted")

    with pytest.raises(JobCancelled):
        FunctionRunner(f"{MODULE}:sleep").run(trial.task(check=check))
