"""The routes of the AI Job Engine. A read-only key cannot cause a write, see `routes`."""

from __future__ import annotations

from fastapi import APIRouter

from sortkey_systems.jobengine.routes import backups, jobs, journeys, logs, reports, rules, stages
from sortkey_systems.jobengine.service import JobEngine


def make_router(engine: JobEngine) -> APIRouter:
    """The routes of an engine."""
    router = APIRouter()
    for part in (journeys, stages, rules, jobs, logs, reports, backups):
        router.include_router(part.router(engine))
    return router
