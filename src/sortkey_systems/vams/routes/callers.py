"""Who calls, and tier 1 of authorization: whether the caller may use the route at all.

`tier_1` is a dependency of the router that all routes but the public ones are in, so that none can
forget it. Routes take the caller as `Me` and the paging as `Pages`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.security import APIKeyHeader
from starlette.concurrency import run_in_threadpool

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.criteria import TEXT_CHARACTERS_MAX
from sortkey_systems.vams.access.objects import ApiObject, Verb
from sortkey_systems.vams.failures import Denied, Invalid
from sortkey_systems.vams.pages import Paging, paging_of
from sortkey_systems.vams.service import Vams

_header = APIKeyHeader(
    name="Authorization",
    auto_error=False,
    scheme_name="VAMS",
    description="`Bearer <token>`, where the token is a JWT or an API key `vams_…`",
)
Header = Annotated[str | None, Depends(_header)]

_VERBS: dict[str, Verb] = {
    "GET": "GET",
    "HEAD": "GET",
    "PUT": "PUT",
    "POST": "POST",
    "DELETE": "DELETE",
}


def authenticated(service: Vams) -> Callable[..., Any]:
    """A dependency: the caller of a request must be known. 401 otherwise."""

    async def known_caller(request: Request, header: Header) -> Caller:
        host_tokens = getattr(request.app.state, "tokens", None)
        caller = await run_in_threadpool(service.authentication.caller, header, host_tokens)
        request.state.caller = caller
        return caller

    return known_caller


def tier_1(service: Vams) -> Callable[..., Any]:
    """A dependency: the caller must be known and may use the route. 401 or 403 otherwise."""
    known_caller = authenticated(service)

    async def allowed(request: Request, header: Header) -> None:
        caller = await known_caller(request, header)
        verb = _VERBS.get(request.method)
        if verb is None:
            raise Denied
        path = route_path(service, request.scope["path"])
        if len(path) > TEXT_CHARACTERS_MAX:
            raise Invalid(f"a path has at most {TEXT_CHARACTERS_MAX} characters")
        if not service.access.allowed(caller, verb, ApiObject(path)):
            await run_in_threadpool(service.access.require, caller, verb, ApiObject(path))

    return allowed


def route_path(service: Vams, path: str) -> str:
    """The path of a request below the root of the interface."""
    return path.removeprefix(service.base_path) or "/"


def _current(request: Request) -> Caller:
    """What the router's dependency found. A route outside of such a router fails here."""
    caller = request.state.caller
    assert isinstance(caller, Caller)
    return caller


def _paging(
    request: Request,
    pageSize: Annotated[str | None, Query(description="Items of a page")] = None,
    maxItems: Annotated[str | None, Query(description="The same as pageSize")] = None,
    startingToken: Annotated[str | None, Query(description="NextToken of a page")] = None,
) -> Paging:
    return paging_of(request.query_params)


Me = Annotated[Caller, Depends(_current)]
"""The caller of a request."""
Pages = Annotated[Paging, Depends(_paging)]
"""The page that a request asks for."""
