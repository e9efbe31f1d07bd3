"""Parts of the interface that are not offered, and paths and methods that are not part of it: each
answered in its shape.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from sortkey.web import methods_at
from sortkey_systems.wallcrawler.routes.error_shape import Route, error_answer

NAMES = ("certificates", "fetch", "search", "webhooks", "secrets", "agents", "functions")
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"]


def router() -> APIRouter:
    """The last of the routes: they take what no other has taken."""
    made = APIRouter(route_class=Route, include_in_schema=False)

    @made.api_route("/{path:path}", methods=METHODS)
    def other(path: str, request: Request) -> Response:
        name = path.partition("/")[0]
        if name in NAMES:
            return error_answer(501, "NotOffered", f"{name} are not offered by this server")
        allowed = methods_at(request.app.openapi(), request.url.path)
        if allowed:
            message = f"{request.url.path} does not allow {request.method}: see /docs"
            return error_answer(405, "MethodNotAllowed", message, {"Allow": ", ".join(allowed)})
        message = f"there is nothing at {request.url.path}: /docs lists what there is"
        return error_answer(404, "NotFound", message)

    _ = other
    return made
