"""data_migration, mark_completion: marks the target complete and writes a folder's files."""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.stages.data_migration.ownership import open_target
from sortkey_systems.jobengine.stages.data_migration.transfer import Transferred
from sortkey_systems.jobengine.stages.migration_planning.etl_script import EtlPlan
from sortkey_systems.jobengine.stages.work import StepContext, Work


@dataclass(slots=True)
class Completion:
    """What was migrated, counted as a job does: processed = succeeded + failed."""

    records_processed: int
    records_succeeded: int
    records_failed: int
    files: list[str] = field(default_factory=list[str])


def mark_completion(work: Work, ctx: StepContext) -> Completion:
    """Record in the target which plan it belongs to and that the transfer finished."""
    moved, plan = work.result("transfer", Transferred), work.result("etl_script", EtlPlan)
    with open_target(work) as target:
        files = target.export()
        target.say("completed", plan.fingerprint)
    completion = Completion(
        moved.written + moved.refused + moved.duplicates,
        moved.written,
        moved.refused + moved.duplicates,
        files,
    )
    ctx.log(
        "INFO",
        f"{completion.records_succeeded} of {completion.records_processed} rows are documents",
        files=files,
    )
    ctx.progress(100)
    return completion
