"""`sortkey wallcrawler`: projects, API keys, sessions and contexts; one page in a browser; what
this machine has.
"""

from __future__ import annotations

import typer

from sortkey.commands import examples
from sortkey_systems.wallcrawler import (
    command_contexts,
    command_doctor,
    command_keys,
    command_projects,
    command_run,
    command_sessions,
)

EXAMPLES = examples(
    "sortkey wallcrawler doctor                    is there a Chromium, and is it sandboxed",
    "sortkey wallcrawler run https://example.com --screenshot page.png",
    "sortkey wallcrawler keys create laptop        a key for a client",
    "sortkey wallcrawler sessions                  what runs, and what ran",
)

app = typer.Typer(no_args_is_help=True, epilog=EXAMPLES)


@app.callback()
def group() -> None:
    """Browsers for many tenants: projects, keys, sessions and contexts, and a browser for
    one page.
    """


app.add_typer(command_projects.app, name="projects")
app.add_typer(command_keys.app, name="keys")
app.add_typer(command_sessions.app, name="sessions")
app.add_typer(command_contexts.app, name="contexts")
app.command("run", epilog=command_run.EXAMPLES)(command_run.run)
app.command("doctor", epilog=command_doctor.EXAMPLES)(command_doctor.doctor)
