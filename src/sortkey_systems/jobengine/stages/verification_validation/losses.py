"""Describes what is missing in the target, for people: tables, rows, references, values and
columns.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sortkey_systems.jobengine.stages.data_migration.document_checks import CheckOutcome
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
    """One line per loss. Those that affect the most rows come first."""

    tables: list[str] = field(default_factory=list[str])
    rows: list[str] = field(default_factory=list[str])
    references: list[str] = field(default_factory=list[str])
    values: list[str] = field(default_factory=list[str])
    columns: list[str] = field(default_factory=list[str])
    unread: list[str] = field(default_factory=list[str])
    left_out: list[str] = field(default_factory=list[str])
    """Excluded by rules of the journey."""


def describe_losses(work: Work, target: Target, balance: Balance) -> NotInTarget:
    """All losses, with their reasons."""
    behind = sorted(
        (counted for counted in balance.tables if counted.left_behind),
        key=lambda counted: -counted.left_behind,
    )
    rows, references, values = _Reasons(), _Reasons(), _Reasons()
    plan = work.result("etl_script", EtlPlan)
    linked = {
        (dataset.table, link.path) for dataset in plan.datasets for link in dataset.references
    }
    for table, finding in target.losses():
        kind = references if (table, finding.path) in linked else values
        (kind if finding.path else rows).add(table, finding)
    dangling = work.result("integrity", Integrity).dangling_by
    return NotInTarget(
        [f"{counted.table}, {_rows(counted.left_behind)}: {counted.reason}" for counted in behind],
        rows.lines(),
        [_dangling_text(reference) for reference in dangling] + references.lines(),
        values.lines(),
        _columns(work),
        [unread.text for unread in work.result("schema_extraction", ExtractedSchema).unread],
        _left_out(work, balance),
    )


def _dangling_text(check: CheckOutcome) -> str:
    examples = ", ".join(check.examples)
    return f"{check.check}: {check.failed:,} of {check.checked:,} lead nowhere, as in {examples}"


def _columns(work: Work) -> list[str]:
    """Unmapped columns of migrated tables. The others are lost with their table."""
    migrated = {dataset.table for dataset in work.result("etl_script", EtlPlan).datasets}
    reasons = {gap.subject: gap.text for gap in work.result("gap_identification", Gaps).gaps}
    for removal in work.result("schema_stripping", StrippedSchema).removed:
        reasons[f"{removal.table}.{removal.column}"] = removal.reason
    return [
        f"{of.table}.{column}: {reasons.get(f'{of.table}.{column}', 'it has no place')}"
        for of in work.result("api_coverage_analysis", Coverage).columns
        if of.table in migrated
        for column in of.left_behind
    ]


def _left_out(work: Work, balance: Balance) -> list[str]:
    tables = [
        f"{table.table}, {_rows(table.left_out)}: {table.reason}"
        for table in balance.tables
        if table.left_out
    ]
    removed = work.result("schema_stripping", StrippedSchema).removed
    return tables + [
        f"{removal.table}.{removal.column}: {removal.reason}"
        for removal in removed
        if removal.column and removal.is_decided
    ]


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


class _Reasons:
    """Similar findings, counted together, with a few examples."""

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
        texts = [
            f"{table}, {'once' if times == 1 else f'{times:,} times'}: {kind} "
            f"({_some(self._examples[table, kind])})"
            for (table, kind), times in self._counted.most_common()
        ]
        more = len(texts) - REASONS_MAX
        return texts[:REASONS_MAX] + (
            [f"and {more} more reasons, in the target's _findings"] if more > 0 else []
        )


def _some(values: list[str]) -> str:
    return ", ".join(values[:EXAMPLES_MAX]) + (", …" if len(values) > EXAMPLES_MAX else "")
