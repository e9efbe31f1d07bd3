"""Delivers records to handlers, with retries and growing pauses. What still fails becomes a dead
letter.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sortkey.errors import ChangeRefused, ModelError
from sortkey.model.changes import Change, Record
from sortkey.runtime.metrics import Metrics, counter, histogram
from sortkey.runtime.streams.dead_letters import DeadLetters, Origin
from sortkey.runtime.streams.dispatch import Dispatch, MatchedChange, Unreadable
from sortkey.runtime.streams.handlers import AnyHandler

log = logging.getLogger("sortkey.streams")

CHANGES = counter(
    "sortkey_stream_changes_total", "Changes that handlers have processed, by worker and handler."
)
FAILURES = counter(
    "sortkey_stream_failures_total", "Calls of handlers that failed, by worker and handler."
)
DEAD = counter(
    "sortkey_stream_dead_letters_total", "Changes that became dead letters, by worker and handler."
)
SECONDS = histogram(
    "sortkey_stream_handler_seconds", "How long calls of handlers took, by worker and handler."
)


Matches = list[tuple[AnyHandler, MatchedChange]]
BeforeTry = Callable[[int], None]
"""Called before every try with its number. It renews the lease, and raises if the worker has to
stop.
"""


@dataclass(frozen=True, slots=True)
class Retries:
    """The attempts of a handler call, and the pauses between them: their bound doubles each
    time.
    """

    attempts: int = 5
    first_seconds: float = 0.1
    max_seconds: float = 30.0

    def __post_init__(self) -> None:
        if self.attempts < 1 or not 0 < self.first_seconds <= self.max_seconds:
            raise ModelError(f"{self}: at least one attempt, and pauses of more than 0 seconds")

    def pause(self, attempt: int, random: float) -> float:
        """A random pause between half of the bound and the bound, so that retries are spread."""
        bound = min(self.first_seconds * 2 ** (attempt - 1), self.max_seconds)
        return bound * (0.5 + random / 2)


class Delivery:
    """For one worker."""

    def __init__(
        self,
        dispatch: Dispatch,
        dead: DeadLetters,
        retries: Retries,
        sleep: Callable[[float], object],
        random: Callable[[], float],
        metrics: Metrics | None,
    ) -> None:
        self._dispatch = dispatch
        self._dead = dead
        self._retries = retries
        self._sleep = sleep
        self._random = random
        self._metrics = metrics

    def find(self, record: Record, origin: Origin) -> Matches:
        """The handlers of a record, each with its change."""
        return list(self._dispatch.find(origin.table, record))

    def one_by_one(self, matches: Matches, origin: Origin, before_try: BeforeTry) -> None:
        """Deliver a record to the handlers of single changes."""
        for handler, change in matches:
            if not handler.in_batches:
                self._deliver(handler, [change], origin, before_try)

    def in_batches(self, records: Sequence[Matches], origin: Origin, before_try: BeforeTry) -> None:
        """Deliver records to the handlers of batches."""
        batches: dict[str, list[MatchedChange]] = {}
        for matches in records:
            for handler, change in matches:
                if handler.in_batches:
                    batches.setdefault(handler.name, []).append(change)
        for name, batch in batches.items():
            self._deliver(self._dispatch.by_name[name], batch, origin, before_try)

    def _deliver(
        self,
        handler: AnyHandler,
        batch: Sequence[MatchedChange],
        origin: Origin,
        before_try: BeforeTry,
    ) -> None:
        readable = [change for change in batch if isinstance(change, Change)]
        for change in batch:
            if isinstance(change, Unreadable):
                self._bury(handler, change.record, origin, change.error, 0)
        if not readable:
            return
        try:
            self._try(handler, readable, before_try)
        except _Failed as failed:
            if len(readable) == 1:
                self._bury(handler, readable[0].record, origin, failed.error, failed.attempts)
                return
            for change in readable:  # one of them is the cause; the others must not fail with it
                self._deliver(handler, [change], origin, before_try)

    def _try(
        self, handler: AnyHandler, changes: Sequence[Change[Any]], before_try: BeforeTry
    ) -> None:
        for attempt in range(1, self._retries.attempts + 1):
            before_try(attempt)
            try:
                self._call(handler, changes)
                return
            except Exception as error:
                self._count_failure(handler, changes, error, attempt)
                if isinstance(error, ChangeRefused) or attempt == self._retries.attempts:
                    raise _Failed(error, attempt) from error
            self._sleep(self._retries.pause(attempt, self._random()))

    def _call(self, handler: AnyHandler, changes: Sequence[Change[Any]]) -> None:
        began = time.perf_counter()
        taken = self._dispatch.call(handler, changes)
        if self._metrics is not None and taken:
            about = {"worker": self._dead.worker, "handler": handler.name}
            self._metrics.add(CHANGES, taken, **about)
            self._metrics.observe(SECONDS, time.perf_counter() - began, **about)

    def _count_failure(
        self, handler: AnyHandler, changes: Sequence[Change[Any]], error: Exception, attempt: int
    ) -> None:
        numbers = f"{changes[0].sequence_number}" + (
            f" and {len(changes) - 1} more" if len(changes) > 1 else ""
        )
        log.warning(
            "handler %s failed with %s (attempt %d): %r", handler.name, numbers, attempt, error
        )
        if self._metrics is not None:
            self._metrics.add(FAILURES, 1, worker=self._dead.worker, handler=handler.name)

    def _bury(
        self, handler: AnyHandler, record: Record, origin: Origin, error: Exception, attempts: int
    ) -> None:
        self._dead.add(handler.name, record, origin, error, attempts)
        log.error(
            "handler %s: a change of %s became a dead letter: %r", handler.name, origin.table, error
        )
        if self._metrics is not None:
            self._metrics.add(DEAD, 1, worker=self._dead.worker, handler=handler.name)


class _Failed(Exception):
    """All tries of a call failed."""

    def __init__(self, error: Exception, attempts: int) -> None:
        super().__init__(attempts)
        self.error, self.attempts = error, attempts
