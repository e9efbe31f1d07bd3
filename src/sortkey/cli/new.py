"""`sortkey new`: generates projects."""

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
"""The suffix of templates, so that no tool treats them as Python."""
EXAMPLES = examples("sortkey new system tasks")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

app = typer.Typer(no_args_is_help=True)


@app.callback()
def new() -> None:
    """Generate a project."""


@app.command(
    epilog=examples("sortkey new system tasks", "sortkey new system tasks --into ~/code/tasks")
)
def system(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Lower-case letters, digits and hyphens.")
    ],
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Where to write it (default: a folder with that name)."
        ),
    ] = None,
) -> None:
    """Generate a small, complete system: model, service, routes, page, commands, sample data,
    tests.
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
            f"{name!r} is not a valid name: use lower-case letters, digits and hyphens", USAGE
        )
    package = name.replace("-", "_")
    if name in COMMANDS or name in system_names():
        raise CommandFailed(f"{name!r} is already a command or system: choose another name", USAGE)
    if (
        keyword.iskeyword(package)
        or package in sys.stdlib_module_names
        or package in ("sortkey", "tests")
    ):
        raise CommandFailed(f"{name!r} would shadow a Python module: choose another name", USAGE)


def _words(name: str) -> dict[str, str]:
    """The values that fill the templates."""
    parts = name.split("-")
    return {
        "name": name,
        "package": "_".join(parts),
        "title": " ".join(parts).capitalize(),
        "table": "".join(part.capitalize() for part in parts) + "Table",
    }


def _templates(folder: Traversable, path: Path) -> list[tuple[Path, str]]:
    """Every template, with its path in the project."""
    templates: list[tuple[Path, str]] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            templates += _templates(entry, path / entry.name)
        elif entry.name.endswith(SUFFIX):
            target = path / entry.name.removesuffix(SUFFIX)
            templates.append((target, entry.read_text(encoding="utf-8")))
    return templates


def _target(path: Path, package: str) -> Path:
    if path.parts[0] == "src":
        return Path("src", package, *path.parts[1:])
    return Path(".gitignore") if path.name == "gitignore" else path
