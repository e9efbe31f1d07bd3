"""Commands of the operator, without a shell, with limits, and without the server's environment."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sortkey_systems.vams.runners import command_child
from sortkey_systems.vams.runners.pipeline_step import INPUT, OUTPUTS, PipelineStep
from sortkey_systems.vams.runners.port import Task
from sortkey_systems.vams.runners.processes import run_process

FILE_BYTES_MAX = 8 << 30
PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class CommandRunner:
    """Runs a command in the folder of the step. `{input}`, `{files}`, `{previews}`, `{metadata}`,
    `{auxiliary}` and `{body}` in its arguments become paths.
    """

    command: Sequence[str]
    memory_bytes: int
    seconds_max: float
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    endpoint: str = ""
    """Where the command reaches the callbacks of Step Functions."""

    def run(self, task: Task) -> None:
        """Run the command."""
        seconds = min(task.seconds, self.seconds_max)
        limited = replace(task, seconds=seconds)
        limits = (self.memory_bytes, int(seconds) + 5, FILE_BYTES_MAX)
        with task.open_folder(True) as step:
            paths = step_paths(step)
            command = [replaced(argument, paths) for argument in self.command]
            launcher = [sys.executable, "-I", "-S", command_child.__file__, *map(str, limits)]
            variables = {**base_environment(step, self.endpoint), **self.environment}
            run_process(limited, [*launcher, *command], folder=step.folder, environment=variables)


def step_paths(step: PipelineStep, root: str | None = None) -> dict[str, str]:
    """The paths of a step by name, below `root` if the command sees its folder there. The message
    is written to a file.
    """
    (step.folder / "body.json").write_text(json.dumps({"body": dict(step.body)}), "utf-8")
    base = Path(root) if root else step.folder
    names = (INPUT, *OUTPUTS)
    return {**{name: str(base / name) for name in names}, "body": str(base / "body.json")}


def replaced(argument: str, paths: Mapping[str, str]) -> str:
    """An argument with the paths in it. Braces around anything else stay."""
    for name, path in paths.items():
        argument = argument.replace("{" + name + "}", path)
    return argument


def base_environment(step: PipelineStep, endpoint: str) -> dict[str, str]:
    """The variables of a command: its folders, and nothing of the server's."""
    temporary = step.folder / "temporary"
    temporary.mkdir(exist_ok=True)
    folders = {f"VAMS_{name.upper()}": path for name, path in step_paths(step).items()}
    return {
        "PATH": os.environ.get("PATH", PATH),
        "LANG": "C.UTF-8",
        "HOME": str(temporary),
        "TMPDIR": str(temporary),
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_SFN": endpoint,
        # The endpoint checks the task token, and takes any signature.
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        **folders,
    }
