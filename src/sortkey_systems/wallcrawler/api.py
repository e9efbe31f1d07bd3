"""The routes of Wallcrawler, under /v1, in the shapes that published clients read. They open the
service too.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import APIRouter

from sortkey_systems.wallcrawler.connections.gate import Gate
from sortkey_systems.wallcrawler.connections.routes import add_connections
from sortkey_systems.wallcrawler.connections.webdriver.routes import add_webdriver, webdrivers
from sortkey_systems.wallcrawler.live.routes import add_live_view
from sortkey_systems.wallcrawler.replay.routes import add_replays
from sortkey_systems.wallcrawler.routes import (
    contexts,
    extensions,
    files,
    not_offered,
    projects,
    recordings,
    sessions,
)
from sortkey_systems.wallcrawler.routes.error_shape import Route
from sortkey_systems.wallcrawler.service import Wallcrawler

VERSION = "/v1"


def make_router(service: Wallcrawler) -> APIRouter:
    """The routes of a service. While they are served, the service looks after its sessions."""
    drivers = webdrivers(service)

    @asynccontextmanager
    async def opened(app: object) -> AsyncGenerator[None]:
        async with service.opened(app):
            try:
                yield
            finally:
                await drivers.close()

    router = APIRouter(lifespan=opened, route_class=Route)
    for part in (sessions, files, recordings, contexts, extensions, projects):
        router.include_router(part.router(service), prefix=VERSION)
    for add in (add_connections, add_live_view, add_replays):
        add(router, service)
    add_webdriver(router, Gate(service), drivers)
    router.include_router(not_offered.router(), prefix=VERSION)
    return router
