"""The program that Typer sees: a group that knows the names of its commands, and loads one when it is called."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from sortkey import __version__
from sortkey.cli import COMMANDS
from sortkey.cli.failure import DEBUG
from sortkey.cli.helping import HelpedCommand, HelpedGroup
from sortkey.cli.plain_values import HELP_NAMES, use_plain_values

_COMPLETION = ("install_completion", "show_completion")
"""Options of the program; a Typer of a group would have them again."""
DESCRIPTION = "DynamoDB in one process and one folder, and data models on it."
EXAMPLES = """\
examples:
  sortkey up                   everything, with sample data, on this machine
  sortkey serve --port 8000    DynamoDB alone, for an SDK or the AWS CLI
  sortkey models jobengine     what a data model holds, and how it is read
  sortkey doctor               what this machine lacks, and for what
"""


class Program(HelpedGroup):
    """The commands of the table. Their names and lines of help cost no import."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """What help and completion show of a command."""
        known = COMMANDS.get(cmd_name)
        return TyperCommand(cmd_name, help=known.help) if known else None

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that is called, itself."""
        self.commands = {name: TyperCommand(name) for name in COMMANDS}  # what "Did you mean" chooses from
        name, shown, rest = super().resolve_command(ctx, args)
        return name, load(name) if shown is not None and name is not None else shown, rest


def make_program() -> Any:
    """The root command, with options for the shell's completion."""
    program = typer.Typer(
        cls=Program,
        help=DESCRIPTION,
        epilog=EXAMPLES,
        context_settings={"help_option_names": HELP_NAMES},
        invoke_without_command=True,
        add_completion=True,
    )
    program.callback()(_root)
    return _plain(program)


def load(name: str) -> Any:
    """The command of a name, as Typer runs it."""
    from importlib import import_module

    module = import_module(f"sortkey.cli.{COMMANDS[name].file or name}")
    group = getattr(module, "app", None)
    if group is None:
        group = typer.Typer(add_completion=False)
        group.command(name, epilog=getattr(module, "EXAMPLES", None))(module.run)
    else:
        group.info.name, group.info.cls, group.info.epilog = name, HelpedGroup, getattr(module, "EXAMPLES", None)
    command = _plain(group)
    command.params = [each for each in command.params if each.name not in _COMPLETION]
    return command


def _plain(program: typer.Typer) -> Any:
    for each in program.registered_commands:
        each.cls = HelpedCommand
    command = get_command(program)
    use_plain_values(command)
    return command


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"sortkey {__version__}")
        raise typer.Exit


def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option(DEBUG, help="Show the traceback of an error; anywhere in the line, or SORTKEY_DEBUG=1.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)
