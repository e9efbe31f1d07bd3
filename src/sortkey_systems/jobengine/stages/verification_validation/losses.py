"""What of the source is not in the target, as lines for a person: tables, rows, references, values
and columns.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sortkey_systems.jobengine.stages.data_migration.documents import Finding
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.migration_planning.etl_script import EtlPlan
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.stripped_schema.schema_stripping import StrippedSchema
from sortkey_systems.jobengine.stages.tmf_mapping.api_coverage_analysis import Coverage
from sortkey_systems.jobengine.stages.tmf_mapping.gap_identification import Gaps
from sortkey_systems.jobengine.stages.verification_validation.balance import Balance
from sortkey_systems.jobengine.stages.verification_validation.integrity import Integrity
from sortkey_systems.jobengine.stages.work import Work

REASONS_MAX = 20
EXAMPLES_MAX = 4


@dataclass(slots=True)
class NotInTarget:
    """A line for each loss; those that concern most rows first."""

    tables: list[str] = field(default_factory=list[str])
    rows: list[str] = field(default_factory=list[str])
    references: list[str] = field(default_factory=list[str])
    values: list[str] = field(default_factory=list[str])
    columns: list[str] = field(default_factory=list[str])
    unread: list[str] = field(default_factory=list[str])
    left_out: list[str] = field(default_factory=list[str])
    """By rules of the journey: somebody decided it."""


def describe_losses(work: Work, target: Target, balance: Balance) -> NotInTarget:
    """All that is lost, with the reasons."""
    behind = sorted(
        (each for each in balance.tables if each.left_behind), key=lambda each: -each.left_behind
    )
    rows, references, values = _Reasons(), _Reasons(), _Reasons()
    plan = work.result("etl_script", EtlPlan)
    linked = {(each.table, link.path) for each in plan.datasets for link in each.references}
    for table, finding in target.losses():
        kind = references if (table, finding.path) in linked else values
        (kind if finding.path else rows).add(table, finding)
    dangling = work.result("integrity", Integrity).dangling_by
    return NotInTarget(
        [f"{each.table}, {_rows(each.left_behind)}: {each.reason}" for each in behind],
        rows.lines(),
        [f"{each.check}: {each.failed:,} of {each.checked:,} lead nowhere, as in {', '.join(each.examples)}"
         for each in dangling] + references.lines(),
        values.lines(),
        _columns(work),
        [each.text for each in work.result("schema_extraction", ExtractedSchema).unread],
        _left_out(work, balance),
    )  # fmt: skip


def _columns(work: Work) -> list[str]:
    """Of tables that were migrated: those of a table that stays behind go with it."""
    migrated = {each.table for each in work.result("etl_script", EtlPlan).datasets}
    reasons = {gap.subject: gap.text for gap in work.result("gap_identification", Gaps).gaps}
    for each in work.result("schema_stripping", StrippedSchema).removed:
        reasons[f"{each.table}.{each.column}"] = each.reason
    return [
        f"{each.table}.{column}: {reasons.get(f'{each.table}.{column}', 'it has no place')}"
        for each in work.result("api_coverage_analysis", Coverage).columns
        if each.table in migrated
        for column in each.left_behind
    ]


def _left_out(work: Work, balance: Balance) -> list[str]:
    tables = [
        f"{each.table}, {_rows(each.left_out)}: {each.reason}"
        for each in balance.tables
        if each.left_out
    ]
    removed = work.result("schema_stripping", StrippedSchema).removed
    return tables + [
        f"{each.table}.{each.column}: {each.reason}"
        for each in removed
        if each.column and each.is_decided
    ]


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


class _Reasons:
    """Findings that are alike, counted together, with a few examples."""

    def __init__(self) -> None:
        self._counted: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], list[str]] = {}

    def add(self, table: str, finding: Finding) -> None:
        kind = (
            "the id is that of an earlier row"
            if finding.reason.startswith("duplicate")
            else finding.reason
        )
        if finding.path:
            kind = f"{finding.path}: {finding.reason.replace(repr(finding.value), 'the value')}"
        self._counted[table, kind] += 1
        some = self._examples.setdefault((table, kind), [])
        value = finding.value or finding.origin.partition(":")[2]
        if value not in some and len(some) <= EXAMPLES_MAX:
            some.append(value)

    def lines(self) -> list[str]:
        found = [
            f"{table}, {'once' if times == 1 else f'{times:,} times'}: {kind} "
            f"({_some(self._examples[table, kind])})"
            for (table, kind), times in self._counted.most_common()
        ]
        more = len(found) - REASONS_MAX
        return found[:REASONS_MAX] + (
            [f"and {more} more reasons, in the target's _findings"] if more > 0 else []
        )


def _some(values: list[str]) -> str:
    return ", ".join(values[:EXAMPLES_MAX]) + (", …" if len(values) > EXAMPLES_MAX else "")
