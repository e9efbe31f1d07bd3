"""`sortkey wallcrawler contexts`: browser profiles that outlive their sessions."""

from __future__ import annotations

import typer

from sortkey.commands import Data, Json, examples
from sortkey_systems.wallcrawler.command_tables import ProjectOption, opened, plain, print_rows
from sortkey_systems.wallcrawler.model import Context

app = typer.Typer(
    invoke_without_command=True,
    epilog=examples(
        "sortkey wallcrawler contexts",
        "sortkey wallcrawler contexts --project project_default --json",
    ),
)


@app.callback()
def contexts(project: ProjectOption = None, data: Data = "data", json: Json = False) -> None:
    """List the contexts, newest first."""
    with opened(data) as store:
        every = [each for each in store.scan(Context) if project in (None, each.project_id)]
    found = sorted(every, key=lambda each: str(each.created_at or ""), reverse=True)
    rows = [
        {
            "context": each.context_id,
            "project": each.project_id,
            "status": each.status,
            "created, UTC": each.created_at,
            "updated, UTC": each.updated_at,
        }
        for each in found
    ]
    nothing = "there are no contexts yet: a client creates them with POST /v1/contexts"
    print_rows(rows, is_json=json, values=[plain(each) for each in found], nothing=nothing)
