"""The AI Job Engine for the host of REST interfaces. A key that may read can cause no write; see `routes`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from fastapi import APIRouter

from sortkey import JobWorker, Objects, Store
from sortkey.web import System
from sortkey_systems.jobengine.buckets import BACKUPS, LOGS, REPORTS, Buckets
from sortkey_systems.jobengine.execution.places import Places
from sortkey_systems.jobengine.routes import backups, jobs, journeys, logs, reports, rules
from sortkey_systems.jobengine.routes.arguments import NAME
from sortkey_systems.jobengine.service import JobEngine

DESCRIPTION = "Journeys of six stages that migrate a database, with their rules, jobs, logs and reports."
DATABASES = "SORTKEY_JOBENGINE_DATABASES"
"""An environment variable: `1` lets journeys that come over REST name a PostgreSQL server."""


def system(engine: JobEngine, *, workers: Sequence[JobWorker] = ()) -> System:
    """The routes of an engine, and what works beside them."""
    made = APIRouter()
    for part in (journeys, rules, jobs, logs, reports, backups):
        made.include_router(part.router(engine))
    return System(NAME, made, DESCRIPTION, workers=workers, service=engine)


def mount(store: Store, objects: Mapping[str, Objects], folder: Path) -> System:
    """The engine on the store and the buckets of a host. Files that journeys name lie in the folder."""
    places = Places(root=folder, databases=os.environ.get(DATABASES) == "1")
    engine = JobEngine(store, Buckets(objects[LOGS], objects[REPORTS], objects[BACKUPS]), places=places)
    engine.ensure()
    return system(engine, workers=[engine.worker()])
