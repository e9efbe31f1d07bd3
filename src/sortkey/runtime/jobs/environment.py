"""What all parts of the job system use: a store, and the clock, randomness and sleep, which tests
replace.
"""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from sortkey.errors import (
    StorageFailed,
    TransactionConflictException,
    TransactionFailed,
    Unreachable,
)
from sortkey.model.entity import Entity
from sortkey.model.operations import Update, Write
from sortkey.runtime.jobs.wakeups import WAKEUPS, Wakeups
from sortkey.runtime.store import Store

T = TypeVar("T")
E = TypeVar("E", bound=Entity)

log = logging.getLogger("sortkey.jobs")

CONFLICT = "TransactionConflict"
CONFLICT_TRIES = 12
"""Conflicts of concurrent transactions: the service refuses one, and it is tried again."""
UNKNOWN_TRIES = 4


def log_error(message: str, error: Exception) -> None:
    """Log an error with its traceback. A full disk is logged without one."""
    log.error(
        "%s: %s", message, error, exc_info=None if isinstance(error, StorageFailed) else error
    )


@dataclass(frozen=True, slots=True)
class Environment:
    """A store, with the clock, sleep and randomness of the job system."""

    store: Store
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], object] = time.sleep
    random: Callable[[], float] = random.random
    entropy: Callable[[int], bytes] = os.urandom
    wakeups: Wakeups = WAKEUPS
    on_error: Callable[[str, Exception], object] = log_error
    """Called with errors outside of job functions: picking a job, renewing its lease, writing its
    end.
    """

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.clock(), UTC)

    def token(self) -> str:
        """A unique token."""
        return self.entropy(16).hex()

    def update(self, write: Update[E]) -> E:
        """Make one update, and return the updated item.

        It is sent again if the outcome is unknown. The caller must make it idempotent, by a
        condition on or a value of the lease token or the attempt number.
        """

        def run() -> E:
            return self.store.update(
                write.key, *write.actions, when=write.when, assuming=write.assuming
            )

        for attempt in range(UNKNOWN_TRIES - 1):
            try:
                return self.patiently(run)
            except Unreachable:
                self.sleep(
                    0.01 * 2**attempt
                )  # a killed owner of the folder takes a moment to disappear
        return self.patiently(run)

    def transact(self, *writes: Write[Any]) -> None:
        """Make all of the writes or none, exactly once even if the first answer is lost."""
        token = self.token()
        self.patiently(lambda: self.store.transact(*writes, token=token))

    def patiently(self, run: Callable[[], T]) -> T:
        """Run something again if it conflicts with others."""
        for attempt in range(CONFLICT_TRIES - 1):
            try:
                return run()
            except TransactionConflictException:
                pass
            except TransactionFailed as failed:
                if any(reason.code != CONFLICT for reason in failed.reasons) or not failed.reasons:
                    raise
            self.sleep(self.random() * min(0.005 * 2**attempt, 0.5))
        return run()
