"""Who calls: dependencies that take the key and the project of a request to the authorizer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Depends, Request
from fastapi.security import APIKeyHeader

from sortkey_systems.wallcrawler.addresses import Addresses
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
    addresses: Addresses
    """Where the caller reaches the service."""

    def project(self, named: str | None = None) -> str:
        """The one project in which the request makes something. Raises ProjectForbidden."""
        return self.authorizer.project(self.grant, self.request.headers, named)


class Service(Protocol):
    """What callers need of the service."""

    @property
    def authorizer(self) -> Authorizer: ...
    @property
    def addresses(self) -> Addresses: ...


def caller_of(service: Service) -> Callable[..., Caller]:
    """A dependency: the caller of a request. 401 without a valid key, 403 for a project that it may
    not use.
    """

    def caller(request: Request, key: BbKey, same_key: WcKey) -> Caller:
        authorizer = service.authorizer
        grant = authorizer.grant(request.headers)
        projects = authorizer.projects(grant, request.headers)
        addresses = service.addresses.seen_by(str(request.url))
        return Caller(grant, projects, request, authorizer, addresses)

    return caller
