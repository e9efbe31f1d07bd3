"""The log of one attempt: numbered lines, each written exactly once."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from sortkey.errors import ModelError
from sortkey.runtime.jobs.environment import Environment
from sortkey.runtime.jobs.records import Level, LogLine
from sortkey.runtime.jobs.values import storable

LEVELS: tuple[Level, ...] = ("DEBUG", "INFO", "WARNING", "ERROR")
MESSAGE_CHARACTERS_MAX = 10_000
"""Longer texts belong in the details, or in an object."""


def level_of(text: str) -> Level:
    """The number of a level, in any case."""
    for level in LEVELS:
        if level == text.upper():
            return level
    raise ModelError(f"{text!r} is not a log level: use one of {', '.join(LEVELS)}")


class LogBook:
    """Buffers lines and writes them together. Lines are numbered, so a retry does not write one
    twice.
    """

    def __init__(self, environment: Environment, job_id: str, attempt: int, buffer: int) -> None:
        self._environment, self._job_id, self._attempt, self._buffer = (
            environment,
            job_id,
            attempt,
            buffer,
        )
        self._waiting: list[LogLine] = []
        self._number = 0
        self._lock = threading.Lock()

    def add(self, step: str | None, level: str, message: str, details: Mapping[str, Any]) -> None:
        """Add a line. It is stored when this returns, unless lines are buffered."""
        level_number, plain_details = (
            level_of(level),
            storable(dict(details), "the details of a line"),
        )
        with self._lock:
            line = LogLine(
                job_id=self._job_id,
                attempt=self._attempt,
                number=self._number + 1,
                step=step,
                level=level_number,
                message=message[:MESSAGE_CHARACTERS_MAX],
                at=self._environment.now(),
                details=plain_details,
            )
            self._number += 1
            self._waiting.append(line)
            if len(self._waiting) >= self._buffer:
                self._write()

    def flush(self) -> None:
        """Store the buffered lines."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        if len(self._waiting) == 1:
            self._environment.store.put(self._waiting[0])
        elif self._waiting:
            self._environment.store.batch_write(self._waiting)
        self._waiting.clear()
