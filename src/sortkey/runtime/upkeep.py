"""Operations of a store on whole tables: create them, plan and apply changes, bring stored items up
to date, check payloads.

The modules behind these methods are loaded on first use: most programs never call them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from sortkey.model.entity import Entity
from sortkey.model.tables import Table
from sortkey.runtime import table_creation
from sortkey.runtime.steps import Steps

if TYPE_CHECKING:
    from sortkey.model.patterns import Model
    from sortkey.runtime.backend import Backend
    from sortkey.runtime.context import Context
    from sortkey.runtime.evolution.plans import Plan, Step
    from sortkey.runtime.evolution.progress import Backfilled, Progress
    from sortkey.runtime.payloads.checks import Finding, Sweep

T = TypeVar("T")

APPLY_WAIT_SECONDS = 24 * 3600.0
"""On AWS, filling an index of a large table can take hours."""

GRACE = timedelta(days=1)
"""How long an object may wait for its pointer. A store writes both within moments, but uploads
through links take longer, and readers of an item that was replaced may still want the old object.
"""


class Upkeep:
    """The part of a store that works on whole tables."""

    if TYPE_CHECKING:
        _context: Context
        backend: Backend

        def run(self, steps: Steps[T]) -> T: ...

    # -- tables

    def ensure(self, of: Model | Table, *, kms: str | None = None) -> list[str]:
        """Create the tables that are missing, and list how the others differ from the model. Never
        drops anything.
        """
        return self.run(table_creation.ensure(of, kms=kms))

    def plan(self, of: Model | Table) -> Plan:
        """The steps that would make the deployed tables match the model. Changes nothing."""
        from sortkey.runtime.evolution import planner

        return self.run(planner.plan(self._context, of))

    def apply(
        self,
        plan: Plan,
        *,
        kms: str | None = None,
        wait_seconds: float = APPLY_WAIT_SECONDS,
        on_progress: Callable[[Step], object] | None = None,
    ) -> tuple[Step, ...]:
        """Carry out the steps of a plan, and wait for each. Never drops anything, and leaves
        backfills to you.
        """
        from sortkey.runtime.evolution import plan_execution

        steps = plan_execution.apply(
            self._context, plan, kms=kms, wait_seconds=wait_seconds, on_progress=on_progress
        )
        return self.run(steps)

    def backfill(
        self,
        of: type[Entity] | Table,
        *,
        segments: int | None = None,
        writes_per_second: float | None = None,
        restart: bool = False,
        dry_run: bool = False,
        on_progress: Callable[[Progress], object] | None = None,
    ) -> Backfilled:
        """Bring every stored item up to date with its entity. Reads the whole table, and resumes
        after a crash.
        """
        from sortkey.runtime.evolution import parallel_segments, segment_backfill, tasks

        at_once = self.backend.capabilities.parallel_calls
        settings = tasks.Settings(
            segments=at_once if segments is None else segments,
            writes_per_second=writes_per_second,
            restart=restart,
            dry_run=dry_run,
            on_progress=on_progress,
            at_once=at_once,
        )
        task = self.run(tasks.begin(self._context, of, settings))
        work = segment_backfill.work
        parallel_segments.in_threads(
            task, lambda number: self.run(work(self._context, task, number))
        )
        return self.run(tasks.finish(self._context, task))

    # -- payloads

    def verify(
        self, model: Model, *, grace: timedelta = GRACE, quick: bool = False
    ) -> list[Finding]:
        """Payloads that are missing or changed, and objects that no item has shown for longer than
        `grace`.

        Reads every object in full; with `quick` only its size and checksum.
        """
        from sortkey.runtime.payloads import checks

        return self.run(checks.verify(self._context, model, grace, quick=quick))

    def sweep(self, model: Model, *, grace: timedelta = GRACE) -> Sweep:
        """Remove objects that no item has shown for longer than `grace`."""
        from sortkey.runtime.payloads import checks

        return self.run(checks.sweep(self._context, model, grace))
