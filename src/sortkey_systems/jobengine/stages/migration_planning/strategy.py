"""migration_planning, strategy: the order of tables, the batch size, and the risks."""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.rules.rule_book import rule_book
from sortkey_systems.jobengine.stages.raw_analysis.data_profiling import Profile
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.tmf_mapping.api_coverage_analysis import Coverage
from sortkey_systems.jobengine.stages.tmf_mapping.relationship_mapping import RelationshipMappings
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches
from sortkey_systems.jobengine.stages.work import StepContext, Work

ROWS_PER_SECOND = 5_000
"""Rows per second of one process on a small machine. Used only for the estimate."""


@dataclass(slots=True)
class Strategy:
    """Tables in transfer order: referenced tables come first."""

    order: list[str]
    rows: int
    batch_rows: int
    estimated_seconds: int
    risks: list[str] = field(default_factory=list[str])
    recommendations: list[str] = field(default_factory=list[str])


def strategy(work: Work, ctx: StepContext) -> Strategy:
    """One pass over each table, in resumable batches."""
    schema, matches = (
        work.result("schema_extraction", ExtractedSchema),
        work.result("tmf_api_matching", ApiMatches),
    )
    links = work.result("relationship_mapping", RelationshipMappings)
    order = _ordered([match.table for match in matches.matches], links)
    rows = sum(schema.rows[table] for table in order)
    result = Strategy(order, rows, work.batch_rows, -(-rows // ROWS_PER_SECOND))
    result.risks = _risks(
        order,
        work.result("data_profiling", Profile),
        work.result("api_coverage_analysis", Coverage),
    )
    book = rule_book(work.rules, "migration_planning")
    result.recommendations = [
        str(decision.directive.value) for decision in book.of_kind("recommend")
    ]
    for risk in result.risks:
        ctx.log("WARNING", risk)
    ctx.log(
        "INFO",
        f"{len(order)} tables, {rows} rows, in batches of {work.batch_rows}",
        tables=order,
        rows=rows,
    )
    ctx.progress(100)
    return result


def _ordered(tables: list[str], links: RelationshipMappings) -> list[str]:
    """Sort tables after those they refer to. A cycle is broken at the first name."""
    needs = {
        table: {link.target_table for link in links.of(table) if link.kind == "own"} - {table}
        for table in tables
    }
    order: list[str] = []
    while len(order) < len(tables):
        remaining = sorted(set(tables) - set(order))
        free = [table for table in remaining if needs[table] <= set(order)]
        order += free or remaining[:1]
    return order


def _risks(order: list[str], profile: Profile, coverage: Coverage) -> list[str]:
    risks = [f"{table}: {issue}" for table in order for issue in profile.table(table).issues]
    for resource in coverage.resources:
        risks += [
            f"{resource.table}: TMF requires {resource.resource}.{path}"
            for path in resource.missing_required
        ]
    if not coverage.is_enough:
        risks.append(
            f"only {coverage.coverage:.0%} of the columns have a place; {coverage.threshold:.0%} "
            "are asked for"
        )
    return risks
