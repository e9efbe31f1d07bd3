"""The command line of containers, and what happens around it. The runtime of this test is a script,
because few machines of tests have one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sortkey_systems.vams.runners.containers import ROOT, ContainerRunner
from sortkey_systems.vams.runners.port import StepTimedOut
from tests.systems.vams.runners.steps import Trial


def runtime(folder: Path, script: str) -> str:
    program = folder / "runtime"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    return str(program)


def test_a_container_has_limits_and_no_network(tmp_path: Path) -> None:
    # It works on files of strangers, and needs nothing but its folder.
    program = runtime(tmp_path, 'for each in "$@"; do echo "$each"; done')
    trial = Trial(tmp_path / "step")
    runner = ContainerRunner("octree:1", ["{input}"], 500_000_000, 20.0, {"A": "b"}, program)
    runner.run(trial.task())
    said = " ".join(trial.logs)
    assert "run --rm" in said
    assert "--network none --memory 500000000" in said
    assert "--cap-drop ALL --security-opt no-new-privileges" in said
    assert f"--volume {trial.step.folder}:{ROOT}" in said
    assert "--env A=b" in said
    assert trial.logs[-2:] == ["octree:1", f"{ROOT}/input"]


def test_a_container_that_takes_too_long_is_killed_by_name(tmp_path: Path) -> None:
    # Ending the program that started it would leave it running.
    killed = tmp_path / "killed"
    script = f'if [ "$1" = kill ]; then echo "$2" > {killed}; else echo "$4"; exec sleep 60; fi'
    trial = Trial(tmp_path / "step")
    runner = ContainerRunner("x", [], 500_000_000, 0.5, runtime=runtime(tmp_path, script))
    with pytest.raises(StepTimedOut):
        runner.run(trial.task())
    assert killed.read_text().strip() == trial.logs[0]
