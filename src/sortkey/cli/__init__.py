"""The `sortkey` command. Each of its commands is a file of this package, loaded when it is called.

A command's file has a function `run` with Typer's annotations, whose docstring is the help and
whose result is the exit code (None is 0); `EXAMPLES` is printed under the help, and `COMMAND` may
be its class. A group of commands has a `typer.Typer` named `app` instead, and so have the systems,
whose commands follow those of this table. A command ends with `CommandFailed`, or with any error of
Sortkey: `main` turns it into one line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from sortkey import __version__

READER_GONE = 141
"""As a shell tells of a program that wrote into a closed pipe."""


class Command(NamedTuple):
    """A command before it is loaded: a line of help, and its file, where that has another name."""

    help: str
    file: str | None = None
    can_resume: bool = False
    """After Ctrl-C the same command continues where it was."""


COMMANDS: dict[str, Command] = {
    "up": Command("Bring everything to life: DynamoDB, REST, console, workers."),
    "serve": Command("Serve DynamoDB's protocol."),
    "rest": Command("Serve the systems over REST, with their workers."),
    "token": Command("Print a token for a user of REST."),
    "keys": Command("Make, list and revoke keys for programs that use REST."),
    "models": Command("Print data models, with their access patterns."),
    "explain": Command("What an access pattern does and costs."),
    "plan": Command("What to change in what is deployed, for a model."),
    "apply": Command("Change what is deployed into what a model says."),
    "backfill": Command("Bring stored items up to date with their entities.", can_resume=True),
    "reindex": Command("Build the search indexes of a model anew.", can_resume=True),
    "reconcile": Command("Compare search indexes with their tables, and mend them."),
    "query": Command("Run an access pattern on data."),
    "put": Command("Store items, checked by their entity."),
    "export": Command("Tables into a folder of JSON Lines.", can_resume=True),
    "import": Command("Tables from a folder of JSON Lines.", "import_items", can_resume=True),
    "backup": Command("Keep what tables hold now, or copy the whole folder."),
    "restore": Command("Tables as they were, at a moment or in a backup."),
    "verify": Command("Check the payloads of a model's items."),
    "new": Command("Write a system of your own to begin with."),
    "doctor": Command("Check this machine: what is missing, and for what."),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the result is the exit code: 0 is done, 1 is failed, 2 is wrong arguments, 130
    is stopped.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:  # answered before anything is loaded
        print(f"sortkey {__version__}")
        return 0
    try:
        return _run(given)
    except KeyboardInterrupt:
        from sortkey.commands.failure import report_stop

        name = next((each for each in given if not each.startswith("-")), "")
        return report_stop(name, can_resume=name in COMMANDS and COMMANDS[name].can_resume)
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(
            error.__context__, BrokenPipeError
        ):  # as Typer ends on it
            raise
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # `sortkey models | head` has seen enough
        return READER_GONE
    except Exception as error:
        from sortkey.commands.failure import report

        return report(error, given)


def _run(given: list[str]) -> int:
    from sortkey.cli.program import HELP_NAMES, load, make_program
    from sortkey.commands.failure import DEBUG, INTERRUPTED

    words = [each for each in given if each != DEBUG]
    if words and words[0] in COMMANDS:  # the usual case, which needs no list of all there is
        run = load(words[0]).main
        code = run(
            words[1:], f"sortkey {words[0]}", standalone_mode=False, help_option_names=HELP_NAMES
        )
    else:
        code = make_program().main(words, "sortkey", standalone_mode=False)
    if code == INTERRUPTED:  # which is all that Typer leaves of it
        raise KeyboardInterrupt
    sys.stdout.flush()
    return code or 0
