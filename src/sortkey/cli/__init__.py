"""The `sortkey` command. Each of its commands is a file of this package, loaded when it is called.

A command's file has a function `run` with Typer's annotations. Its docstring is the help, and its
result the exit code (None is 0). `EXAMPLES` is printed under the help, and `COMMAND` may be the
command's class. A group of commands, and every system, has a `typer.Typer` named `app` instead.
A command fails with `CommandFailed` or any other error: `main` prints it in one line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from sortkey import __version__

READER_GONE = 141
"""What shells report for a program that wrote into a closed pipe."""


class Command(NamedTuple):
    """A command before it is loaded: a line of help, and its file if that has another name."""

    help: str
    file: str | None = None
    can_resume: bool = False
    """Running the same command again after Ctrl-C continues where it stopped."""


COMMANDS: dict[str, Command] = {
    "up": Command("Run everything: DynamoDB, REST, console, workers."),
    "serve": Command("Serve DynamoDB's protocol."),
    "rest": Command("Serve the systems over REST, with their workers."),
    "token": Command("Print a token for a user of REST."),
    "keys": Command("Create, list and revoke API keys for REST."),
    "models": Command("Print data models, with their access patterns."),
    "explain": Command("Show what an access pattern does and costs."),
    "plan": Command("Show how deployed tables differ from a model."),
    "apply": Command("Create and change tables to match a model."),
    "backfill": Command("Bring stored items up to date with their entities.", can_resume=True),
    "reindex": Command("Rebuild the search indexes of a model.", can_resume=True),
    "reconcile": Command("Compare search indexes with their tables and repair them."),
    "query": Command("Run an access pattern."),
    "put": Command("Store items, validated by their entity."),
    "export": Command("Export tables to a folder of JSON Lines.", can_resume=True),
    "import": Command(
        "Import tables from a folder of JSON Lines.", "import_items", can_resume=True
    ),
    "backup": Command("Back up tables, or copy the whole data folder."),
    "restore": Command("Restore tables from a backup or to a point in time."),
    "verify": Command("Check the payloads of a model's items."),
    "new": Command("Generate a project for a new system."),
    "doctor": Command("Check this machine: what is missing, and what needs it."),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code: 0 done, 1 failed, 2 wrong arguments, 130 stopped."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["--version"]:  # answered before anything is loaded
        print(f"sortkey {__version__}")
        return 0
    try:
        return _run(words)
    except KeyboardInterrupt:
        from sortkey.commands.failure import report_stop

        name = next((word for word in words if not word.startswith("-")), "")
        return report_stop(name, can_resume=name in COMMANDS and COMMANDS[name].can_resume)
    except (BrokenPipeError, SystemExit) as error:
        # Typer turns a broken pipe into an exit.
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise
        # The reader of `sortkey models | head` has closed the pipe: do not flush into it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    except Exception as error:
        from sortkey.commands.failure import report

        return report(error, words)


def _run(arguments: list[str]) -> int:
    from sortkey.cli.program import HELP_NAMES, load, make_program
    from sortkey.commands.failure import DEBUG, INTERRUPTED

    words = [word for word in arguments if word != DEBUG]
    if (
        words and words[0] in COMMANDS
    ):  # the usual case, which does not need the list of all commands
        run = load(words[0]).main
        code = run(
            words[1:], f"sortkey {words[0]}", standalone_mode=False, help_option_names=HELP_NAMES
        )
    else:
        code = make_program().main(words, "sortkey", standalone_mode=False)
    if code == INTERRUPTED:  # what Typer makes of KeyboardInterrupt
        raise KeyboardInterrupt
    sys.stdout.flush()
    return code or 0
