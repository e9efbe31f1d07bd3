"""The root of the Typer program: a group that lists its commands by name and loads one when it is
called.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from sortkey import __version__
from sortkey.cli import COMMANDS
from sortkey.commands.failure import DEBUG, USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.systems.installed import find_system, headline, system_names

HELP_NAMES = ["-h", "--help"]
_COMPLETION = ("install_completion", "show_completion")
"""Options of the root, which Typer adds to every group."""
DESCRIPTION = "DynamoDB in one process and one folder, with data models on top."
EXAMPLES = examples(
    "sortkey up                   everything, with sample data, on this machine",
    "sortkey serve --port 8000    DynamoDB alone, for an SDK or the AWS CLI",
    "sortkey models shop          what a data model holds, and how it is read",
    "sortkey doctor               what is missing on this machine",
)


class Program(TyperGroup):
    """The commands of the table, then the installed systems. Listing them imports no command and no
    system.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS, *system_names()]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Two lists under two headings, where Typer prints one."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in COMMANDS.items()])
        if systems := [(name, headline(name)) for name in system_names()]:
            with formatter.section("Systems"):
                formatter.write_dl(systems)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """What completion shows of a command."""
        if command := COMMANDS.get(cmd_name):
            return TyperCommand(cmd_name, help=command.help)
        return (
            TyperCommand(cmd_name, help=headline(cmd_name)) if cmd_name in system_names() else None
        )

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The loaded command that is called."""
        # Typer looks here for the names of its "Did you mean".
        self.commands = {name: TyperCommand(name) for name in self.list_commands(ctx)}
        name, listed, rest = super().resolve_command(ctx, args)
        return name, load(name) if listed is not None and name is not None else listed, rest


def make_program() -> Any:
    """The root command, with options for the shell's completion."""
    program = typer.Typer(
        cls=Program,
        help=DESCRIPTION,
        epilog=EXAMPLES,
        context_settings={"help_option_names": HELP_NAMES},
        invoke_without_command=True,
        add_completion=True,
        rich_markup_mode=None,
    )
    program.callback()(_root)
    return get_command(program)


def load(name: str) -> Any:
    """The command of a name, as Typer runs it."""
    app = _load_command(name) if name in COMMANDS else _load_system(name)
    app.info.name = name
    app.rich_markup_mode = None  # plain help, which needs no rich and leaves examples as they are
    command = get_command(app)
    command.params = [param for param in command.params if param.name not in _COMPLETION]
    return command


def _load_command(name: str) -> typer.Typer:
    from importlib import import_module

    module = import_module(f"sortkey.cli.{COMMANDS[name].file or name}")
    epilog = getattr(module, "EXAMPLES", None)
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False)
        app.command(name, epilog=epilog, cls=getattr(module, "COMMAND", None))(module.run)
    else:
        app.info.epilog = epilog
    return app


def _load_system(name: str) -> typer.Typer:
    system = find_system(name)
    if system.commands is None:
        raise CommandFailed(f"{name} has no commands: see `sortkey models {name}`", USAGE)
    return system.load(system.commands)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
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
        typer.echo(context.get_help())
