"""The REST app: each system under its name, one OpenAPI document, one shape of errors, one health
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
from sortkey.runtime.objects import Objects
from sortkey.systems.data_folder import OBJECTS_PATH
from sortkey.web.api_keys import ApiKeys
from sortkey.web.document import use_own_document
from sortkey.web.errors import ANY_ERROR, add_error_handlers
from sortkey.web.guards import JSON_BYTES_MAX, Guards
from sortkey.web.object_host import object_router
from sortkey.web.origin_check import OriginCheck
from sortkey.web.reference import add_reference
from sortkey.web.tokens import Tokens

TITLE = "Sortkey"


@dataclass(frozen=True)
class Mount:
    """Routes under a name, or `at_root` of the app. Of `large_bodies`, which are patterns of paths
    as "/files/*", the routes limit the sizes of request bodies themselves. Those of `any_origin`
    pages of other sites may call."""

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
) -> FastAPI:
    """Routes under their names. Without `tokens` or `keys`, routes that require them refuse
    everybody.

    `objects` are buckets by name: presigned links to buckets in folders are served under /objects.
    Request bodies have at most `bytes_max` bytes, except on paths that begin with one of
    `unlimited`. `origins` says under which names the app is reached, and keeps pages of other sites
    out; without it that is left to whoever serves the app.
    """
    app = FastAPI(
        title=title,
        version=__version__,
        docs_url=None,  # those load their scripts from elsewhere
        redoc_url=None,
        openapi_tags=[{"name": each.name, "description": each.description} for each in mounts],
    )
    app.state.tokens, app.state.keys, app.state.objects = tokens, keys, objects
    add_error_handlers(app)
    if origins is not None:
        invited = tuple(f"{mount.prefix}{each}" for mount in mounts for each in mount.any_origin)
        app.add_middleware(OriginCheck, policy=origins, any_origin=invited)
    patterns = [f"{OBJECTS_PATH}/*", *(f"{each}*" for each in unlimited)]
    patterns += [f"{mount.prefix}{each}" for mount in mounts for each in mount.large_bodies]
    app.add_middleware(Guards, bytes_max=bytes_max, unlimited=tuple(patterns))
    if objects is not None:
        app.include_router(object_router(objects), prefix=OBJECTS_PATH)
    _add_health(app, [each.name for each in mounts])
    add_reference(app)
    for each in mounts:  # last: one at the root must not hide the routes of the host
        app.include_router(each.router, prefix=each.prefix, tags=[each.name], responses=ANY_ERROR)
    use_own_document(app)
    return app


def _add_health(app: FastAPI, names: list[str]) -> None:
    @app.get("/health", tags=["host"], summary="Whether the server answers")
    def health() -> Health:  # pyright: ignore[reportUnusedFunction]
        return Health(systems=names)
