"""`sortkey wallcrawler projects`: the tenants, their limits, and what they used."""

from __future__ import annotations

from typing import Annotated

import typer

from sortkey.commands import Data, Json, examples, print_json
from sortkey_systems.wallcrawler.command_tables import is_list, opened_tenants, plain, print_rows

app = typer.Typer(
    invoke_without_command=True,
    epilog=examples(
        "sortkey wallcrawler projects",
        "sortkey wallcrawler projects create project_shop --concurrency 10",
    ),
)

ProjectId = Annotated[
    str, typer.Argument(metavar="ID", help="The id of the project: letters, digits, _ and -.")
]
Concurrency = Annotated[
    int | None, typer.Option(min=0, max=1000, help="How many sessions may run at once.")
]
Timeout = Annotated[
    int | None,
    typer.Option(
        "--timeout", min=1, metavar="SECONDS", help="How long a session lasts if it does not say."
    ),
]


@app.callback()
def projects(context: typer.Context, data: Data = "data", json: Json = False) -> None:
    """List the projects, and create or change one."""
    if is_list(context):
        _list(data, is_json=json)


@app.command(
    epilog=examples("sortkey wallcrawler projects create project_shop --name Shop --concurrency 10")
)
def create(
    project_id: ProjectId,
    name: Annotated[str, typer.Option(help="How people call it (default: the id).")] = "",
    concurrency: Concurrency = 5,
    timeout: Timeout = 3600,
    data: Data = "data",
    json: Json = False,
) -> None:
    """Create a project. It has no keys yet: `sortkey wallcrawler keys create` makes one."""
    with opened_tenants(data) as tenants:
        project = tenants.create_project(
            project_id, name=name, concurrency=concurrency or 0, default_timeout=timeout or 3600
        )
    print_json(plain(project)) if json else print(f"created {project.project_id}")


@app.command(
    epilog=examples(
        "sortkey wallcrawler projects change project_shop --concurrency 20",
        "sortkey wallcrawler projects change project_shop --off     its keys open nothing any more",
    )
)
def change(
    project_id: ProjectId,
    concurrency: Concurrency = None,
    timeout: Timeout = None,
    is_active: Annotated[
        bool | None, typer.Option("--on/--off", help="Let its keys in, or keep them out.")
    ] = None,
    data: Data = "data",
    json: Json = False,
) -> None:
    """Change the limits of a project, or switch it on or off. Sessions that run go on."""
    with opened_tenants(data) as tenants:
        project = tenants.change_project(
            project_id, concurrency=concurrency, default_timeout=timeout, is_active=is_active
        )
    if json:
        print_json(plain(project))
    else:
        limits = f"{project.concurrency} sessions at once, {project.default_timeout} seconds each"
        print(f"{project.project_id} is {project.status.lower()}: {limits}")


def _list(data: str, *, is_json: bool) -> None:
    with opened_tenants(data) as tenants:
        found = tenants.projects()
    rows = [
        {
            "project": each.project_id,
            "name": each.name,
            "status": each.status,
            "running": each.running_sessions,
            "concurrency": each.concurrency,
            "timeout, s": each.default_timeout,
            "created, UTC": each.created_at,
        }
        for each in found
    ]
    nothing = "there are no projects yet: `sortkey wallcrawler projects create ID` makes one"
    print_rows(rows, is_json=is_json, values=[plain(each) for each in found], nothing=nothing)
