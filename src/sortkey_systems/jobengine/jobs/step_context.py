"""The context of a step on a worker: the step's log, the job's progress, checkpoints and safe
points.

A checkpoint stores the position of the log with the step's own state, so that a resumed step
continues its log where it continues its work: no line is lost or repeated.
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
"""Minimum time between two writes of a step's progress. Its end is always written."""


class TookTooLong(Exception):
    """An execution ran longer than its configuration allows."""


@dataclass(slots=True)
class RunningStep:
    """The context of one step. `reported` is called with its percentage from time to time;
    `check_time` raises TookTooLong.
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
        self._reported_at = self.clock()  # a step that ends before the first report needs none

    def log(self, level: LogLevel, message: str, **details: Any) -> None:
        if level == "DEBUG" and not self.is_detailed:
            return
        self.log_book.add(level, message, **details)
        self.last_line = message

    def progress(self, percent: int) -> None:
        """A safe point. Written from time to time, after flushing the log."""
        self.check_cancelled()
        if self.clock() >= self._reported_at + REPORT_SECONDS:
            self._reported_at = self.clock()
            self.log_book.flush()
            self.reported(percent)

    @property
    def state(self) -> Any:
        """The state that this step stored. State of another step of the same job is ignored."""
        return kept(self.ctx, self.step_id).get("state")

    def checkpoint(self, state: Any) -> None:
        """A safe point. The log is flushed first, so that it covers what the checkpoint says was
        done.
        """
        self.check_time()
        self.log_book.flush()
        self.ctx.checkpoint(
            {"step": self.step_id, "position": self.log_book.position, "state": state}
        )

    def check_cancelled(self) -> None:
        self.check_time()
        self.ctx.check_cancelled()


def kept(ctx: JobContext, step_id: str) -> dict[str, Any]:
    """What the last checkpoint of a step stored: its state and the position of its log. Empty
    without a checkpoint.
    """
    state: dict[str, Any] = ctx.state or {}
    return state if state.get("step") == step_id else {}
