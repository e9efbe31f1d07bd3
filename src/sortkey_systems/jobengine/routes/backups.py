"""Whole journeys over HTTP: as one document, and as backups in the bucket."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query

from sortkey import CamelPart
from sortkey_systems.jobengine.model import Journey
from sortkey_systems.jobengine.routes import examples
from sortkey_systems.jobengine.routes.arguments import (
    READ,
    WRITE,
    JourneyPath,
    Reader,
    Writer,
    example,
)
from sortkey_systems.jobengine.service import JobEngine

Complete = Annotated[
    dict[str, Any],
    Body(description="The response of `complete`, or a backup", examples=[examples.COMPLETE]),
]
ReplaceQuery = Annotated[
    bool, Query(description="Replace an existing journey; its logs and reports stay")
]


class Location(CamelPart):
    """The address of a backup."""

    location: str


def router(engine: JobEngine) -> APIRouter:
    routes = APIRouter()
    where = {"location": "s3://transformation-backups/journeys/JRN-ABC123456789/backup.json"}

    @routes.get(
        "/journeys/{journeyId}/complete",
        summary="Get a journey with all of its parts",
        responses=example(examples.COMPLETE, also=READ),
    )
    def get_journey_complete(_: Reader, journey_id: JourneyPath) -> dict[str, Any]:
        """All of a journey but its logs: metadata, stages, rules, jobs and the catalog of reports,
        as stored.
        """
        return engine.get_journey_complete(journey_id)

    @routes.post(
        "/import",
        summary="Import a whole journey",
        status_code=201,
        responses=example(examples.JOURNEY, 201, WRITE),
    )
    def import_journey_complete(
        _: Writer, data: Complete, replace: ReplaceQuery = False
    ) -> Journey:
        """Store a whole journey. An existing one is replaced only on request."""
        return engine.import_journey_complete(data, replace=replace)

    @routes.post(
        "/journeys/{journeyId}/export",
        summary="Back up a journey",
        status_code=201,
        responses=example(where, 201, WRITE),
    )
    def export_journey(_: Writer, journey_id: JourneyPath) -> Location:
        """Write a backup of the journey to the bucket of backups."""
        return Location(location=engine.export_journey(journey_id))

    @routes.post(
        "/journeys/{journeyId}/restore",
        summary="Restore a journey from its backup",
        status_code=201,
        responses=example(examples.JOURNEY, 201, WRITE),
    )
    def restore_journey(
        _: Writer, journey_id: JourneyPath, replace: ReplaceQuery = False
    ) -> Journey:
        """Restore a journey from its newest backup."""
        return engine.restore_journey(journey_id, replace=replace)

    _ = get_journey_complete, import_journey_complete, export_journey, restore_journey
    return routes
