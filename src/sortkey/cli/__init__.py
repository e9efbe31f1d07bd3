"""The `sortkey` command. Each of its commands is a file of this package with `add` and `run`.

Nothing heavy is imported before a command runs: starting fast is a feature.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from sortkey import __version__
from sortkey.cli import serve
from sortkey.cli.failure import CommandFailed

COMMANDS = (serve,)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the result is the exit code."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        return options.run(options)
    except CommandFailed as failure:
        print(f"sortkey {options.command}: {failure}", file=sys.stderr)
        return failure.exit_code


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sortkey", description="DynamoDB in one process and one folder.")
    parser.add_argument("--version", action="version", version=f"sortkey {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    for command in COMMANDS:
        command.add(commands)
    return parser
