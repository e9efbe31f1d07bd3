"""What a step reports to while a worker runs it: the step's log, the job's progress, checkpoints
and safe points.

A checkpoint keeps how far the log is beside the step's own state, so that a step which is taken up
again goes on in its log where it goes on in its work: no line is lost, none is there twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sortkey import JobContext
from sortkey_systems.jobengine.logs.step_log import StepLog
from sortkey_systems.jobengine.stages.work import LogLevel

REPORT_SECONDS = 0.25
"""So often at most the progress of a step is written. Its end is always."""


class TookTooLong(Exception):
    """An execution ran for longer than its configuration allows."""


@dataclass(slots=True)
class RunningStep:
    """The context of one step. `reported` is called with its percent, now and then; `check_time`
    raises TookTooLong.
    """

    ctx: JobContext
    step_id: str
    log_book: StepLog
    reported: Callable[[int], None]
    check_time: Callable[[], None]
    is_detailed: bool = True
    clock: Callable[[], float] = time.monotonic
    last_line: str = ""
    _reported_at: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._reported_at = self.clock()  # a step that is over before the first report needs none

    def log(self, level: LogLevel, message: str, **details: Any) -> None:
        if level == "DEBUG" and not self.is_detailed:
            return
        self.log_book.add(level, message, **details)
        self.last_line = message

    def progress(self, percent: int) -> None:
        """A safe point. Written from time to time, with the log as far as it is."""
        self.check_cancelled()
        if self.clock() >= self._reported_at + REPORT_SECONDS:
            self._reported_at = self.clock()
            self.log_book.flush()
            self.reported(percent)

    @property
    def state(self) -> Any:
        """What this step kept; what another step of the same job kept is not its own."""
        return kept(self.ctx, self.step_id).get("state")

    def checkpoint(self, state: Any) -> None:
        """A safe point. The log is durable first: what a checkpoint says was done has been told."""
        self.check_time()
        self.log_book.flush()
        self.ctx.checkpoint(
            {"step": self.step_id, "position": self.log_book.position, "state": state}
        )

    def check_cancelled(self) -> None:
        self.check_time()
        self.ctx.check_cancelled()


def kept(ctx: JobContext, step_id: str) -> dict[str, Any]:
    """What the last checkpoint of a step kept: its state and the position of its log. Empty where
    there is none.
    """
    state: dict[str, Any] = ctx.state or {}
    return state if state.get("step") == step_id else {}
