"""Containers, where Docker or Podman is installed: without a network, with limits."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from sortkey_systems.vams.runners.commands import base_environment, replaced, step_paths
from sortkey_systems.vams.runners.pipeline_step import PipelineStep
from sortkey_systems.vams.runners.port import StepFailed, Task
from sortkey_systems.vams.runners.processes import run_process

ROOT = "/step"
"""Where a container sees the folder of its step."""
PROCESSES_MAX = 256
END_SECONDS = 20.0
RUNTIMES = ("podman", "docker")


@dataclass(frozen=True, slots=True)
class ContainerRunner:
    """Runs an image on the folder of the step."""

    image: str
    arguments: Sequence[str]
    memory_bytes: int
    seconds_max: float
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    runtime: str | None = None
    """The program that runs containers; otherwise the first one that is installed."""
    network: str = "none"

    def run(self, task: Task) -> None:
        """Run the container."""
        runtime = self.runtime or installed_runtime()
        if runtime is None:
            raise StepFailed(
                f"the image {self.image} needs Podman or Docker, and neither is installed"
            )
        name = f"vams-{secrets.token_hex(8)}"
        with task.open_folder(True) as step:
            command = self.command(runtime, name, step)
            run_process(
                replace(task, seconds=min(task.seconds, self.seconds_max)),
                command,
                folder=step.folder,
                environment=base_environment(step, ""),
                end=lambda: _kill(runtime, name),
            )

    def command(self, runtime: str, name: str, step: PipelineStep) -> list[str]:
        """The command line that runs the image on the folder of a step."""
        paths = step_paths(step, ROOT)
        variables = {f"VAMS_{key.upper()}": path for key, path in paths.items()}
        settings = {**variables, **self.environment}
        return [
            *(runtime, "run", "--rm", "--name", name, "--network", self.network),
            *("--memory", str(self.memory_bytes), "--pids-limit", str(PROCESSES_MAX)),
            *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
            *("--user", f"{os.getuid()}:{os.getgid()}"),
            *("--volume", f"{step.folder}:{ROOT}", "--workdir", ROOT),
            *(part for item in settings.items() for part in ("--env", "=".join(item))),
            self.image,
            *(replaced(argument, paths) for argument in self.arguments),
        ]


def installed_runtime() -> str | None:
    """The path of the program that runs containers, if one is installed."""
    return next((path for name in RUNTIMES if (path := shutil.which(name))), None)


def _kill(runtime: str, name: str) -> None:
    """End a container: ending the program that started it would leave it running."""
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            [runtime, "kill", name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=END_SECONDS,
            check=False,
        )
