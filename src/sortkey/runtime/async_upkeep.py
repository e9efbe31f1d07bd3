"""Generated from upkeep.py by tools/generate_async.py: edit that, then `make format`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from sortkey.model.entity import Entity
from sortkey.model.tables import Table
from sortkey.runtime import table_creation
from sortkey.runtime.steps import Steps
from sortkey.runtime.upkeep import APPLY_WAIT_SECONDS, GRACE, T

if TYPE_CHECKING:
    from sortkey.model.patterns import Model
    from sortkey.runtime.async_backend import AsyncBackend
    from sortkey.runtime.context import Context
    from sortkey.runtime.evolution.plans import Plan, Step
    from sortkey.runtime.evolution.progress import Backfilled, Progress
    from sortkey.runtime.payloads.checks import Finding, Sweep


class AsyncUpkeep:
    """`Upkeep`, awaited. The part of a store that works on whole tables."""

    if TYPE_CHECKING:
        _context: Context
        backend: AsyncBackend

        async def run(self, steps: Steps[T]) -> T: ...

    # -- tables

    async def ensure(self, of: Model | Table, *, kms: str | None = None) -> list[str]:
        """Create the tables that are missing, and list how the others differ from the model. Never
        drops anything.
        """
        return await self.run(table_creation.ensure(of, kms=kms))

    async def plan(self, of: Model | Table) -> Plan:
        """The steps that would make the deployed tables match the model. Changes nothing."""
        from sortkey.runtime.evolution import planner

        return await self.run(planner.plan(self._context, of))

    async def apply(
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
        return await self.run(steps)

    async def backfill(
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
        task = await self.run(tasks.begin(self._context, of, settings))
        work = segment_backfill.work
        await parallel_segments.in_tasks(
            task, lambda number: self.run(work(self._context, task, number))
        )
        return await self.run(tasks.finish(self._context, task))

    # -- payloads

    async def verify(
        self, model: Model, *, grace: timedelta = GRACE, quick: bool = False
    ) -> list[Finding]:
        """Payloads that are missing or changed, and objects that no item has shown for longer than
        `grace`.

        Reads every object in full; with `quick` only its size and checksum.
        """
        from sortkey.runtime.payloads import checks

        return await self.run(checks.verify(self._context, model, grace, quick=quick))

    async def sweep(self, model: Model, *, grace: timedelta = GRACE) -> Sweep:
        """Remove objects that no item has shown for longer than `grace`."""
        from sortkey.runtime.payloads import checks

        return await self.run(checks.sweep(self._context, model, grace))
