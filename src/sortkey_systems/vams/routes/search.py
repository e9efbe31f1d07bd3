"""/search and /search/simple."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body

from sortkey_systems.vams.routes.callers import Me
from sortkey_systems.vams.routes.error_shape import Route, errors_for
from sortkey_systems.vams.search.requests import SearchRequest, SimpleSearchRequest
from sortkey_systems.vams.search.results import MappingsAnswer, SearchAnswer
from sortkey_systems.vams.service import Vams

ERRORS = errors_for(503)


def router(service: Vams) -> APIRouter:
    """The routes of the search."""
    made = APIRouter(route_class=Route, tags=["search"])

    @made.get(
        "/search",
        summary="The fields of the search",
        response_model=MappingsAnswer,
        responses=ERRORS,
    )
    def fields(me: Me) -> Any:
        return service.search.fields()

    @made.post(
        "/search",
        summary="Search assets and files",
        response_model=SearchAnswer,
        responses=ERRORS,
    )
    def search(me: Me, wanted: Annotated[SearchRequest | None, Body()] = None) -> Any:
        """Words, metadata, filters and places, with counts, highlights and sorting. Hits and
        counts hold only what the caller may see.
        """
        return service.search.query(me, wanted or SearchRequest())

    @made.post(
        "/search/simple",
        summary="Search assets and files by a few properties",
        response_model=SearchAnswer,
        response_model_exclude_none=True,
        responses=ERRORS,
    )
    def simple_search(me: Me, wanted: Annotated[SimpleSearchRequest | None, Body()] = None) -> Any:
        """Everything that is given must match."""
        return service.search.simple(me, wanted or SimpleSearchRequest())

    _ = fields, search, simple_search
    return made
