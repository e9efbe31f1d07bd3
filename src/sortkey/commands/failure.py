"""How a command gives up: one line that says what is wrong and what to do, and an exit code."""

from __future__ import annotations

import errno
import os
import sys

from sortkey.errors import TransferRefused

USAGE = 2
FAILED = 1
INTERRUPTED = 130
"""As a shell tells of a program that was stopped with Ctrl-C."""
DEBUG = "--debug"

EXTRAS = {
    "boto3": "aws",
    "botocore": "aws",
    "fastapi": "web",
    "uvicorn": "web",
    "jwt": "web",
    "nicegui": "web",
    "tantivy": "search",
    "opensearchpy": "search",
    "rustworkx": "systems",
    "sqlglot": "systems",
    "psycopg": "systems",
}
"""Packages that need not be there, and the extra that brings them."""
ADVICE = {
    errno.EACCES: "choose another place, or ask its owner",
    errno.EEXIST: "it is a file, where a folder is needed",
    errno.ENOTDIR: "it is a file, where a folder is needed",
    errno.ENOSPC: "make room, and try again",
    errno.EROFS: "choose another place",
}
"""What to do about an error of the system."""


class CommandFailed(Exception):
    """Printed without a traceback. `exit_code` is 2 for wrong arguments, 1 for anything else."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def report(error: Exception, arguments: list[str]) -> int:
    """Tell an error on stderr, with its traceback only when that was asked for; the result is the
    exit code.
    """
    if DEBUG in arguments or os.environ.get("SORTKEY_DEBUG", "") not in ("", "0"):
        import traceback

        traceback.print_exception(error)
    command = " ".join(["sortkey", *[each for each in arguments if not each.startswith("-")][:1]])
    if message := _told(error):
        hint = f" (options: {command} --help)" if isinstance(error, TransferRefused) else ""
        print(f"{command}: {message}{hint}", file=sys.stderr)
    return _exit_code(error)


def _exit_code(error: Exception) -> int:
    if isinstance(error, CommandFailed):
        return error.exit_code
    if isinstance(error, TransferRefused):
        return USAGE
    return getattr(error, "exit_code", FAILED)  # Typer's errors have one


def report_stop(command: str, *, can_resume: bool) -> int:
    """Say that Ctrl-C was heard, and whether the command can be given again; the result is the exit
    code.
    """
    resume = ": the same command continues where it was" if can_resume else ""
    print(f"{f'sortkey {command}'.strip()}: stopped{resume}", file=sys.stderr)
    return INTERRUPTED


def _told(error: Exception) -> str:
    from sortkey.errors import SortkeyError, TableMissing

    if isinstance(error, TableMissing):
        return f"{str(error).partition(':')[0]}: `sortkey apply MODEL` makes the tables of a model"
    if isinstance(error, CommandFailed | SortkeyError):
        return str(error)
    if isinstance(error, ModuleNotFoundError) and (
        extra := EXTRAS.get((error.name or "").partition(".")[0])
    ):
        return f"this needs the package {error.name}: install sortkey[{extra}]"
    if isinstance(error, OSError) and error.strerror:
        told = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        return f"{told}; {ADVICE[error.errno]}" if error.errno in ADVICE else told
    return _told_by_typer(error)


def _told_by_typer(error: Exception) -> str:
    """Wrong arguments, and where to read about the right ones."""
    from typer import Abort, TyperException

    if isinstance(error, Abort):
        return "stopped"
    if not isinstance(error, TyperException):
        return f"{type(error).__name__}: {error} (unexpected: {DEBUG} shows where)"
    if type(error).__name__ == "NoArgsIsHelpError":  # its text is the help, which has been printed
        return ""
    message, context = error.format_message().rstrip("."), getattr(error, "ctx", None)
    between = "" if message.endswith("?") else ";"
    return f"{message}{between} {context.command_path} --help tells more" if context else message
