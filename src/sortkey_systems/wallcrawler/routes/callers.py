"""Who calls: dependencies that take the key and the project of a request to the authorizer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import APIKeyHeader

from sortkey_systems.wallcrawler.authorizer import Authorizer, Grant

_browserbase = APIKeyHeader(name="X-BB-API-Key", auto_error=False, scheme_name="X-BB-API-Key")
_wallcrawler = APIKeyHeader(name="x-wc-api-key", auto_error=False, scheme_name="x-wc-api-key")

BbKey = Annotated[str | None, Depends(_browserbase)]
WcKey = Annotated[str | None, Depends(_wallcrawler)]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and what the key allows."""

    grant: Grant
    projects: tuple[str, ...]
    """The projects whose things the request may name by their ids."""
    request: Request
    authorizer: Authorizer

    def project(self, named: str | None = None) -> str:
        """The one project in which the request makes something. Raises ProjectForbidden."""
        return self.authorizer.project(self.grant, self.request.headers, named)


def caller_of(authorizer: Authorizer) -> Callable[..., Caller]:
    """A dependency: the caller of a request. 401 without a valid key, 403 for a project that it may
    not use.
    """

    def caller(request: Request, key: BbKey, same_key: WcKey) -> Caller:
        grant = authorizer.grant(request.headers)
        return Caller(grant, authorizer.projects(grant, request.headers), request, authorizer)

    return caller
