"""The stages of a journey over HTTP, with the rules and jobs of each."""

from __future__ import annotations

from fastapi import APIRouter

from sortkey_systems.jobengine.inputs import StageChange
from sortkey_systems.jobengine.model import Rule, Stage, StageJob
from sortkey_systems.jobengine.routes import examples
from sortkey_systems.jobengine.routes.arguments import (
    READ,
    WRITE,
    JourneyPath,
    Reader,
    StagePath,
    Writer,
    example,
)
from sortkey_systems.jobengine.service import JobEngine


def router(engine: JobEngine) -> APIRouter:
    routes = APIRouter()
    _add_stage(routes, engine)
    _add_contents(routes, engine)
    return routes


def _add_stage(routes: APIRouter, engine: JobEngine) -> None:
    @routes.get(
        "/journeys/{journeyId}/stages",
        summary="List the stages of a journey",
        responses=example([examples.STAGE], also=READ),
    )
    def list_stages(_: Reader, journey_id: JourneyPath) -> list[Stage]:
        """The stages in order."""
        return engine.journeys.stages(journey_id)

    @routes.get(
        "/journeys/{journeyId}/stages/{stageId}",
        summary="Get a stage",
        responses=example(examples.STAGE, also=READ),
    )
    def get_stage(_: Reader, journey_id: JourneyPath, stage_id: StagePath) -> Stage:
        """One stage, with its steps."""
        return engine.journeys.stage(journey_id, stage_id)

    @routes.patch(
        "/journeys/{journeyId}/stages/{stageId}",
        summary="Change a stage",
        responses=example(examples.STAGE, also=WRITE),
    )
    def change_stage(
        _: Writer, journey_id: JourneyPath, stage_id: StagePath, body: StageChange
    ) -> Stage:
        """Change whether it may be skipped, and whether rules assist it."""
        return engine.journeys.change_stage(journey_id, stage_id, body)

    @routes.post(
        "/journeys/{journeyId}/stages/{stageId}/skip",
        summary="Skip a stage",
        responses=example(examples.STAGE, also=WRITE),
    )
    def skip_stage(_: Writer, journey_id: JourneyPath, stage_id: StagePath) -> Stage:
        """Bypass a stage, if its canSkip allows it."""
        return engine.journeys.skip_stage(journey_id, stage_id)

    _ = list_stages, get_stage, change_stage, skip_stage


def _add_contents(routes: APIRouter, engine: JobEngine) -> None:
    @routes.get(
        "/journeys/{journeyId}/stages/{stageId}/rules",
        summary="List the rules of a stage",
        responses=example([examples.RULE], also=READ),
    )
    def list_rules_of_stage(_: Reader, journey_id: JourneyPath, stage_id: StagePath) -> list[Rule]:
        """The active rules that apply to a stage, as they are executed: critical, high, medium,
        low.
        """
        engine.journeys.stage(journey_id, stage_id)
        return engine.rules.for_stage(journey_id, stage_id)

    @routes.get(
        "/journeys/{journeyId}/stages/{stageId}/dashboard",
        summary="See the jobs of a stage",
        responses=example([examples.LINE], also=READ),
    )
    def show_dashboard(_: Reader, journey_id: JourneyPath, stage_id: StagePath) -> list[StageJob]:
        """The jobs of a stage with status, progress and times, from one query of the index."""
        engine.journeys.stage(journey_id, stage_id)
        return engine.dashboard(journey_id, stage_id)

    _ = list_rules_of_stage, show_dashboard
