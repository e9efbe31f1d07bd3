"""Python functions in a child process with limits of memory and time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sortkey import Sandbox
from sortkey.errors import JobStopped, SandboxError, TimeLimitExceeded
from sortkey_systems.vams.runners.pipeline_step import PipelineStep, Report
from sortkey_systems.vams.runners.port import StepFailed, StepTimedOut, Task

MEMORY_BYTES = 4_000_000_000
"""Of address space, of which libraries of mathematics reserve much and use little."""


@dataclass(frozen=True, slots=True)
class FunctionRunner:
    """Calls a function, named as "module:function", in a process of its own."""

    reference: str
    memory_bytes: int = MEMORY_BYTES
    seconds_max: float = 3600.0

    def run(self, task: Task) -> None:
        """Call the function on the folder of the step."""
        seconds = min(task.seconds, self.seconds_max)
        sandbox = Sandbox(memory_bytes=self.memory_bytes, seconds=seconds)

        def heard(message: Any) -> None:
            kind, *rest = message
            if kind == "log":
                task.log(*rest)
            else:
                task.progress(*rest)

        with task.open_folder(True) as step:
            try:
                sandbox.call(
                    call_function, self.reference, step, on_message=heard, check=task.check
                )
            except JobStopped:
                raise
            except TimeLimitExceeded as error:
                raise StepTimedOut(str(error)) from None
            except SandboxError as error:
                raise StepFailed(str(error)) from None
            except Exception as error:
                raise StepFailed(f"{type(error).__name__}: {error}") from error
            finally:
                sandbox.close()


def call_function(reference: str, step: PipelineStep, *, send: Callable[[Any], object]) -> None:
    """Runs in the child: import the function and call it."""
    load_function(reference)(step, Report(send))


def load_function(reference: str) -> Callable[[PipelineStep, Report], object]:
    """The function that "module:function" names. Raises ImportError, and AttributeError."""
    module, _, name = reference.partition(":")
    function = getattr(import_module(module), name)
    if not callable(function):
        raise AttributeError(f"{reference} cannot be called")
    return function
