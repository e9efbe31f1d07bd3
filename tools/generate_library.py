"""Writes docs/reference/library.md from the library itself: every public name with its signature
and docstring.

`--check` compares and writes nothing.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import sortkey
from tools.generated import keep

PAGE = Path(__file__).parents[1] / "docs/reference/library.md"
HEAD = """\
# The library

Written by `tools/generate_library.py` from the docstrings of what `import sortkey` gives. Names are loaded when they
are first used. How they belong together: [the model](../model.md), and the pages under how-to.
"""
ROOMS = {
    "model": "The model",
    "runtime": "Stores, and what stands on them",
    "connect": "Opening",
}


def generate() -> str:
    """A section for each room, in it the names in the order of the alphabet."""
    names = [name for name in sortkey.__all__ if not name.startswith("__")]
    exports = {name: getattr(sortkey, name) for name in names}
    parts = [HEAD]
    for room, title in ROOMS.items():
        parts.append(f"## {title}\n")
        for name, value in sorted(exports.items(), key=lambda entry: entry[0].lower()):
            if _room(name) == room:
                parts += _section(name, value)
    return "\n".join(parts).rstrip() + "\n"


def main(arguments: list[str]) -> int:
    return keep(PAGE, generate(), arguments, "the library")


def _room(name: str) -> str:
    return next(room.partition(".")[0] for room, names in sortkey._ROOMS.items() if name in names)  # pyright: ignore


def _section(name: str, value: Any) -> Iterator[str]:
    yield f"### {name}\n"
    if inspect.isfunction(value):
        signature = re.sub(
            r"<function [^>]*<lambda>[^>]*>|<.* at 0x\w+>", "…", str(inspect.signature(value))
        )
        signature = signature.replace("'", "")
        yield f"```text\n{name}{signature}\n```\n"
    yield f"{_doc(name, value)}\n"
    if inspect.isclass(value):
        yield from _methods(value)


def _methods(of: type[Any]) -> Iterator[str]:
    """The public methods that the class declares, and those of its bases that are not public
    themselves.
    """
    rows: list[str] = []
    bases = [
        base
        for base in of.__mro__[1:]
        if base.__module__.startswith("sortkey.") and not hasattr(sortkey, base.__name__)
    ]
    for name, value in chain.from_iterable(vars(class_).items() for class_ in (of, *bases)):
        function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        rows.append(
            f"| `{name}` | {' '.join(inspect.cleandoc(function.__doc__).split())} |".replace(
                "\\", "\\\\"
            )
        )
    if rows:
        yield "\n".join(["| method | |", "|---|---|", *rows]) + "\n"


def _doc(name: str, value: Any) -> str:
    """A docstring; of a value or an alias the text that stands under it, or else how it is
    written.
    """
    if inspect.isclass(value) or inspect.isfunction(value):
        return inspect.getdoc(value) or ""
    room = next(room for room, names in sortkey._ROOMS.items() if name in names)  # pyright: ignore
    source = inspect.getsource(import_module(f"sortkey.{room}"))
    body = ast.parse(source).body
    for at, statement in enumerate(body):
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            following = body[at + 1] if at + 1 < len(body) else None
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                return inspect.cleandoc(str(following.value.value))
            return f"```text\n{ast.get_source_segment(source, statement)}\n```"
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
