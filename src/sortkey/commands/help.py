"""The help of every command in one form: usage, what it does, arguments, options, commands,
examples.

Typer's own shows the type that Python has for a value, and breaks the lines of examples.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

from sortkey.commands.output import console

WIDTH_MAX = 100
"""Longer lines are hard to read, however wide the terminal is."""
_INDENT = 2
_NOTE = re.compile(r"(\s*\S.*?)\s{2,}(\S.*)")


class _Help:
    """A command that tells its help in our form."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _print(self, ctx)


class HelpedCommand(_Help, TyperCommand):
    pass


class HelpedGroup(_Help, TyperGroup):
    def command_sections(self, ctx: Any) -> list[tuple[str, list[str]]]:
        """The names of the commands under their headings."""
        return [("Commands", self.list_commands(ctx))]


def examples(*lines: str) -> str:
    """What stands under the help of a command: lines that one can type."""
    return "examples:\n" + "".join(f"{'':<{_INDENT}}{line}\n" for line in lines)


def usage_of(path: str, params: Sequence[Any]) -> str:
    """The line that one types: `sortkey put [OPTIONS] MODEL:ENTITY [FILE]`."""
    arguments = [each for each in params if each.param_type_name == "argument"]
    options = ["[OPTIONS]"] if len(params) > len(arguments) else []
    return " ".join([path, *options, *map(_in_usage, arguments)])


def label_of(param: Any) -> str:
    """An argument, or an option with what follows it: `--access read|full`. A switch has nothing
    that follows it.
    """
    if param.param_type_name == "argument":
        return param.metavar or param.name.upper()
    names = ", ".join([*sorted(param.opts, key=len), *param.secondary_opts])
    if param.is_flag:
        return names
    choices = param.type_descriptor.choices
    return (
        f"{names} "
        f"{param.metavar or ('|'.join(map(str, choices)) if choices else _last_word(param.name))}"
    )


def default_of(param: Any) -> str | None:
    """What holds where nothing is given, if that says anything."""
    is_told = (
        not param.required
        and param.default not in (None, False, ())
        and not callable(param.default)
    )
    if not is_told:
        return None
    return param.opts[0] if getattr(param, "is_flag", False) else str(param.default)


def limits_of(param: Any) -> str | None:
    """Between which numbers a value lies."""
    low, high = getattr(param, "min", None), getattr(param, "max", None)
    if low is None or high is None:
        return (
            f"at least {low}"
            if low is not None
            else f"at most {high}"
            if high is not None
            else None
        )
    return f"{low} to {high}"


def first_sentence(text: str) -> str:
    """What stands in a list of commands."""
    paragraph = " ".join(inspect.cleandoc(text).split("\n\n")[0].split())
    return re.split(r"(?<=\.) ", paragraph)[0]


def _in_usage(argument: Any) -> str:
    label = label_of(argument)
    return f"{label if argument.required else f'[{label}]'}{'...' * (argument.nargs == -1)}"


def _last_word(name: str) -> str:
    return name.rpartition("_")[2].upper()


def _print(command: Any, ctx: Any) -> None:
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    screen = console()
    screen.width = min(screen.width, WIDTH_MAX)
    params = [each for each in command.get_params(ctx) if not getattr(each, "hidden", False)]
    usage = usage_of(ctx.command_path, params)
    is_group = isinstance(command, TyperGroup)
    screen.print(Text(f"Usage: {usage}{' COMMAND ...' if is_group else ''}\n", style="bold"))
    for paragraph in _paragraphs(command.help or ""):
        screen.print(paragraph, soft_wrap=paragraph.startswith(" "), markup=False)
    for title, rows in _sections(command, ctx, params):
        screen.print(Group(Text(title, style="bold"), Padding(_grid(rows), (0, 0, 1, _INDENT))))
    for line in _examples(command.epilog or "", screen.width):
        screen.print(line, soft_wrap=line.plain.startswith(" "))


def _paragraphs(text: str) -> Iterator[str]:
    """Lines are filled again; those of an indented paragraph, a list, stay as they are."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        yield (paragraph if paragraph.startswith(" ") else " ".join(paragraph.split())) + "\n"


def _sections(
    command: Any, ctx: Any, params: Sequence[Any]
) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    for title, kind in (("Arguments", "argument"), ("Options", "option")):
        if rows := [
            (label_of(each), each.help or "", _facts(each))
            for each in params
            if each.param_type_name == kind
        ]:
            yield title, rows
    if isinstance(command, HelpedGroup):
        for title, names in command.command_sections(ctx):
            inner = [command.get_command(ctx, name) for name in names]
            yield (
                title,
                [(each.name or "", first_sentence(each.help or ""), "") for each in inner if each],
            )


def _facts(param: Any) -> str:
    default, variable = default_of(param), getattr(param, "envvar", None)
    known = [
        "required" if param.required and param.param_type_name == "option" else None,
        limits_of(param),
        f"default: {default}" if default else None,
        f"environment: {variable}" if variable else None,
    ]
    told = "; ".join(each for each in known if each)
    return f" [{told}]" if told else ""


def _grid(rows: Sequence[tuple[str, str, str]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column()
    for label, text, facts in rows:
        grid.add_row(Text(label), Text(text) + Text(facts, style="dim"))
    return grid


def _examples(text: str, width: int) -> Iterator[Any]:
    """Lines as they are; a note that goes over the edge stands under its line."""
    from rich.text import Text

    for line in text.rstrip().splitlines():
        noted = _NOTE.fullmatch(line) if line.startswith(" ") else None
        if line.endswith(":"):
            yield Text(line.capitalize().rstrip(":"), style="bold")
        elif noted is None:
            yield Text(line)
        elif len(line) <= width:
            yield Text(line[: noted.start(2)]) + Text(noted[2], style="dim")
        else:
            yield Text(noted[1])
            yield Text(f"{'':<{3 * _INDENT}}{noted[2]}", style="dim")
