"""What everything about jobs works with: a store, and time, chance and sleep, which tests
pass in.
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
from sortkey.runtime.jobs.bells import BELLS, Bells
from sortkey.runtime.store import Store

T = TypeVar("T")
E = TypeVar("E", bound=Entity)

log = logging.getLogger("sortkey.jobs")

CONFLICT = "TransactionConflict"
CONFLICT_TRIES = 12
"""Two transactions that touch one item at the same instant: the service refuses one, and it is
tried again.
"""
UNKNOWN_TRIES = 4


def log_error(message: str, error: Exception) -> None:
    """Into the log, with where it happened; but for a full disk, which is no fault of the
    program.
    """
    log.error(
        "%s: %s", message, error, exc_info=None if isinstance(error, StorageFailed) else error
    )


@dataclass(frozen=True, slots=True)
class Means:
    """A store and its surroundings."""

    store: Store
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], object] = time.sleep
    random: Callable[[], float] = random.random
    entropy: Callable[[int], bytes] = os.urandom
    bells: Bells = BELLS
    on_error: Callable[[str, Exception], object] = log_error
    """Told of what a worker could not do beside the jobs themselves: pick one, keep its lease,
    write its end.
    """

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.clock(), UTC)

    def token(self) -> str:
        """What nobody else has."""
        return self.entropy(16).hex()

    def update(self, write: Update[E]) -> E:
        """One change; gives the item as it is now.

        It is made again where nobody knows whether it was made. Who makes it has written a
        condition or a value by which the next try finds out: the token of a lease, the number of an
        attempt.
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
                )  # an owner of the folder that is killed takes a moment to be gone
        return self.patiently(run)

    def transact(self, *writes: Write[Any]) -> None:
        """All of the writes, or none; once, also where the answer to the first try was lost on the
        way.
        """
        token = self.token()
        self.patiently(lambda: self.store.transact(*writes, token=token))

    def patiently(self, run: Callable[[], T]) -> T:
        """Do something that others may do at the same instant."""
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
