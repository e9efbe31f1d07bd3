"""Parts of the interface that are not offered, and paths that are not part of it: each answered in
its shape.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from sortkey_systems.wallcrawler.routes.error_shape import Route, error_answer

NAMES = ("certificates", "fetch", "search", "webhooks", "secrets", "agents", "functions")
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def router() -> APIRouter:
    """The last of the routes: they take what no other has taken."""
    made = APIRouter(route_class=Route, include_in_schema=False)

    @made.api_route("/{path:path}", methods=METHODS)
    def other(path: str, request: Request) -> Response:
        name = path.partition("/")[0]
        if name in NAMES:
            return error_answer(501, "NotOffered", f"{name} are not offered by this server")
        return error_answer(
            404, "NotFound", f"there is nothing at {request.url.path}: /docs lists what there is"
        )

    _ = other
    return made
