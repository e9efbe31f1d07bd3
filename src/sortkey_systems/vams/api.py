"""The routes of VAMS. All but the public ones are behind tier 1 of authorization."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Depends

from sortkey_systems.vams.routes import (
    api_keys,
    assets,
    comments,
    constraints,
    databases,
    downloads,
    executions,
    exports,
    file_changes,
    files,
    ingest,
    links,
    login,
    metadata,
    pipelines,
    roles,
    schemas,
    search,
    start,
    subscriptions,
    tags,
    uploads,
    users,
    versions,
    workflows,
)
from sortkey_systems.vams.routes.callers import authenticated, tier_1
from sortkey_systems.vams.routes.error_shape import Route
from sortkey_systems.vams.service import Vams

PUBLIC = (start.public_router, login.router)
"""Routes without a token: what a client asks before it signs in, and the login."""
KNOWN = (start.known_router,)
"""Routes for every caller who is known: about themselves."""
PARTS: tuple[Callable[[Vams], APIRouter], ...] = (
    roles.router,
    constraints.router,
    api_keys.router,
    users.router,
    databases.router,
    assets.router,
    versions.router,
    links.router,
    search.router,
    metadata.router,
    schemas.router,
    tags.router,
    comments.router,
    subscriptions.router,
    exports.router,
    files.router,
    file_changes.router,
    downloads.router,
    uploads.router,
    ingest.router,
    pipelines.router,
    workflows.router,
    executions.router,
)
"""Routes behind tier 1: functions from the service to their router."""


def make_router(service: Vams) -> APIRouter:
    """The routes of a service."""
    root = APIRouter(route_class=Route)
    for public in PUBLIC:
        root.include_router(public(service))
    for part in KNOWN:
        root.include_router(part(service), dependencies=[Depends(authenticated(service))])
    for part in PARTS:
        root.include_router(part(service), dependencies=[Depends(tier_1(service))])
    if service.base_path:  # the SDK asks at /vams, without a slash, and follows no redirection
        root.add_api_route("", login.endpoint(service), methods=["POST"], include_in_schema=False)
    return root
