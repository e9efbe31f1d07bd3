"""Second Brain rules over HTTP. They are never deleted: they become inactive or deprecated."""

from __future__ import annotations

from fastapi import APIRouter, Response

from sortkey.web import Page
from sortkey_systems.jobengine.inputs import RuleChange, RuleDraft
from sortkey_systems.jobengine.model import Rule
from sortkey_systems.jobengine.routes import examples
from sortkey_systems.jobengine.routes.arguments import (
    NAME,
    READ,
    WRITE,
    Cursor,
    JourneyPath,
    Limit,
    Reader,
    RulePath,
    StageQuery,
    Writer,
    example,
)
from sortkey_systems.jobengine.routes.examples import page_of
from sortkey_systems.jobengine.service import JobEngine


def router(engine: JobEngine) -> APIRouter:
    routes = APIRouter()
    _add_rules(routes, engine)
    _add_rule(routes, engine)
    return routes


def _add_rules(routes: APIRouter, engine: JobEngine) -> None:
    @routes.get(
        "/journeys/{journeyId}/rules",
        summary="List the rules of a journey",
        responses=example(page_of(examples.RULE), also=READ),
    )
    def list_rules(
        _: Reader,
        journey_id: JourneyPath,
        stage_id: StageQuery = None,
        cursor: Cursor = None,
        limit: Limit = 100,
    ) -> Page[Rule]:
        """The rules of a journey, active or not, by stage and index."""
        engine.journeys.get(journey_id)
        page = engine.rules.page(journey_id, stage_id=stage_id, cursor=cursor, size=limit)
        return Page[Rule](items=page.items, cursor=page.cursor)

    @routes.post(
        "/journeys/{journeyId}/rules",
        summary="Add a rule",
        status_code=201,
        responses=example(examples.RULE, 201, WRITE),
    )
    def add_rule(who: Writer, journey_id: JourneyPath, body: RuleDraft, response: Response) -> Rule:
        """Add a rule after the others of its stage."""
        rule = engine.rules.add(journey_id, body, created_by=who.name)
        response.headers["Location"] = f"/{NAME}/journeys/{journey_id}/rules/{rule.rule_id}"
        return rule

    _ = list_rules, add_rule


def _add_rule(routes: APIRouter, engine: JobEngine) -> None:
    @routes.get(
        "/journeys/{journeyId}/rules/{ruleId}",
        summary="Get a rule",
        responses=example(examples.RULE, also=READ),
    )
    def get_rule(_: Reader, journey_id: JourneyPath, rule_id: RulePath) -> Rule:
        """One rule."""
        return engine.rules.get(journey_id, rule_id)

    @routes.patch(
        "/journeys/{journeyId}/rules/{ruleId}",
        summary="Change a rule",
        responses=example(examples.RULE, also=WRITE),
    )
    def change_rule(
        _: Writer, journey_id: JourneyPath, rule_id: RulePath, body: RuleChange
    ) -> Rule:
        """Change a rule. Its stage, type and index stay: they are part of its key."""
        return engine.rules.change(journey_id, rule_id, body)

    @routes.post(
        "/journeys/{journeyId}/rules/{ruleId}/deactivate",
        summary="Deactivate a rule",
        responses=example(examples.RULE, also=WRITE),
    )
    def deactivate_rule(_: Writer, journey_id: JourneyPath, rule_id: RulePath) -> Rule:
        """Stop applying it."""
        return engine.rules.deactivate(journey_id, rule_id)

    _ = get_rule, change_rule, deactivate_rule
