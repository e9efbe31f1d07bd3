"""data_migration, dataset_selection: selects the datasets of the plan to move, and counts their
rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from sortkey_systems.jobengine.rules.rule_book import BUILT_IN, Application, rule_book
from sortkey_systems.jobengine.stages.migration_planning.etl_script import EtlPlan
from sortkey_systems.jobengine.stages.work import StepContext, Work


@dataclass(slots=True)
class Selection:
    """Tables with their row counts in the plan's order, and the tables that a rule excludes."""

    rows: dict[str, int]
    left_out: list[str]
    rules: list[Application]


def dataset_selection(work: Work, ctx: StepContext) -> Selection:
    """Count the rows again: the source may have grown since it was analysed."""
    plan = work.result("etl_script", EtlPlan)
    book = rule_book(work.rules, "data_migration")
    selection = Selection({}, [], [])
    for number, dataset in enumerate(plan.datasets, 1):
        if book.removed_by(dataset.table) not in (
            None,
            BUILT_IN,
        ):  # the built-in ones had their say in stripped_schema
            selection.left_out.append(dataset.table)
            ctx.log("INFO", f"{dataset.table} is left out by a rule", table=dataset.table)
        else:
            selection.rows[dataset.table] = work.source.count(dataset.table)
        ctx.progress(100 * number // len(plan.datasets))
    ctx.log("INFO", f"{len(selection.rows)} datasets, {sum(selection.rows.values())} rows")
    selection.rules = book.outcome()
    return selection
