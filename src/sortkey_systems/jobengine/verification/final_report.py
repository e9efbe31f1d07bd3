"""verification_validation, final_report: what was migrated, what was not, and what to do about it, for a person."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sortkey_systems.jobengine.analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.mapping.api_coverage_analysis import Coverage
from sortkey_systems.jobengine.mapping.gap_identification import LOST, Gaps
from sortkey_systems.jobengine.migration.compliance_test import ComplianceTest
from sortkey_systems.jobengine.migration.ownership import open_target
from sortkey_systems.jobengine.planning.strategy import Strategy
from sortkey_systems.jobengine.stripping.schema_stripping import StrippedSchema
from sortkey_systems.jobengine.verification.compliance_check import ComplianceCheck
from sortkey_systems.jobengine.verification.integrity import Integrity
from sortkey_systems.jobengine.verification.mapping_validation import MappingValidation
from sortkey_systems.jobengine.verification.performance import Performance
from sortkey_systems.jobengine.verification.report_text import written
from sortkey_systems.jobengine.work import StepContext, Work

REASONS_MAX = 20
EXAMPLES_MAX = 4


@dataclass(slots=True)
class FinalReport:
    """The verdict, the figures behind it, and the whole as text in Markdown."""

    verdict: str
    is_passed: bool
    figures: dict[str, float]
    tables: list[dict[str, str | int]]
    left_behind: list[str]
    reasons: list[str]
    dangling: list[str]
    rules: list[str]
    recommendations: list[str] = field(default_factory=list[str])
    text: str = ""


def final_report(work: Work, ctx: StepContext) -> FinalReport:
    """Nothing new is measured here: it says what the steps before it found."""
    tested, complied = work.result("compliance_test", ComplianceTest), work.result("compliance_check", ComplianceCheck)
    proof, whole = work.result("mapping_validation", MappingValidation), work.result("integrity", Integrity)
    coverage = work.result("api_coverage_analysis", Coverage)
    is_passed = proof.is_proven and tested.is_passed and complied.is_passed and coverage.is_enough
    report = FinalReport(
        _verdict(is_passed, proof, whole),
        is_passed,
        _figures(work),
        [_line(each.table, each.resource, each.source_rows, each.documents, each.refused, each.duplicates)
         for each in proof.tables],
        _left_behind(work),
        _reasons(work),
        [f"{each.check}: {each.failed} of {each.checked} lead nowhere, as in {', '.join(each.examples)}"
         for each in whole.dangling_by],
        [f"{each.title}: {each.text}" for each in complied.rules],
        _recommendations(work),
    )  # fmt: skip
    report.text = written(report, work.source.name)
    ctx.log("INFO" if is_passed else "ERROR", report.verdict, **report.figures)
    ctx.progress(100)
    return report


def _verdict(is_passed: bool, proof: MappingValidation, whole: Integrity) -> str:
    rows = sum(each.source_rows for each in proof.tables)
    documents = sum(each.documents for each in proof.tables)
    if not proof.is_proven:
        return f"The migration lost or changed rows: {documents} documents for {rows} rows. Do not use the target."
    if not is_passed:
        return "All rows are accounted for, but a threshold was missed: see the figures."
    rest = "" if whole.is_whole else " Some references lead nowhere."
    return f"All {rows} rows are accounted for, {documents} of them as documents.{rest}"


def _figures(work: Work) -> dict[str, float]:
    coverage, tested = work.result("api_coverage_analysis", Coverage), work.result("compliance_test", ComplianceTest)
    complied, speed = work.result("compliance_check", ComplianceCheck), work.result("performance", Performance)
    whole = work.result("integrity", Integrity)
    return {
        "coverage": coverage.coverage,
        "coverage_threshold": coverage.threshold,
        "validation": tested.outcome.share,
        "validation_threshold": tested.threshold,
        "compliance": complied.compliance,
        "compliance_threshold": complied.threshold,
        "references": whole.references,
        "references_dangling": whole.dangling,
        "rows_per_second": speed.rows_per_second,
    }


def _line(table: str, resource: str, rows: int, documents: int, refused: int, twice: int) -> dict[str, str | int]:
    counts = {"rows": rows, "documents": documents, "refused": refused, "duplicates": twice}
    return {"table": table, "resource": resource, **counts}


def _left_behind(work: Work) -> list[str]:
    rows = work.result("schema_extraction", ExtractedSchema).rows
    gaps = work.result("gap_identification", Gaps).of(*LOST)
    lines = [f"{each.table}, {rows[each.table]} rows: {each.reason}"
             for each in work.result("schema_stripping", StrippedSchema).removed if each.column is None]  # fmt: skip
    for gap in gaps:
        count = f", {rows[gap.subject]} rows" if gap.kind == "table" else ""
        lines.append(f"{gap.subject}{count}: {gap.text}")
    removed = [each for each in work.result("schema_stripping", StrippedSchema).removed if each.column]
    return lines + [f"{each.table}.{each.column}: {each.reason}" for each in removed]


def _reasons(work: Work) -> list[str]:
    """Why rows and values were not taken over, alike ones together."""
    counted: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], list[str]] = {}
    with open_target(work) as target:
        for table, finding in target.findings():
            kind = "the id is that of an earlier row" if finding.reason.startswith("duplicate") else finding.reason
            if finding.path:
                kind = f"{finding.path}: {finding.reason.replace(repr(finding.value), 'the value')}"
            counted[table, kind] += 1
            some = examples.setdefault((table, kind), [])
            value = finding.value or finding.origin.partition(":")[2]
            if value not in some and len(some) <= EXAMPLES_MAX:
                some.append(value)
    lines = [f"{each[0]}, {times} times: {each[1]} ({_some(examples[each])})" for each, times in counted.items()]
    more = len(lines) - REASONS_MAX
    return lines[:REASONS_MAX] + ([f"and {more} reasons more, in the target's _findings"] if more > 0 else [])


def _some(values: list[str]) -> str:
    return ", ".join(values[:EXAMPLES_MAX]) + (", …" if len(values) > EXAMPLES_MAX else "")


def _recommendations(work: Work) -> list[str]:
    strategy, gaps = work.result("strategy", Strategy), work.result("gap_identification", Gaps)
    found = list(strategy.recommendations)
    twice = [risk for risk in strategy.risks if "twice?" in risk]
    found += [f"Look at {each.split(':')[0]} before going live: {each.split(': ', 1)[1]}" for each in twice]
    found += [f"{each.subject}: {each.text}. {each.advice}" for each in gaps.of("undecided", "unsure", "required")]
    lost = gaps.of("table")
    if lost:
        names = ", ".join(each.subject for each in lost)
        found.append(f"Decide what becomes of {names}: TMF620, 622, 629 and 633 have no resource for them.")
    return found
