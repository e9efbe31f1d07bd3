"""tmf_mapping, tmf_api_matching: matches tables to TMF resources, with the confidence of each
match.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.rules.rule_book import Application, Decision, rule_book
from sortkey_systems.jobengine.stages.stripped_schema.data_model_simplification import (
    SimpleEntity,
    SimpleModel,
)
from sortkey_systems.jobengine.stages.tmf_mapping.match_scores import RESOURCE_MIN, resource_score
from sortkey_systems.jobengine.stages.work import StepContext, Work
from sortkey_systems.jobengine.tmf import Resource, resources


@dataclass(slots=True)
class ResourceMatch:
    """A table and its resource. `rule` is the deciding rule, or None if names decided."""

    table: str
    resource: str
    api: str
    confidence: float
    rule: str | None = None
    alternatives: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])


@dataclass(slots=True)
class ApiMatches:
    """Tables with a resource, junctions, and tables without a resource."""

    matches: list[ResourceMatch]
    junctions: list[str]
    unmatched: list[tuple[str, str]]
    """With the reason."""
    rules: list[Application] = field(default_factory=list[Application])

    def of(self, table: str) -> ResourceMatch | None:
        return next((match for match in self.matches if match.table == table), None)


def tmf_api_matching(work: Work, ctx: StepContext) -> ApiMatches:
    """Apply rules first, then take the best score if it is high enough."""
    model = work.result("data_model_simplification", SimpleModel)
    book = rule_book(work.rules, "tmf_mapping")
    result = ApiMatches([], [], [])
    for number, entity in enumerate(model.entities, 1):
        decision = book.mapped(entity.table)
        match = _by_rule(entity, decision) if decision else None
        if decision and match is None:
            ctx.log(
                "WARNING",
                f"{decision.rule_id} names {decision.directive.target}, "
                "which is not a TMF resource",
            )
        if match is None and entity.kind == "junction":
            result.junctions.append(entity.table)
        else:
            match = match or _by_score(entity, result.unmatched)
            if match:
                result.matches.append(match)
                text = (
                    f"{entity.table} is {match.resource} ({match.api}), confidence "
                    f"{match.confidence}"
                )
                ctx.log("INFO", text, table=entity.table, resource=match.resource)
        ctx.progress(100 * number // len(model.entities))
    for table, reason in result.unmatched:
        ctx.log("WARNING", f"{table} has no TMF resource: {reason}", table=table)
    result.rules = book.outcome()
    return result


def _by_rule(entity: SimpleEntity, decision: Decision) -> ResourceMatch | None:
    resource = resources().get(decision.directive.target)
    return resource and ResourceMatch(
        entity.table, resource.name, resource.api, 1.0, decision.rule_id
    )


def _by_score(entity: SimpleEntity, unmatched: list[tuple[str, str]]) -> ResourceMatch | None:
    scored = sorted(
        (
            (resource_score(entity.table, entity.fields, resource), resource)
            for resource in resources().values()
        ),
        key=lambda pair: (-pair[0], pair[1].name),
    )
    score, best = scored[0]
    if score < RESOURCE_MIN:
        unmatched.append(
            (entity.table, f"no resource is like it; the nearest, {best.name}, fits at {score:.0%}")
        )
        return None
    others: list[tuple[str, float]] = [
        (other_score.name, other) for other, other_score in scored[1:3]
    ]
    return ResourceMatch(entity.table, best.name, best.api, min(score, 0.99), None, others)


def resource_of(match: ResourceMatch) -> Resource:
    return resources()[match.resource]
