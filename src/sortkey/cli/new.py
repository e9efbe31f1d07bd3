"""`sortkey new`: projects to begin with."""

from __future__ import annotations

import keyword
import re
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.help import examples

TEMPLATES = "new_system"
SUFFIX = ".txt"
"""Of the templates, so that no tool takes them for Python."""
EXAMPLES = examples("sortkey new system tasks")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

app = typer.Typer(no_args_is_help=True)


@app.callback()
def new() -> None:
    """Write a project to begin with."""


@app.command(
    epilog=examples("sortkey new system tasks", "sortkey new system tasks --into ~/code/tasks")
)
def system(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Lower-case letters, digits and hyphens.")
    ],
    into: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where to write it (default: a folder of that name)."),
    ] = None,
) -> None:
    """Write a small, complete system of your own: model, service, routes, page, commands, sample
    data, tests.
    """
    _check(name)
    folder = into or Path(name)
    if folder.exists() and any(folder.iterdir()):
        raise CommandFailed(f"{folder} is not empty: choose another folder with --into", USAGE)
    words = _words(name)
    for path, template in _templates(files("sortkey.cli") / TEMPLATES, Path()):
        target = folder / _target(path, words["package"])
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Template(template).substitute(words), encoding="utf-8")
    (folder / "src" / words["package"] / "py.typed").touch()
    print(f"wrote {folder}; next: cd {folder} && make test && make up")


def _check(name: str) -> None:
    from sortkey.cli import COMMANDS
    from sortkey.systems.installed import system_names

    if not _NAME.fullmatch(name):
        raise CommandFailed(
            f"{name!r} cannot name a system: use lower-case letters, digits and hyphens", USAGE
        )
    package = name.replace("-", "_")
    if name in COMMANDS or name in system_names():
        raise CommandFailed(
            f"{name!r} is the name of a command or system already: choose another", USAGE
        )
    if (
        keyword.iskeyword(package)
        or package in sys.stdlib_module_names
        or package in ("sortkey", "tests")
    ):
        raise CommandFailed(
            f"{name!r} would hide a Python module of that name: choose another", USAGE
        )


def _words(name: str) -> dict[str, str]:
    """What the templates leave open."""
    parts = name.split("-")
    return {
        "name": name,
        "package": "_".join(parts),
        "title": " ".join(parts).capitalize(),
        "table": "".join(part.capitalize() for part in parts) + "Table",
    }


def _templates(folder: Traversable, path: Path) -> list[tuple[Path, str]]:
    """Every template with its path in the project."""
    found: list[tuple[Path, str]] = []
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            found += _templates(each, path / each.name)
        elif each.name.endswith(SUFFIX):
            found.append((path / each.name.removesuffix(SUFFIX), each.read_text(encoding="utf-8")))
    return found


def _target(path: Path, package: str) -> Path:
    if path.parts[0] == "src":
        return Path("src", package, *path.parts[1:])
    return Path(".gitignore") if path.name == "gitignore" else path
