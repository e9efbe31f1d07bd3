"""The program that Typer sees: a group that knows the names of its commands, and loads one when it
is called.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from sortkey import __version__
from sortkey.cli import COMMANDS
from sortkey.commands.failure import DEBUG, USAGE, CommandFailed
from sortkey.commands.help import HelpedCommand, HelpedGroup
from sortkey.systems.installed import find_system, headline, system_names

HELP_NAMES = ["-h", "--help"]
_COMPLETION = ("install_completion", "show_completion")
"""Options of the program; a Typer of a group would have them again."""
DESCRIPTION = "DynamoDB in one process and one folder, and data models on it."
EXAMPLES = """\
examples:
  sortkey up                   everything, with sample data, on this machine
  sortkey serve --port 8000    DynamoDB alone, for an SDK or the AWS CLI
  sortkey models shop          what a data model holds, and how it is read
  sortkey doctor               what this machine lacks, and for what
"""


class Program(HelpedGroup):
    """The commands of the table, then the installed systems. Listing them imports no command and no
    system.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS, *system_names()]

    def command_sections(self, ctx: Any) -> list[tuple[str, list[str]]]:
        systems = [("Systems", list(system_names()))] if system_names() else []
        return [("Commands", list(COMMANDS)), *systems]

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """What help and completion show of a command."""
        if known := COMMANDS.get(cmd_name):
            return TyperCommand(cmd_name, help=known.help)
        return (
            TyperCommand(cmd_name, help=headline(cmd_name)) if cmd_name in system_names() else None
        )

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that is called, itself."""
        self.commands = {
            name: TyperCommand(name) for name in self.list_commands(ctx)
        }  # for "Did you mean"
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
    return _helped(program)


def load(name: str) -> Any:
    """The command of a name, as Typer runs it."""
    command = _helped(_load_command(name) if name in COMMANDS else _load_system(name))
    command.params = [each for each in command.params if each.name not in _COMPLETION]
    return command


def _load_command(name: str) -> typer.Typer:
    from importlib import import_module

    module = import_module(f"sortkey.cli.{COMMANDS[name].file or name}")
    examples = getattr(module, "EXAMPLES", None)
    group = getattr(module, "app", None)
    if group is None:
        group = typer.Typer(add_completion=False)
        group.command(name, epilog=examples, cls=getattr(module, "COMMAND", None))(module.run)
    else:
        group.info.name, group.info.cls, group.info.epilog = name, HelpedGroup, examples
    return group


def _load_system(name: str) -> typer.Typer:
    system = find_system(name)
    if system.commands is None:
        raise CommandFailed(
            f"{name} has no commands of its own: see `sortkey models {name}`", USAGE
        )
    group: typer.Typer = system.load(system.commands)
    group.info.name, group.info.cls = name, HelpedGroup
    return group


def _helped(program: typer.Typer) -> Any:
    """The command that Typer makes, with help in our form."""
    _use_our_help(program)
    return get_command(program)


def _use_our_help(program: typer.Typer) -> None:
    for each in program.registered_commands:
        if each.cls is None or not issubclass(each.cls, HelpedCommand):
            each.cls = HelpedCommand
    for group in program.registered_groups:
        if group.typer_instance is not None:
            group.cls = HelpedGroup
            _use_our_help(group.typer_instance)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"sortkey {__version__}")
        raise typer.Exit


def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            DEBUG, help="Show the traceback of an error; anywhere in the line, or SORTKEY_DEBUG=1."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)
