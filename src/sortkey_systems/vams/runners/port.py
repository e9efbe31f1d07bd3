"""A runner does the work of one step. It is given a task and returns, or raises StepFailed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from sortkey_systems.vams.runners.pipeline_step import PipelineStep


class StepFailed(Exception):
    """The step did not succeed. The message says why; it is shown to users."""


class StepTimedOut(StepFailed):
    """The step took longer than it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One attempt of a step."""

    body: Mapping[str, Any]
    seconds: float
    """How long it may take."""
    open_folder: Callable[[bool], AbstractContextManager[PipelineStep]]
    """A private folder, filled with the input if that is wanted. What is in its output folders when
    the block ends without an error is stored.
    """
    input_links: Callable[[], Sequence[Mapping[str, str]]]
    """The files of the input, for what runs elsewhere: path, and a URL that can be read for a
    while.
    """
    check: Callable[[], object]
    """To be called several times a second: what it raises ends the step."""
    log: Callable[[str], object]
    progress: Callable[[int, str | None], object]


class Runner(Protocol):
    """Runs steps. Threads share it."""

    def run(self, task: Task) -> None:
        """Do the work. Raises StepFailed and StepTimedOut."""
        ...
