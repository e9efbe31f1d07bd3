"""The steps of the six stages: the function of each, in order, with its result type.

A worker calls `run_step` and stores the result as JSON. `run_stage` and `run_journey` run steps
directly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sortkey_systems.jobengine.stages.data_migration.compliance_test import compliance_test
from sortkey_systems.jobengine.stages.data_migration.dataset_selection import dataset_selection
from sortkey_systems.jobengine.stages.data_migration.mark_completion import mark_completion
from sortkey_systems.jobengine.stages.data_migration.transfer import transfer
from sortkey_systems.jobengine.stages.migration_planning.etl_script import etl_script
from sortkey_systems.jobengine.stages.migration_planning.rollback import rollback
from sortkey_systems.jobengine.stages.migration_planning.strategy import strategy
from sortkey_systems.jobengine.stages.migration_planning.validation_rules import validation_rules
from sortkey_systems.jobengine.stages.raw_analysis.data_profiling import data_profiling
from sortkey_systems.jobengine.stages.raw_analysis.metadata_analysis import metadata_analysis
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import schema_extraction
from sortkey_systems.jobengine.stages.stripped_schema.core_structure_extraction import (
    core_structure_extraction,
)
from sortkey_systems.jobengine.stages.stripped_schema.data_model_simplification import (
    data_model_simplification,
)
from sortkey_systems.jobengine.stages.stripped_schema.schema_stripping import schema_stripping
from sortkey_systems.jobengine.stages.tmf_mapping.api_coverage_analysis import api_coverage_analysis
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import attribute_mapping
from sortkey_systems.jobengine.stages.tmf_mapping.gap_identification import gap_identification
from sortkey_systems.jobengine.stages.tmf_mapping.relationship_mapping import relationship_mapping
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import tmf_api_matching
from sortkey_systems.jobengine.stages.verification_validation.compliance_check import (
    compliance_check,
)
from sortkey_systems.jobengine.stages.verification_validation.final_report import (
    FinalReport,
    final_report,
)
from sortkey_systems.jobengine.stages.verification_validation.integrity import integrity
from sortkey_systems.jobengine.stages.verification_validation.mapping_validation import (
    mapping_validation,
)
from sortkey_systems.jobengine.stages.verification_validation.performance import performance
from sortkey_systems.jobengine.stages.work import LogLevel, StepContext, Work

StepFunction = Callable[[Work, StepContext], Any]

STEPS: dict[str, tuple[StepFunction, ...]] = {
    "raw_analysis": (schema_extraction, metadata_analysis, data_profiling),
    "stripped_schema": (schema_stripping, core_structure_extraction, data_model_simplification),
    "tmf_mapping": (
        tmf_api_matching,
        attribute_mapping,
        relationship_mapping,
        api_coverage_analysis,
        gap_identification,
    ),
    "migration_planning": (strategy, etl_script, validation_rules, rollback),
    "data_migration": (dataset_selection, transfer, compliance_test, mark_completion),
    "verification_validation": (
        mapping_validation,
        compliance_check,
        integrity,
        performance,
        final_report,
    ),
}


def step_ids(stage_id: str) -> list[str]:
    """The steps of a stage, in order."""
    return [step.__name__ for step in STEPS[stage_id]]


def run_step(stage_id: str, step_id: str, work: Work, ctx: StepContext) -> Any:
    """Run one step and store its result in the work."""
    step = next(
        (known_step for known_step in STEPS[stage_id] if known_step.__name__ == step_id), None
    )
    if step is None:
        raise KeyError(
            f"{stage_id} has no step {step_id!r}: its steps are {', '.join(step_ids(stage_id))}"
        )
    result = work.results[step_id] = step(work, ctx)
    return result


def run_stage(stage_id: str, work: Work, ctx: StepContext) -> None:
    """Run the steps of a stage that have no result yet. Progress is reported for the stage."""
    steps = step_ids(stage_id)
    for number, step_id in enumerate(steps):
        if step_id not in work.results:
            ctx.check_cancelled()
            run_step(stage_id, step_id, work, _Part(ctx, number, len(steps)))


def run_journey(work: Work, ctx: StepContext) -> FinalReport:
    """Run all six stages."""
    for stage_id in STEPS:
        run_stage(stage_id, work, ctx)
    return work.result("final_report", FinalReport)


@dataclass(slots=True)
class _Part:
    """The context of one step, scaled to the progress of its stage."""

    ctx: StepContext
    number: int
    of: int

    def log(self, level: LogLevel, message: str, **details: Any) -> None:
        self.ctx.log(level, message, **details)

    def progress(self, percent: int) -> None:
        self.ctx.progress((100 * self.number + percent) // self.of)

    @property
    def state(self) -> Any:
        return self.ctx.state

    def checkpoint(self, state: Any) -> None:
        self.ctx.checkpoint(state)

    def check_cancelled(self) -> None:
        self.ctx.check_cancelled()
