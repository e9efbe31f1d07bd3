"""Journeys over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response, status

from sortkey.web import Page
from sortkey_systems.jobengine.inputs import JourneyChange, JourneyDraft
from sortkey_systems.jobengine.model import Job, Journey
from sortkey_systems.jobengine.parts import Aggregates, JourneyStatus
from sortkey_systems.jobengine.routes import examples
from sortkey_systems.jobengine.routes.arguments import (
    LISTED,
    NAME,
    READ,
    WRITE,
    Cursor,
    JourneyPath,
    Limit,
    Reader,
    Writer,
    example,
)
from sortkey_systems.jobengine.routes.examples import page_of
from sortkey_systems.jobengine.service import JobEngine

StatusQuery = Annotated[JourneyStatus | None, Query(description="Only those of this status")]
ActiveQuery = Annotated[bool, Query(description="Only those that are pending, running or paused")]
PurgeQuery = Annotated[bool, Query(description="Also delete its logs and reports permanently")]
RunQuery = Annotated[
    bool | None, Query(description="Continue running; by default if the journey was run as a whole")
]


def router(engine: JobEngine) -> APIRouter:
    routes = APIRouter()
    _add_lists(routes, engine)
    _add_journey(routes, engine)
    _add_life(routes, engine)
    return routes


def _add_lists(routes: APIRouter, engine: JobEngine) -> None:
    @routes.get(
        "/journeys",
        summary="List journeys",
        responses=example(page_of(examples.JOURNEY), also=LISTED),
    )
    def list_journeys(
        _: Reader,
        status: StatusQuery = None,
        active: ActiveQuery = False,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> Page[Journey]:
        """Journeys by creation, oldest first, page by page."""
        page = engine.journeys.page(status=status, active=active, cursor=cursor, size=limit)
        return Page[Journey](items=page.items, cursor=page.cursor)

    @routes.get(
        "/queue",
        summary="List what is processed next",
        responses=example([examples.JOURNEY], also=LISTED),
    )
    def list_queue(_: Reader, limit: Limit = 50) -> list[Journey]:
        """Active journeys in processing order: critical first, then the oldest."""
        return engine.journeys.active()[:limit]

    _ = list_journeys, list_queue


def _add_journey(routes: APIRouter, engine: JobEngine) -> None:
    @routes.post(
        "/journeys",
        summary="Create a journey",
        status_code=status.HTTP_201_CREATED,
        responses=example(examples.JOURNEY, 201, WRITE),
    )
    def create_journey(who: Writer, body: JourneyDraft, response: Response) -> Journey:
        """Create a journey with its six stages and its rules: all or nothing."""
        journey = engine.create_journey(body, created_by=who.name)
        response.headers["Location"] = f"/{NAME}/journeys/{journey.journey_id}"
        return journey

    @routes.get(
        "/journeys/{journeyId}",
        summary="Get a journey",
        responses=example(examples.JOURNEY, also=READ),
    )
    def get_journey(_: Reader, journey_id: JourneyPath) -> Journey:
        """One journey, with its aggregates."""
        return engine.journeys.get(journey_id)

    @routes.patch(
        "/journeys/{journeyId}",
        summary="Change a journey",
        responses=example(examples.JOURNEY, also=WRITE),
    )
    def change_journey(_: Writer, journey_id: JourneyPath, body: JourneyChange) -> Journey:
        """Change its name, description, priority or allowed losses."""
        return engine.journeys.change(journey_id, body)

    @routes.delete(
        "/journeys/{journeyId}",
        summary="Delete a journey",
        status_code=status.HTTP_204_NO_CONTENT,
        responses=WRITE,
    )
    def delete_journey(_: Writer, journey_id: JourneyPath, purge: PurgeQuery = False) -> None:
        """Delete a journey with its stages, rules and jobs. Its logs and reports stay, unless a
        purge is requested.
        """
        engine.journeys.delete(journey_id, purge=purge)

    _ = create_journey, get_journey, change_journey, delete_journey


def _add_life(routes: APIRouter, engine: JobEngine) -> None:
    changed = example(examples.JOURNEY, also=WRITE)

    @routes.post(
        "/journeys/{journeyId}/run",
        summary="Run a journey",
        status_code=202,
        responses=example(examples.STARTED, 202, WRITE),
    )
    def run_journey(_: Writer, journey_id: JourneyPath) -> Job:
        """Run all remaining stages, one after the other. Returns the first job."""
        return engine.run_journey(journey_id)

    @routes.post("/journeys/{journeyId}/pause", summary="Pause a journey", responses=changed)
    def pause_journey(_: Writer, journey_id: JourneyPath) -> Journey:
        """Start nothing more. A running job ends normally."""
        return engine.journeys.pause(journey_id)

    @routes.post("/journeys/{journeyId}/resume", summary="Resume a journey", responses=changed)
    def resume_journey(_: Writer, journey_id: JourneyPath, run: RunQuery = None) -> Journey:
        """End a pause and continue."""
        return engine.resume_journey(journey_id, run=run)

    @routes.post("/journeys/{journeyId}/cancel", summary="Cancel a journey", responses=changed)
    def cancel_journey(_: Writer, journey_id: JourneyPath) -> Journey:
        """Cancel it permanently. A running job stops at its next safe point."""
        return engine.cancel_journey(journey_id)

    @routes.post(
        "/journeys/{journeyId}/aggregates",
        summary="Recompute the aggregates of a journey",
        responses=example(examples.AGGREGATES, also=WRITE),
    )
    def rebuild_aggregates(_: Writer, journey_id: JourneyPath) -> Aggregates:
        """Recompute its counts of jobs, logs and rules."""
        return engine.rebuild_aggregates(journey_id)

    _ = run_journey, pause_journey, resume_journey, cancel_journey, rebuild_aggregates
