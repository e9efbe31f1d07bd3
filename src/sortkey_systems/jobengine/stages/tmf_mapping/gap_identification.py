"""tmf_mapping, gap_identification: data without a place in TMF, required attributes without data,
and guesses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sortkey_systems.jobengine.stages.tmf_mapping.api_coverage_analysis import Coverage
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import AttributeMappings
from sortkey_systems.jobengine.stages.tmf_mapping.relationship_mapping import RelationshipMappings
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches
from sortkey_systems.jobengine.stages.work import StepContext, Work

SURE_MIN = 0.75
GapKind = Literal[
    "table", "column", "reference", "required", "undecided", "defaulted", "characteristic", "unsure"
]
LOST: tuple[GapKind, ...] = ("table", "column", "reference")
"""Gaps that lose data."""


@dataclass(slots=True)
class Gap:
    """A gap, and how it is handled."""

    kind: GapKind
    subject: str
    text: str
    advice: str


@dataclass(slots=True)
class Gaps:
    """All gaps. Those that lose data come first."""

    gaps: list[Gap]

    def of(self, *kinds: GapKind) -> list[Gap]:
        return [gap for gap in self.gaps if gap.kind in kinds]


def gap_identification(work: Work, ctx: StepContext) -> Gaps:
    """List everything that is not migrated, with a way to change that."""
    matches, mappings = (
        work.result("tmf_api_matching", ApiMatches),
        work.result("attribute_mapping", AttributeMappings),
    )
    links, coverage = (
        work.result("relationship_mapping", RelationshipMappings),
        work.result("api_coverage_analysis", Coverage),
    )
    gaps = [
        Gap(
            "table",
            table,
            reason,
            "Name its resource in a rule of type field_mapping, or leave it behind.",
        )
        for table, reason in matches.unmatched
    ]
    gaps += _columns(mappings)
    gaps += [
        Gap(
            "reference",
            f"{table}.{column}",
            reason,
            "Map the other table, or keep the column by a rule.",
        )
        for table, column, reason in links.unmapped
    ]
    gaps += _required(coverage)
    for gap in gaps:
        ctx.log(
            "WARNING" if gap.kind in (*LOST, "undecided") else "INFO",
            f"{gap.kind} {gap.subject}: {gap.text}",
            kind=gap.kind,
        )
    ctx.progress(100)
    return Gaps(gaps)


def _columns(mappings: AttributeMappings) -> list[Gap]:
    gaps: list[Gap] = []
    for table in mappings.tables:
        for column in table.unmapped:
            text = f"{table.resource} has no attribute for it and takes no characteristics"
            gaps.append(
                Gap(
                    "column",
                    f"{table.table}.{column}",
                    text,
                    "Map it by a rule, or leave it behind.",
                )
            )
        for column in table.characteristics:
            text = f"{table.resource} has no attribute for it; it is kept as a characteristic"
            gaps.append(
                Gap("characteristic", f"{table.table}.{column}", text, "Nothing needs to be done.")
            )
        for field in table.fields:
            if field.confidence < SURE_MIN:
                text = f"mapped to {table.resource}.{field.path} with confidence {field.confidence}"
                gaps.append(
                    Gap(
                        "unsure",
                        f"{table.table}.{field.column}",
                        text,
                        "Look at it, and say so in a rule.",
                    )
                )
    return sorted(gaps, key=lambda gap: gap.kind not in LOST)


def _required(coverage: Coverage) -> list[Gap]:
    gaps: list[Gap] = []
    for resource in coverage.resources:
        for path, columns in resource.undecided.items():
            text = f"no default is used for it, because {', '.join(columns)} of {resource.table} may be it"
            advice = (
                "Map the column by a rule, with what its values mean, or set a default by a rule."
            )
            gaps.append(Gap("undecided", f"{resource.resource}.{path}", text, advice))
        for path in (path for path in resource.missing_required if path not in resource.undecided):
            text = f"TMF requires it, and {resource.table} has no column for it"
            gaps.append(
                Gap(
                    "required", f"{resource.resource}.{path}", text, "Map a column to it by a rule."
                )
            )
        for path in resource.defaulted:
            text = f"TMF requires it; it is filled by a default for {resource.table}"
            gaps.append(
                Gap("defaulted", f"{resource.resource}.{path}", text, "Nothing needs to be done.")
            )
    return gaps
