"""Writes docs/reference/commands.md from the commands themselves: their help, arguments, options
and examples.

`--check` compares and writes nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from sortkey.cli import COMMANDS
from sortkey.cli.program import load
from sortkey.systems.installed import find_system, headline, system_names
from tools.generated import keep

PAGE = Path(__file__).parents[1] / "docs/reference/commands.md"
HEAD = """\
# Commands

Written by `tools/generate_commands.py` from the help of the commands.

`sortkey COMMAND --help` prints the same. Every command ends with 0 when it is done, with 1 when it failed, and with 2
when its arguments are wrong; where it has more codes, its section says so. An error is one line on the standard error;
`--debug`, anywhere in the line, or `SORTKEY_DEBUG=1` shows the traceback. Results go to the standard output, progress
to the standard error of a terminal. `sortkey --install-completion` lets the shell complete commands, options, models
and access patterns.
"""


UNCHANGED = "\b\n"
"""Begins a paragraph whose lines Typer does not fill."""


def generate() -> str:
    """The page: a list of the commands, and a section for each."""
    helps = {name: command.help for name, command in COMMANDS.items()}
    helps |= {name: headline(name) for name in system_names() if find_system(name).commands}
    index = [f"- [`sortkey {name}`](#sortkey-{name}): {text}" for name, text in helps.items()]
    sections = [section for name in helps for section in _sections([name], load(name))]
    return "\n".join([HEAD, *index, "", *sections]).rstrip() + "\n"


def main(arguments: list[str]) -> int:
    return keep(PAGE, generate(), arguments, "the help of the commands")


def _sections(path: list[str], command: Any) -> Iterator[str]:
    yield f"{'#' * (len(path) + 1)} sortkey {' '.join(path)}\n"
    yield _help(command.help) + "\n"
    inner = getattr(command, "commands", {})
    if not inner:
        context = typer.Context(command, info_name=" ".join(["sortkey", *path]))
        yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```\n"
        for kind in ("argument", "option"):
            yield from _table(kind, command.params, context)
    if command.epilog:
        yield _help(command.epilog) + "\n"
    for name, subcommand in inner.items():
        yield from _sections([*path, name], subcommand)


def _help(text: str) -> str:
    """Paragraphs; those that Typer prints unchanged are blocks of text."""
    return "\n\n".join(
        f"```text\n{paragraph.removeprefix(UNCHANGED).rstrip()}\n```"
        if paragraph.startswith(UNCHANGED)
        else paragraph
        for paragraph in text.strip("\n").split("\n\n")
    )


def _table(kind: str, params: list[Any], context: typer.Context) -> Iterator[str]:
    """Each parameter as its help shows it."""
    records = [param.get_help_record(context) for param in params if param.param_type_name == kind]
    if rows := [f"| `{_cell(label)}` | {_cell(text)} |" for label, text in filter(None, records)]:
        yield "\n".join([f"| {kind} | |", "|---|---|", *rows]) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
