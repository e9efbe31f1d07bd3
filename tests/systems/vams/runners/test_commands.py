"""Commands of the operator: real processes with limits."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from sortkey.errors import JobCancelled
from sortkey_systems.vams.runners.commands import CommandRunner
from sortkey_systems.vams.runners.port import StepFailed, StepTimedOut
from tests.systems.vams.runners.steps import Trial

MEGABYTE = 1_000_000


def command(*arguments: str, memory_mb: int = 2000, seconds: float = 20.0) -> CommandRunner:
    return CommandRunner(arguments, memory_mb * MEGABYTE, seconds)


def test_a_command_gets_its_paths_and_its_lines_become_the_log(tmp_path: Path) -> None:
    # Paths with spaces and quotes are arguments, never words of a shell.
    trial = Trial(tmp_path / "a b'c")
    trial.add("in $(x).txt", b"hello")
    script = 'cp "$1/in \\$(x).txt" "$2/out file.txt"; echo "::progress 40 half"; echo done'
    command("/bin/sh", "-c", script, "sh", "{input}", "{files}").run(trial.task())
    assert trial.made("files") == {"out file.txt": b"hello"}
    assert trial.logs == ["done"]
    assert trial.progress == [(40, "half")]


def test_a_command_does_not_see_the_variables_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The server's environment has keys of AWS and of the data folder.
    monkeypatch.setenv("SORTKEY_SECRET_OF_A_TEST", "hunter2")
    trial = Trial(tmp_path / "step")
    command("/usr/bin/env").run(trial.task())
    printed = "\n".join(trial.logs)
    assert "hunter2" not in printed
    assert f"VAMS_INPUT={trial.step.place('input')}" in printed
    assert f"VAMS_BODY={trial.step.folder / 'body.json'}" in printed


def test_a_failing_command_fails_with_its_last_line(tmp_path: Path) -> None:
    # The user sees this text, and needs to know why.
    trial = Trial(tmp_path / "step")
    with pytest.raises(StepFailed, match="exit code 3: the mesh has holes"):
        command("/bin/sh", "-c", "echo the mesh has holes >&2; exit 3").run(trial.task())


def test_a_command_that_does_not_exist_says_so(tmp_path: Path) -> None:
    # A typing error in runners.toml.
    with pytest.raises(StepFailed, match="no-such-program cannot be started"):
        command("no-such-program").run(Trial(tmp_path / "step").task())


def test_a_command_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    # A child that stays would hold the processor for ever.
    trial = Trial(tmp_path / "step")
    marker = tmp_path / "child"
    script = f"(echo $$; sh -c 'echo $$ > {marker}; exec sleep 60') & wait"
    with pytest.raises(StepTimedOut, match=r"longer than 0\.5 s"):
        command("/bin/sh", "-c", script, seconds=0.5).run(trial.task())
    assert _ends(int(marker.read_text()))


def test_a_command_cannot_take_more_memory_than_it_may(tmp_path: Path) -> None:
    # A file of a user can make a converter take everything.
    code = "x = bytearray(900_000_000)"
    with pytest.raises(StepFailed, match="MemoryError"):
        command(sys.executable, "-c", code, memory_mb=500).run(Trial(tmp_path / "step").task())


def test_an_abort_ends_a_command(tmp_path: Path) -> None:
    # Who aborts a run waits for the processor to be free.
    trial, marker = Trial(tmp_path / "step"), tmp_path / "pid"
    began = time.monotonic()

    def check() -> None:
        if marker.exists() and marker.read_text():
            raise JobCancelled("aborted")

    script = f"echo $$ > {marker}; exec sleep 60"
    with pytest.raises(JobCancelled):
        command("/bin/sh", "-c", script).run(trial.task(check=check))
    assert time.monotonic() - began < 10
    assert _ends(int(marker.read_text()))


def test_a_flood_of_output_is_cut(tmp_path: Path) -> None:
    # A log is stored line by line.
    trial = Trial(tmp_path / "step")
    command("/bin/sh", "-c", "yes x | head -n 50000; echo last").run(trial.task())
    assert len(trial.logs) == 2001
    assert trial.logs[-1] == "more than 2000 lines: the rest is left out"


def _ends(pid: int) -> bool:
    """Whether a process is gone, or soon is."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False
