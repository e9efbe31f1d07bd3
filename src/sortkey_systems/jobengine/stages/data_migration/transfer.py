"""data_migration, transfer: moves the rows in batches, with a checkpoint after each.

A batch is written in one transaction before its checkpoint. If the process is killed in between,
the batch is written again. Documents are identified by their rows, so no row is lost or duplicated.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from sortkey_systems.jobengine.stages.data_migration.dataset_selection import Selection
from sortkey_systems.jobengine.stages.data_migration.documents import build_batch
from sortkey_systems.jobengine.stages.data_migration.ownership import open_target
from sortkey_systems.jobengine.stages.data_migration.target import Counts, Target
from sortkey_systems.jobengine.stages.migration_planning.etl_script import Dataset, EtlPlan
from sortkey_systems.jobengine.stages.work import StepContext, Work, kept_state


@dataclass(slots=True)
class Transferred:
    """The outcome for the rows of each table. `seconds` is the sum over all attempts."""

    counts: dict[str, Counts] = field(default_factory=dict[str, Counts])
    rows: int = 0
    batches: int = 0
    seconds: float = 0.0

    @property
    def written(self) -> int:
        return sum(count.written for count in self.counts.values())

    @property
    def refused(self) -> int:
        return sum(count.refused for count in self.counts.values())

    @property
    def duplicates(self) -> int:
        return sum(count.duplicates for count in self.counts.values())


def transfer(work: Work, ctx: StepContext) -> Transferred:
    """Run the plan into the target, from the last checkpoint."""
    plan, selection = (
        work.result("etl_script", EtlPlan),
        work.result("dataset_selection", Selection),
    )
    state = _start(plan, ctx)
    with open_target(work) as target:
        if target.begin(plan.fingerprint):
            ctx.log("WARNING", "the target had documents of another plan: they were removed")
            state = _fresh(plan)
        datasets = [planned for planned in plan.datasets if planned.table in selection.rows]
        for number in range(state["dataset"], len(datasets)):
            _move(
                work,
                ctx,
                target,
                plan,
                datasets[number],
                state,
                max(sum(selection.rows.values()), 1),
            )
            state |= {"dataset": number + 1, "after": None}
            ctx.checkpoint(dict(state))
        result = Transferred(
            rows=state["rows"], batches=state["batches"], seconds=round(state["seconds"], 3)
        )
        for dataset in datasets:
            result.counts[dataset.table] = _logged(
                target.counts(dataset.resource, dataset.table), dataset, ctx
            )
    ctx.progress(100)
    return result


def _start(plan: EtlPlan, ctx: StepContext) -> dict[str, Any]:
    state = kept_state(ctx, "transfer")
    if state.get("plan") != plan.fingerprint:
        return _fresh(plan)
    ctx.log("INFO", f"taken up again behind {state['rows']} rows", rows=state["rows"])
    return dict(state)


def _fresh(plan: EtlPlan) -> dict[str, Any]:
    start = {"dataset": 0, "after": None, "rows": 0, "batches": 0, "seconds": 0.0}
    return {"step": "transfer", "plan": plan.fingerprint, **start}


def _move(
    work: Work,
    ctx: StepContext,
    target: Target,
    plan: EtlPlan,
    dataset: Dataset,
    state: dict[str, Any],
    total: int,
) -> None:
    began = time.perf_counter()
    for batch in work.source.batches(dataset.table, work.batch_rows, state["after"]):
        ctx.check_cancelled()
        target.write(
            dataset.resource, dataset.table, build_batch(work.source, plan, dataset, batch)
        )
        now = time.perf_counter()
        state["after"], state["rows"] = batch.last, state["rows"] + len(batch.rows)
        state["batches"], state["seconds"], began = (
            state["batches"] + 1,
            state["seconds"] + now - began,
            now,
        )
        ctx.checkpoint(dict(state))
        ctx.progress(min(100, 100 * state["rows"] // total))


def _logged(counts: Counts, dataset: Dataset, ctx: StepContext) -> Counts:
    text = f"{dataset.table} → {dataset.resource}: {counts.written} written"
    details = {
        "refused": counts.refused,
        "duplicates": counts.duplicates,
        "bad_values": counts.bad_values,
    }
    is_clean = not any(details.values())
    rest = (
        ""
        if is_clean
        else f", {counts.refused} refused, {counts.duplicates} twice, {counts.bad_values} bad values"
    )
    ctx.log(
        "INFO" if is_clean else "WARNING",
        text + rest,
        table=dataset.table,
        written=counts.written,
        **details,
    )
    return counts
