"""`sortkey vams`: databases, assets and their files; folders and whole databases in and out; users
and what they may do.
"""

from __future__ import annotations

import typer

from sortkey.commands import examples
from sortkey_systems.vams.commands import (
    assets,
    comments,
    databases,
    files,
    folders,
    pipelines,
    subscriptions,
    transfers,
    users,
    versions,
    workflows,
)

app = typer.Typer(
    no_args_is_help=True,
    epilog=examples(
        "sortkey vams databases                           what is there",
        "sortkey vams sync models/ plant-rotterdam pump-p101",
        "sortkey vams export plant-rotterdam backup/      a whole database",
        "sortkey vams password admin@example.com          a new password, printed once",
        "sortkey vams can jan@example.com GET asset databaseId=hangar-4 tags=scan",
    ),
)


@app.callback()
def group() -> None:
    """Databases, assets and files of VAMS, and the users who may see them."""


app.add_typer(databases.app, name="databases")
app.add_typer(assets.app, name="assets")
app.add_typer(files.app, name="files")
app.add_typer(versions.app, name="versions")
app.add_typer(comments.app, name="comments")
app.add_typer(subscriptions.app, name="subscriptions")
app.add_typer(pipelines.app, name="pipelines")
app.add_typer(workflows.app, name="workflows")
app.command("sync", epilog=folders.EXAMPLES)(folders.sync)
app.command("export", epilog=transfers.EXPORT_EXAMPLES)(transfers.export)
app.command("import", epilog=transfers.IMPORT_EXAMPLES)(transfers.import_)
for command, lines in users.COMMANDS.items():
    app.command(epilog=lines)(command)
