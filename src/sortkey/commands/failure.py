"""How a command fails: one line that says what is wrong and what to do, and an exit code."""

from __future__ import annotations

import errno
import os
import sys

from sortkey.errors import TransferRefused

USAGE = 2
FAILED = 1
INTERRUPTED = 130
"""What shells report for a program that was stopped with Ctrl-C."""
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
"""Optional packages, and the extra that installs each."""
ADVICE = {
    errno.EACCES: "choose another place, or ask its owner for access",
    errno.EEXIST: "it is a file; a folder is needed",
    errno.ENOTDIR: "it is a file; a folder is needed",
    errno.ENOSPC: "free some space and try again",
    errno.EROFS: "choose another place",
}
"""What to do about an error of the operating system."""


class CommandFailed(Exception):
    """Printed without a traceback. `exit_code` is 2 for wrong arguments, 1 for anything else."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def report(error: Exception, arguments: list[str]) -> int:
    """Print an error, with a traceback if --debug is given, and return the exit code."""
    if DEBUG in arguments or os.environ.get("SORTKEY_DEBUG", "") not in ("", "0"):
        import traceback

        traceback.print_exception(error)
    command = " ".join(["sortkey", *[word for word in arguments if not word.startswith("-")][:1]])
    if _is_help(error):
        print(error, file=sys.stderr)
    else:
        hint = f" (options: {command} --help)" if isinstance(error, TransferRefused) else ""
        print(f"{command}: {_message(error)}{hint}", file=sys.stderr)
    return _exit_code(error)


def _is_help(error: Exception) -> bool:
    """Whether the error is Typer's for a group without a command, whose message is the help."""
    return type(error).__name__ == "NoArgsIsHelpError"


def _exit_code(error: Exception) -> int:
    if isinstance(error, CommandFailed):
        return error.exit_code
    if isinstance(error, TransferRefused):
        return USAGE
    return getattr(error, "exit_code", FAILED)  # Typer's errors have one


def report_stop(command: str, *, can_resume: bool) -> int:
    """Print that Ctrl-C stopped the command, and how to resume it. Returns the exit code."""
    resume = ": run the same command again to continue" if can_resume else ""
    print(f"{f'sortkey {command}'.strip()}: stopped{resume}", file=sys.stderr)
    return INTERRUPTED


def _message(error: Exception) -> str:
    from sortkey.errors import SortkeyError, TableMissing

    if isinstance(error, TableMissing):
        return (
            f"{str(error).partition(':')[0]}: `sortkey apply MODEL` creates the tables of a model"
        )
    if isinstance(error, CommandFailed | SortkeyError):
        return str(error)
    if isinstance(error, ModuleNotFoundError) and (
        extra := EXTRAS.get((error.name or "").partition(".")[0])
    ):
        return f"the package {error.name} is missing: pip install 'sortkey[{extra}]'"
    if isinstance(error, OSError) and error.strerror:
        reason = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        return f"{reason}; {ADVICE[error.errno]}" if error.errno in ADVICE else reason
    return _typer_message(error)


def _typer_message(error: Exception) -> str:
    """Wrong arguments, and where the right ones are described."""
    from typer import Abort, TyperException

    if isinstance(error, Abort):
        return "stopped"
    if not isinstance(error, TyperException):
        return f"{type(error).__name__}: {error} (unexpected: {DEBUG} shows where)"
    message, context = error.format_message().rstrip("."), getattr(error, "ctx", None)
    separator = "" if message.endswith("?") else ";"
    return f"{message}{separator} see {context.command_path} --help" if context else message
