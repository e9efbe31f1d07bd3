"""Writes docs/reference/commands.md from the commands themselves: their help, arguments, options
and examples.

`--check` compares and writes nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sortkey.cli import COMMANDS
from sortkey.cli.program import load
from sortkey.commands.help import default_of, label_of, usage_of
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
        yield f"```text\n{usage_of(' '.join(['sortkey', *path]), command.params)}\n```\n"
        yield from _table(
            "argument", [each for each in command.params if each.param_type_name == "argument"]
        )
        yield from _table(
            "option", [each for each in command.params if each.param_type_name == "option"]
        )
    if command.epilog:
        yield f"```text\n{command.epilog.strip()}\n```\n"
    for name, each in inner.items():
        yield from _sections([*path, name], each)


def _help(text: str) -> str:
    """Paragraphs; those that are indented keep their lines."""
    blocks = text.strip().split("\n\n")
    return "\n\n".join(f"```text\n{each}\n```" if each.startswith(" ") else each for each in blocks)


def _table(kind: str, params: list[Any]) -> Iterator[str]:
    shown = [each for each in params if not each.hidden]
    if shown:
        rows = [
            f"| `{_cell(label_of(each))}` | {_cell(each.help or '')} | {_default(each)} |"
            for each in shown
        ]
        yield "\n".join([f"| {kind} | | default |", "|---|---|---|", *rows]) + "\n"


def _default(param: Any) -> str:
    if param.required:
        return "required"
    default = default_of(param)
    return _cell(f"`{default}`" if default else f"`${param.envvar}`" if param.envvar else "")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
