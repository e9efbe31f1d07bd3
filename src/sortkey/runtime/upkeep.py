"""What stores do for tables as a whole: make them, plan and apply changes, bring stored items up to date."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from sortkey.model.entity import Entity
from sortkey.model.tables import Table
from sortkey.runtime import ensuring
from sortkey.runtime.steps import Steps

if TYPE_CHECKING:
    from sortkey.model.patterns import Model
    from sortkey.runtime.context import Context
    from sortkey.runtime.evolution.plans import Plan, Step
    from sortkey.runtime.evolution.progress import Backfilled, Progress

T = TypeVar("T")

APPLY_WAIT_SECONDS = 24 * 3600.0
"""The service fills an index of a large table in hours."""


def _silent(of: object) -> None:
    """Nobody listens."""


class Upkeep:
    """For stores that wait. What evolution needs is loaded when it is asked for: few programs do."""

    if TYPE_CHECKING:
        _context: Context
        backend: Any

        def run(self, steps: Steps[T]) -> T: ...

    def ensure(self, of: Model | Table, *, kms: str | None = None) -> list[str]:
        """Create the tables that are missing; lists what differs in the others. Never drops anything."""
        return self.run(ensuring.ensure(of, kms=kms))

    def plan(self, of: Model | Table) -> Plan:
        """What to change so that what is deployed is as a model says. Changes nothing."""
        from sortkey.runtime.evolution import planning

        return self.run(planning.plan(self._context, of))

    def apply(
        self,
        plan: Plan,
        *,
        kms: str | None = None,
        wait_seconds: float = APPLY_WAIT_SECONDS,
        told: Callable[[Step], object] = _silent,
    ) -> tuple[Step, ...]:
        """Do the steps of a plan, and wait for each. Never drops anything; backfills are run by name."""
        from sortkey.runtime.evolution import applying

        return self.run(applying.apply(self._context, plan, kms=kms, wait_seconds=wait_seconds, told=told))

    def backfill(
        self,
        of: type[Entity] | Table,
        *,
        segments: int | None = None,
        writes_per_second: float | None = None,
        restart: bool = False,
        dry_run: bool = False,
        told: Callable[[Progress], object] | None = None,
    ) -> Backfilled:
        """Give every stored item what its entity says today; reads the whole table. One that was cut off goes on."""
        from sortkey.runtime.evolution import backfilling, driving, tasks

        settings = tasks.Settings.on(self.backend, segments, writes_per_second, restart, dry_run, told)
        task = self.run(tasks.begin(self._context, of, settings))
        driving.in_threads(task, lambda number: self.run(backfilling.work(self._context, task, number)))
        return self.run(tasks.finish(self._context, task))


class AsyncUpkeep:
    """The same, awaited."""

    if TYPE_CHECKING:
        _context: Context
        backend: Any

        async def run(self, steps: Steps[T]) -> T: ...

    async def ensure(self, of: Model | Table, *, kms: str | None = None) -> list[str]:
        """Create the tables that are missing; lists what differs in the others. Never drops anything."""
        return await self.run(ensuring.ensure(of, kms=kms))

    async def plan(self, of: Model | Table) -> Plan:
        """What to change so that what is deployed is as a model says. Changes nothing."""
        from sortkey.runtime.evolution import planning

        return await self.run(planning.plan(self._context, of))

    async def apply(
        self,
        plan: Plan,
        *,
        kms: str | None = None,
        wait_seconds: float = APPLY_WAIT_SECONDS,
        told: Callable[[Step], object] = _silent,
    ) -> tuple[Step, ...]:
        """Do the steps of a plan, and wait for each. Never drops anything; backfills are run by name."""
        from sortkey.runtime.evolution import applying

        return await self.run(applying.apply(self._context, plan, kms=kms, wait_seconds=wait_seconds, told=told))

    async def backfill(
        self,
        of: type[Entity] | Table,
        *,
        segments: int | None = None,
        writes_per_second: float | None = None,
        restart: bool = False,
        dry_run: bool = False,
        told: Callable[[Progress], object] | None = None,
    ) -> Backfilled:
        """Give every stored item what its entity says today; reads the whole table. One that was cut off goes on."""
        from sortkey.runtime.evolution import backfilling, driving, tasks

        settings = tasks.Settings.on(self.backend, segments, writes_per_second, restart, dry_run, told)
        task = await self.run(tasks.begin(self._context, of, settings))

        def work(number: int) -> Awaitable[None]:
            return self.run(backfilling.work(self._context, task, number))

        await driving.in_tasks(task, work)
        return await self.run(tasks.finish(self._context, task))
