"""The `sortkey` command. Each of its commands is a file of this package with `add` and `run`.

Nothing heavy is imported before a command runs: starting fast is a feature.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from sortkey import __version__
from sortkey.cli import applens, explain, models, serve, verify
from sortkey.cli.failure import CommandFailed

READER_GONE = 141
"""As a shell tells of a program that wrote into a closed pipe."""

COMMANDS = (serve, models, explain, verify, applens)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the result is the exit code."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        code = options.run(options)
        sys.stdout.flush()
        return code
    except CommandFailed as failure:
        print(f"sortkey {options.command}: {failure}", file=sys.stderr)
        return failure.exit_code
    except BrokenPipeError:  # `sortkey models | head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sortkey", description="DynamoDB in one process and one folder, and data models on it."
    )
    parser.add_argument("--version", action="version", version=f"sortkey {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    for command in COMMANDS:
        command.add(commands)
    return parser
