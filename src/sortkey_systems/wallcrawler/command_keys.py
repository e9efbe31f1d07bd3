"""`sortkey wallcrawler keys`: the API keys of projects. A raw key is printed once, when it
is made.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sortkey.commands import Data, Json, examples, print_json
from sortkey_systems.wallcrawler.command_tables import (
    ProjectOption,
    is_list,
    opened_tenants,
    plain,
    print_rows,
)
from sortkey_systems.wallcrawler.local_key import PROJECT

app = typer.Typer(
    invoke_without_command=True,
    epilog=examples(
        "sortkey wallcrawler keys",
        "sortkey wallcrawler keys create laptop --project project_default",
    ),
)


@app.callback()
def keys(
    context: typer.Context, project: ProjectOption = None, data: Data = "data", json: Json = False
) -> None:
    """List the API keys, and create or revoke one. The server may run meanwhile."""
    if is_list(context):
        _list(data, project, is_json=json)


@app.command(
    epilog=examples(
        "sortkey wallcrawler keys create laptop",
        "sortkey wallcrawler keys create ci --project project_e2e --also project_default",
    )
)
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose it is, or what for.")],
    project: Annotated[
        str, typer.Option(metavar="ID", help="The project that it is for.")
    ] = PROJECT,
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Another project that it opens; can be given several times."
        ),
    ] = None,
    data: Data = "data",
    json: Json = False,
) -> None:
    """Make a key and print it. It is shown now and never again: only its hash is kept."""
    with opened_tenants(data) as tenants:
        made = tenants.create_key(project, name=name, more_projects=also or ())
    if json:
        print_json({"key": made.raw, **plain(made.record)})
    else:
        print(made.raw)
        print(
            f"{made.record.key_id}, for {', '.join(made.record.allowed_projects)}", file=sys.stderr
        )


@app.command(epilog=examples("sortkey wallcrawler keys revoke key_3f9c1b2a7d10"))
def revoke(
    key_id: Annotated[
        str, typer.Argument(metavar="ID", help="The id of the key, as `keys` prints it.")
    ],
    data: Data = "data",
    json: Json = False,
) -> None:
    """Make a key worthless, for good. Sessions that it started go on."""
    with opened_tenants(data) as tenants:
        revoked = tenants.revoke_key(key_id)
    print_json(plain(revoked)) if json else print(f"{revoked.key_id} ({revoked.name}) is revoked")


def _list(data: str, project: str | None, *, is_json: bool) -> None:
    with opened_tenants(data) as tenants:
        found = tenants.keys(project)
    rows = [
        {
            "key": each.key_id,
            "name": each.name,
            "status": each.status,
            "project": each.project_id,
            "also": ", ".join(each.project_ids),
            "created, UTC": each.created_at,
            "last used, UTC": each.last_used_at,
        }
        for each in found
    ]
    nothing = "there are no keys yet: `sortkey wallcrawler keys create NAME` makes one"
    print_rows(rows, is_json=is_json, values=[plain(each) for each in found], nothing=nothing)
