"""The app of several systems: each under its name, one OpenAPI document, one shape of errors, one health check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from fastapi import APIRouter, FastAPI
from pydantic import BaseModel

from sortkey import __version__
from sortkey.origins import OriginPolicy
from sortkey.runtime.objects import Objects
from sortkey.web.api_keys import ApiKeys
from sortkey.web.document import use_own_document
from sortkey.web.errors import ANY_ERROR, add_error_handlers
from sortkey.web.guards import JSON_BYTES_MAX, Guards
from sortkey.web.object_host import object_router
from sortkey.web.origin_check import OriginCheck
from sortkey.web.reference import add_reference
from sortkey.web.tokens import Tokens

OBJECTS_PATH = "/objects"
TITLE = "Sortkey"


class Worker(Protocol):
    """What works beside the requests of a system: a JobWorker, a StreamWorker."""

    def start(self) -> object: ...
    def stop(self) -> object: ...


@dataclass(frozen=True)
class System:
    """What a system gives to the host: its routes, and what works beside them."""

    name: str
    router: APIRouter
    description: str = ""
    workers: Sequence[Worker] = field(default=())
    service: object | None = None
    """The system itself, for those who serve it in other ways too."""


class Health(BaseModel):
    """The server answers."""

    status: Literal["ok"] = "ok"
    version: str = __version__
    systems: list[str]


def make_app(
    systems: Sequence[System],
    *,
    tokens: Tokens | None = None,
    keys: ApiKeys | None = None,
    objects: Mapping[str, Objects] | None = None,
    title: str = TITLE,
    bytes_max: int = JSON_BYTES_MAX,
    unlimited: Sequence[str] = (),
    origins: OriginPolicy | None = None,
) -> FastAPI:
    """The systems under their names. Without `tokens` or `keys` nobody gets in where those are asked for.

    `objects` are buckets by name: the presigned links of those in folders are served under /objects. Bodies have at
    most `bytes_max` bytes, but on paths that begin with one of `unlimited`. `origins` says under which names the app is
    reached, and keeps pages of other sites out; without it that is left to whoever serves the app.
    """
    app = FastAPI(
        title=title,
        version=__version__,
        docs_url=None,  # those load their scripts from elsewhere
        redoc_url=None,
        openapi_tags=[{"name": each.name, "description": each.description} for each in systems],
    )
    app.state.tokens, app.state.keys, app.state.objects = tokens, keys, objects
    add_error_handlers(app)
    if origins is not None:
        app.add_middleware(OriginCheck, policy=origins)
    app.add_middleware(Guards, bytes_max=bytes_max, unlimited=(f"{OBJECTS_PATH}/", *unlimited))
    for each in systems:
        app.include_router(each.router, prefix=f"/{each.name}", tags=[each.name], responses=ANY_ERROR)
    if objects is not None:
        app.include_router(object_router(objects), prefix=OBJECTS_PATH)
    _add_health(app, [each.name for each in systems])
    add_reference(app)
    use_own_document(app)
    return app


def _add_health(app: FastAPI, names: list[str]) -> None:
    @app.get("/health", tags=["host"], summary="Whether the server answers")
    def health() -> Health:  # pyright: ignore[reportUnusedFunction]
        return Health(systems=names)
