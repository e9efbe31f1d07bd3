"""/v1/projects: the projects of a key, and what they have used."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path

from sortkey_systems.wallcrawler.answers import ProjectAnswer, UsageAnswer
from sortkey_systems.wallcrawler.routes.callers import Caller, caller_of
from sortkey_systems.wallcrawler.routes.error_shape import Route, errors_for
from sortkey_systems.wallcrawler.service import Wallcrawler

ProjectPath = Annotated[
    str, Path(description="The id of a project", examples=["project_default"], max_length=200)
]


def router(service: Wallcrawler) -> APIRouter:
    """The routes of projects."""
    made = APIRouter(route_class=Route, tags=["projects"])
    me = Depends(caller_of(service))

    @made.get(
        "/projects",
        summary="List projects",
        response_model=list[ProjectAnswer],
        responses=errors_for(401, 403),
    )
    def list_projects(caller: Caller = me) -> Any:
        """The projects that the key may use."""
        return [ProjectAnswer.of(each) for each in service.projects(caller.projects)]

    @made.get(
        "/projects/{project_id}",
        summary="Get a project",
        response_model=ProjectAnswer,
        responses=errors_for(401, 403, 404),
    )
    def retrieve(project_id: ProjectPath, caller: Caller = me) -> Any:
        """One project."""
        return ProjectAnswer.of(service.project(caller.projects, project_id))

    @made.get(
        "/projects/{project_id}/usage",
        summary="Get the usage of a project",
        response_model=UsageAnswer,
        responses=errors_for(401, 403, 404),
    )
    def usage(project_id: ProjectPath, caller: Caller = me) -> Any:
        """Minutes of browsers and bytes through proxies, of all its sessions."""
        minutes, proxy_bytes = service.usage(service.project(caller.projects, project_id))
        return UsageAnswer(browser_minutes=minutes, proxy_bytes=proxy_bytes)

    _ = list_projects, retrieve, usage
    return made
