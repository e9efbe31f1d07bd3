"""The REST app: each system under its name, with one OpenAPI document, error shape and health
check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter, FastAPI
from pydantic import BaseModel

from sortkey import __version__
from sortkey.origins import OriginPolicy
from sortkey.peers import IsGuest
from sortkey.runtime.objects import Objects
from sortkey.systems.data_folder import OBJECTS_PATH
from sortkey.web.api_keys import ApiKeys
from sortkey.web.document import use_own_document
from sortkey.web.errors import ANY_ERROR, add_error_handlers
from sortkey.web.guards import JSON_BYTES_MAX, Guards
from sortkey.web.guest_check import GuestCheck
from sortkey.web.object_host import object_router
from sortkey.web.origin_check import OriginCheck
from sortkey.web.reference import add_reference
from sortkey.web.tokens import Tokens

TITLE = "Sortkey"


@dataclass(frozen=True)
class Mount:
    """Routes under a name, or `at_root` of the app.

    `large_bodies` and `any_origin` are patterns of paths, such as "/files/*". Routes of
    `large_bodies` limit the size of request bodies themselves. Web pages of other sites may call
    routes of `any_origin`.
    """

    name: str
    router: APIRouter
    description: str = ""
    at_root: bool = False
    large_bodies: tuple[str, ...] = ()
    any_origin: tuple[str, ...] = ()

    @property
    def prefix(self) -> str:
        return "" if self.at_root else f"/{self.name}"


class Health(BaseModel):
    """The server answers."""

    status: Literal["ok"] = "ok"
    version: str = __version__
    systems: list[str]


def make_app(
    mounts: Sequence[Mount],
    *,
    tokens: Tokens | None = None,
    keys: ApiKeys | None = None,
    objects: Mapping[str, Objects] | None = None,
    title: str = TITLE,
    bytes_max: int = JSON_BYTES_MAX,
    unlimited: Sequence[str] = (),
    origins: OriginPolicy | None = None,
    is_guest: IsGuest | None = None,
) -> FastAPI:
    """Make an app of mounts. Without `tokens` or `keys`, routes that require them reject every
    request.

    `objects` are buckets by name: presigned links to buckets in folders are served under /objects.
    Request bodies have at most `bytes_max` bytes, except on paths that begin with one of
    `unlimited`. `origins` restricts host names and keeps out web pages of other sites. Without it
    that is up to the server in front. Local users for whom `is_guest` is true may call only the
    paths of `any_origin`.
    """
    app = FastAPI(
        title=title,
        version=__version__,
        docs_url=None,  # it loads scripts from another site
        redoc_url=None,
        openapi_tags=[{"name": mount.name, "description": mount.description} for mount in mounts],
    )
    app.state.tokens, app.state.keys, app.state.objects = tokens, keys, objects
    add_error_handlers(app)
    open_paths = tuple(f"{mount.prefix}{path}" for mount in mounts for path in mount.any_origin)
    if is_guest is not None:
        app.add_middleware(GuestCheck, is_guest=is_guest, open_paths=open_paths)
    if origins is not None:
        app.add_middleware(OriginCheck, policy=origins, any_origin=open_paths)
    patterns = [f"{OBJECTS_PATH}/*", *(f"{path}*" for path in unlimited)]
    patterns += [f"{mount.prefix}{path}" for mount in mounts for path in mount.large_bodies]
    app.add_middleware(Guards, bytes_max=bytes_max, unlimited=tuple(patterns))
    if objects is not None:
        app.include_router(object_router(objects), prefix=OBJECTS_PATH)
    _add_health(app, [mount.name for mount in mounts])
    add_reference(app)
    for mount in mounts:  # last: a mount at the root must not hide the routes of the host
        app.include_router(
            mount.router, prefix=mount.prefix, tags=[mount.name], responses=ANY_ERROR
        )
    use_own_document(app)
    return app


def _add_health(app: FastAPI, names: list[str]) -> None:
    @app.get("/health", tags=["host"], summary="Whether the server answers")
    def health() -> Health:  # pyright: ignore[reportUnusedFunction]
        return Health(systems=names)
