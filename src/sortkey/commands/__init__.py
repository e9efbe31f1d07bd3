"""Building blocks for the commands of systems, which are written with Typer.

    app = typer.Typer(no_args_is_help=True, help="Orders and stock.")

    @app.command(epilog=examples("sortkey shop orders ada --json"))
    def orders(customer: str, data: Data = "data", json: Json = False) -> None:
        with open_store(data) as store:
            ...

    CommandFailed, FAILED, USAGE      end a command with one line on stderr and an exit code
    examples                          example lines under the help of a command
    Data, Json, JsonFormat            options that commands share, as annotations
    BucketAddress, check_address      where tables and buckets are
    open_store, shared_store          the store at an address; one that other commands can share
    print_json, print_table           output for programs and for people
    progress, console                 a progress bar on the terminal; rich's console
    run_until_stopped                 for commands that run until Ctrl-C

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortkey.commands.failure import FAILED, INTERRUPTED, USAGE, CommandFailed
    from sortkey.commands.help import examples
    from sortkey.commands.loops import run_until_stopped
    from sortkey.commands.options import (
        BucketAddress,
        Data,
        Json,
        JsonFormat,
        bucket_address,
        check_address,
        open_store,
    )
    from sortkey.commands.output import console, print_json, progress
    from sortkey.commands.stores import shared_store
    from sortkey.commands.table_output import JSON_SHOWS_ALL, print_table

_MODULES = {
    "failure": ("FAILED", "INTERRUPTED", "USAGE", "CommandFailed"),
    "help": ("examples",),
    "loops": ("run_until_stopped",),
    "options": (
        *("BucketAddress", "Data", "Json", "JsonFormat"),
        *("bucket_address", "check_address", "open_store"),
    ),
    "output": ("console", "print_json", "progress"),
    "stores": ("shared_store",),
    "table_output": ("JSON_SHOWS_ALL", "print_table"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "FAILED",
    "INTERRUPTED",
    "JSON_SHOWS_ALL",
    "USAGE",
    "BucketAddress",
    "CommandFailed",
    "Data",
    "Json",
    "JsonFormat",
    "bucket_address",
    "check_address",
    "console",
    "examples",
    "open_store",
    "print_json",
    "print_table",
    "progress",
    "run_until_stopped",
    "shared_store",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'sortkey.commands' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"sortkey.commands.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
