"""tmf_mapping, api_coverage_analysis: how many source columns are mapped, and how complete each
resource is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.rules.rule_book import rule_book
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import AttributeMappings
from sortkey_systems.jobengine.stages.tmf_mapping.column_coverage import (
    TableColumns,
    columns_of_source,
)
from sortkey_systems.jobengine.stages.tmf_mapping.relationship_mapping import RelationshipMappings
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches
from sortkey_systems.jobengine.stages.work import StepContext, Work
from sortkey_systems.jobengine.tmf import resources


@dataclass(slots=True)
class ResourceCoverage:
    """Attributes of one table's resource that have a source, and required ones without."""

    table: str
    resource: str
    api: str
    filled: list[str]
    attributes: int
    missing_required: list[str]
    """Neither a column nor a default."""
    defaulted: list[str]
    undecided: dict[str, list[str]]
    """Attributes that get no default, because one of these columns may hold the value."""


@dataclass(slots=True)
class Coverage:
    """`coverage` is the share of the columns of migrated tables that have a place, `of_source` that
    of all columns of the source. The rules' `threshold` is for the first: a table that stays behind
    is judged by its rows."""

    resources: list[ResourceCoverage]
    columns: list[TableColumns]
    coverage: float
    of_source: float
    threshold: float
    apis: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    @property
    def is_enough(self) -> bool:
        return self.coverage >= self.threshold


def api_coverage_analysis(work: Work, ctx: StepContext) -> Coverage:
    """Count mapped columns of the source and filled attributes of TMF."""
    matches = work.result("tmf_api_matching", ApiMatches)
    mappings = work.result("attribute_mapping", AttributeMappings)
    links = work.result("relationship_mapping", RelationshipMappings)
    threshold = rule_book(work.rules, "tmf_mapping").threshold("coverage")
    coverages = [_of(match.table, matches, mappings, links) for match in matches.matches]
    columns, migrated = (
        columns_of_source(work),
        {*(match.table for match in matches.matches), *matches.junctions},
    )
    share = _share([column for column in columns if column.table in migrated])
    coverage = Coverage(coverages, columns, share, _share(columns), threshold)
    for filled in coverages:
        coverage.apis.setdefault(filled.api, []).append(filled.resource)
        ctx.log(
            "INFO",
            f"{filled.table}: {len(filled.filled)} of {filled.attributes} attributes of {filled.resource}",
        )
    verdict = "enough" if coverage.is_enough else "too little"
    text = (
        f"{coverage.coverage:.0%} of the columns of migrated tables have a place, {verdict}: "
        f"{threshold:.0%} are asked"
        f" for; of all columns of the source it is {coverage.of_source:.0%}"
    )
    ctx.log(
        "INFO" if coverage.is_enough else "WARNING",
        text,
        coverage=coverage.coverage,
        threshold=threshold,
    )
    ctx.progress(100)
    return coverage


def _of(
    table: str, matches: ApiMatches, mappings: AttributeMappings, links: RelationshipMappings
) -> ResourceCoverage:
    match, mapping = matches.of(table), mappings.of(table)
    assert match is not None
    assert mapping is not None
    resource = resources()[match.resource]
    filled = {
        "id",
        *(field.path for field in mapping.fields),
        *(link.path for link in links.of(table)),
    }
    empty = [attribute for attribute in resource.required if attribute.path not in filled]
    return ResourceCoverage(
        table,
        resource.name,
        resource.api,
        sorted(filled),
        len(resource.attributes),
        [attribute.path for attribute in empty if attribute.path not in mapping.defaults],
        [attribute.path for attribute in empty if attribute.path in mapping.defaults],
        mapping.undecided,
    )


def _share(columns: list[TableColumns]) -> float:
    counted = sum(column.counted for column in columns)
    return round(sum(len(column.mapped) for column in columns) / counted, 4) if counted else 0.0
