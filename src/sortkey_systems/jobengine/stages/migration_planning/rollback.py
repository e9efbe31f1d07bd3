"""migration_planning, rollback: how to undo the migration. The source is read-only, so only the
target changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from sortkey_systems.jobengine.stages.migration_planning.etl_script import EtlPlan
from sortkey_systems.jobengine.stages.work import StepContext, Work


@dataclass(slots=True)
class RollbackStep:
    """Remove the documents of one table, in reverse transfer order, so that no reference dangles in
    between.
    """

    table: str
    resource: str
    text: str


@dataclass(slots=True)
class RollbackPlan:
    """Executed by `data_migration.target.Target.roll_back`, for one table or for all."""

    steps: list[RollbackStep]
    note: str = "The source is only read: nothing needs to be undone there."


def rollback(work: Work, ctx: StepContext) -> RollbackPlan:
    """One step for each dataset."""
    plan = work.result("etl_script", EtlPlan)
    steps = [
        RollbackStep(
            dataset.table,
            dataset.resource,
            f"remove the {dataset.resource} documents that came from {dataset.table}",
        )
        for dataset in reversed(plan.datasets)
    ]
    ctx.log("INFO", f"can be undone in {len(steps)} steps")
    ctx.progress(100)
    return RollbackPlan(steps)
