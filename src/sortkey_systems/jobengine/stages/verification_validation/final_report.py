"""verification_validation, final_report: the verdict, what is missing in the target, and what to
do.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from sortkey_systems.jobengine.stages.data_migration.compliance_test import ComplianceTest
from sortkey_systems.jobengine.stages.data_migration.ownership import open_target
from sortkey_systems.jobengine.stages.migration_planning.strategy import Strategy
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.tmf_mapping.api_coverage_analysis import Coverage
from sortkey_systems.jobengine.stages.tmf_mapping.gap_identification import Gaps
from sortkey_systems.jobengine.stages.verification_validation.balance import Balance, count_source
from sortkey_systems.jobengine.stages.verification_validation.compliance_check import (
    ComplianceCheck,
)
from sortkey_systems.jobengine.stages.verification_validation.integrity import Integrity
from sortkey_systems.jobengine.stages.verification_validation.losses import (
    NotInTarget,
    describe_losses,
)
from sortkey_systems.jobengine.stages.verification_validation.mapping_validation import (
    MappingValidation,
)
from sortkey_systems.jobengine.stages.verification_validation.performance import Performance
from sortkey_systems.jobengine.stages.verification_validation.report_text import written
from sortkey_systems.jobengine.stages.verification_validation.verdict import Outcome, judge
from sortkey_systems.jobengine.stages.work import StepContext, Work


@dataclass(slots=True)
class FinalReport:
    """The verdict, what is missing in the target, the figures, and the report as Markdown."""

    outcome: Outcome
    verdict: str
    exceeded: list[str]
    """The limits and thresholds that were not met."""
    allowed: list[str]
    """Losses within the limits of the journey."""
    missing: NotInTarget
    figures: dict[str, float]
    tables: list[dict[str, str | int]]
    """All tables of the source, with the outcome of their rows."""
    rules: list[str]
    is_passed: bool = False
    recommendations: list[str] = field(default_factory=list[str])
    text: str = ""


def final_report(work: Work, ctx: StepContext) -> FinalReport:
    """Count the whole source again, and judge the findings of the earlier steps."""
    with open_target(work) as target:
        balance = count_source(work, target)
        missing = describe_losses(work, target, balance)
    verdict = judge(balance, work.allowed, _wrong(work), _missed(work))
    report = FinalReport(
        verdict.outcome,
        verdict.text,
        verdict.exceeded,
        verdict.allowed,
        missing,
        _figures(work, balance),
        [{**asdict(table), "lost": table.lost} for table in balance.tables],
        [
            f"{rule.title}: {rule.text}"
            for rule in work.result("compliance_check", ComplianceCheck).rules
        ],
        verdict.outcome == "passed",
        _recommendations(work, balance),
    )
    report.text = written(report, work.source.name)
    ctx.log("INFO" if report.is_passed else "ERROR", report.verdict, **report.figures)
    for line in report.exceeded:
        ctx.log("ERROR", line)
    ctx.progress(100)
    return report


def _wrong(work: Work) -> list[str]:
    """Differences that the source does not explain."""
    proof, whole = (
        work.result("mapping_validation", MappingValidation),
        work.result("integrity", Integrity),
    )
    lost, changed = (
        sum(table.lost_rows for table in proof.tables),
        sum(table.changed_rows for table in proof.tables),
    )
    counted = [table.table for table in proof.tables if not table.adds_up]
    lines = [f"rows that are neither documents nor refused: {lost:,}"] if lost else []
    lines += [f"documents that differ from their rows: {changed:,}"] if changed else []
    lines += [f"tables whose counts do not add up: {', '.join(counted)}"] if counted else []
    return lines + (
        [f"ids that are there twice: {whole.ids_repeated:,}"] if whole.ids_repeated else []
    )


def _missed(work: Work) -> list[str]:
    """Thresholds, by default or by rules, that were not reached."""
    coverage, tested = (
        work.result("api_coverage_analysis", Coverage),
        work.result("compliance_test", ComplianceTest),
    )
    complied = work.result("compliance_check", ComplianceCheck)
    reached = (
        ("columns of the migrated tables in the target", coverage.coverage, coverage.threshold),
        ("documents with the shape that TMF asks for", tested.outcome.share, tested.threshold),
        ("checks by rules that hold", complied.compliance, complied.threshold),
    )
    return [
        f"{what}: {share:.1%}, required {least:.0%}"
        for what, share, least in reached
        if share < least
    ]


def _figures(work: Work, balance: Balance) -> dict[str, float]:
    coverage, tested = (
        work.result("api_coverage_analysis", Coverage),
        work.result("compliance_test", ComplianceTest),
    )
    complied, speed = (
        work.result("compliance_check", ComplianceCheck),
        work.result("performance", Performance),
    )
    mapped, columns = balance.columns
    return {
        "rows": balance.rows,
        "rows_left_out": balance.left_out,
        "rows_lost": balance.lost,
        "documents": balance.documents,
        "columns": columns,
        "columns_mapped": mapped,
        "values_refused": balance.values_refused,
        "references": balance.references,
        "references_dangling": balance.references_dangling,
        "unread": sum(
            kind.count for kind in work.result("schema_extraction", ExtractedSchema).unread
        ),
        "coverage": coverage.coverage,
        "coverage_threshold": coverage.threshold,
        "validation": tested.outcome.share,
        "validation_threshold": tested.threshold,
        "compliance": complied.compliance,
        "compliance_threshold": complied.threshold,
        "rows_per_second": speed.rows_per_second,
    }


def _recommendations(work: Work, balance: Balance) -> list[str]:
    strategy, gaps = work.result("strategy", Strategy), work.result("gap_identification", Gaps)
    texts = list(strategy.recommendations)
    twice = [risk for risk in strategy.risks if "twice?" in risk]
    texts += [
        f"Look at {row.split(':')[0]} before going live: {row.split(': ', 1)[1]}" for row in twice
    ]
    texts += [
        f"{gap.subject}: {gap.text}. {gap.advice}"
        for gap in gaps.of("undecided", "unsure", "required")
    ]
    behind = [table.table for table in balance.tables if table.left_behind]
    if behind:
        texts.append(
            f"Decide what becomes of {', '.join(behind)}: name the resource of a table in a rule, "
            "leave it out by a"
            " rule, or allow the loss of its rows (--allow-lost-rows TABLE=100%)."
        )
    return texts
