"""The results of an execution, as figures and as text: the results of a job, and the summary of a
step's report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sortkey_systems.jobengine.parts import Results
from sortkey_systems.jobengine.stages.data_migration.compliance_test import ComplianceTest
from sortkey_systems.jobengine.stages.data_migration.mark_completion import Completion
from sortkey_systems.jobengine.stages.data_migration.transfer import Transferred
from sortkey_systems.jobengine.stages.migration_planning.strategy import Strategy
from sortkey_systems.jobengine.stages.raw_analysis.data_profiling import Profile
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.tmf_mapping.gap_identification import Gaps
from sortkey_systems.jobengine.stages.verification_validation.compliance_check import (
    ComplianceCheck,
)
from sortkey_systems.jobengine.stages.verification_validation.final_report import FinalReport
from sortkey_systems.jobengine.stages.verification_validation.mapping_validation import (
    MappingValidation,
)
from sortkey_systems.jobengine.stages.work import Work


@dataclass(frozen=True, slots=True)
class Outcome:
    """Figures of one step: how many things were checked, in how many tables, and how many are
    wrong.
    """

    items: int = 0
    failed: int = 0
    tables: int = 0
    fields: int = 0


def outcome_of(result: Any) -> Outcome:
    """The figures of a step's result. 0 for a step that counts nothing."""
    return next(
        (figures(result) for kind, figures in _OUTCOMES.items() if isinstance(result, kind)),
        Outcome(),
    )


def recommendations_of(result: Any) -> list[str]:
    """The recommendations of the step."""
    if isinstance(result, Profile):
        return [f"{table.table}: {issue}" for table in result.tables for issue in table.issues]
    if isinstance(result, Gaps):
        return [f"{gap.subject}: {gap.advice}" for gap in result.gaps if gap.advice]
    return list(result.recommendations) if isinstance(result, (Strategy, FinalReport)) else []


def results_of(step_ids: Iterable[str], work: Work) -> Results:
    """The results of a job after these steps of its stage. Processed = succeeded + failed."""
    ran = set(step_ids)
    counted = {
        step_id: outcome_of(work.result(step_id, kind))
        for step_id, kind in _COUNTED.items()
        if step_id in ran
    }
    records = next(
        (counted[name] for name in _COUNTED if name in counted and name != SCHEMA), Outcome()
    )
    about = counted.get(SCHEMA, records)
    return Results(
        records_processed=records.items,
        records_succeeded=records.items - records.failed,
        records_failed=records.failed,
        tables_analyzed=about.tables,
        fields_extracted=about.fields,
    )


def refusal_of(step_ids: Iterable[str], work: Work) -> str | None:
    """The verdict on the migration, if these steps produced one that did not pass."""
    report = work.result(FINAL, FinalReport) if FINAL in step_ids else None
    if report is None or report.is_passed:
        return None
    return f"{report.verdict} ({'; '.join(report.exceeded)})"


FINAL = "final_report"
SCHEMA = "schema_extraction"
_COUNTED: dict[str, type[Any]] = {
    SCHEMA: ExtractedSchema,
    "data_profiling": Profile,
    "mark_completion": Completion,
    "mapping_validation": MappingValidation,
}
"""The steps that a job's figures come from. All but the first count the records of their stage."""
_OUTCOMES: dict[type[Any], Callable[[Any], Outcome]] = {
    ExtractedSchema: lambda result: Outcome(result.columns, 0, len(result.tables), result.columns),
    Profile: lambda result: Outcome(
        sum(table.rows for table in result.tables), 0, len(result.tables)
    ),
    Transferred: lambda result: Outcome(
        result.rows, result.refused + result.duplicates, len(result.counts)
    ),
    ComplianceTest: lambda result: Outcome(result.outcome.documents),
    ComplianceCheck: lambda result: Outcome(result.outcome.documents),
    Completion: lambda result: Outcome(result.records_processed, result.records_failed),
    MappingValidation: lambda result: Outcome(
        sum(table.source_rows for table in result.tables),
        sum(table.lost_rows + table.changed_rows for table in result.tables),
        len(result.tables),
    ),
}
