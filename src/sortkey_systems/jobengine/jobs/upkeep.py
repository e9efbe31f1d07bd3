"""Finds journeys that nobody works on: jobs that should run and do not, or should have ended and
have not.

Their worker is gone, or a process was killed between two writes.
"""

from __future__ import annotations

import logging

from sortkey import attr
from sortkey.errors import NotFound, StorageFailed
from sortkey_systems.jobengine.jobs.attempt import Attempts
from sortkey_systems.jobengine.journeys.progress import LIVE, current_stage
from sortkey_systems.jobengine.model import Journey

log = logging.getLogger("sortkey.jobengine")


class Upkeep:
    """Called from time to time. It remembers which journeys were not settled last time."""

    def __init__(self, attempts: Attempts) -> None:
        self._attempts, self._schedule = attempts, attempts.schedule
        self._unsettled: set[str] = set()
        self._has_run = False

    def run(self) -> None:
        """Check all running journeys, and those that ran last time."""
        # A journey that was cancelled long ago is checked once: its worker may have died before
        # it could end its job.
        statuses = ("running",) if self._has_run else ("running", "cancelled")
        journeys = self._schedule.store.query(
            Journey.all().where(attr(Journey.status).isin(*statuses))
        )
        for journey_id in {journey.journey_id for journey in journeys} | self._unsettled:
            try:
                is_settled = self._settle(journey_id)
            except StorageFailed:  # the disk is full for the others too
                raise
            except Exception:  # one broken journey must not block the others
                log.exception("journey %s is running, but cannot be continued", journey_id)
                is_settled = False
            (self._unsettled.discard if is_settled else self._unsettled.add)(journey_id)
        self._has_run = True

    def _settle(self, journey_id: str) -> bool:
        """Continue what was left. Returns whether nothing more is to do."""
        try:
            journey, stages = self._schedule.journey(journey_id)
        except NotFound:  # deleted meanwhile
            return True
        job = self._schedule.latest(current_stage(stages))
        if job is not None:
            course = self._schedule.course(job)
            job = self._attempts.settle(job)
            self._attempts.go_on(job, course)
        return journey.status != "running" and (job is None or job.status not in LIVE)
