"""The systems that are installed, found by the entry point `sortkey.systems`. Listing them imports
none of them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sortkey.errors import NotConfigured
from sortkey.systems.system import System

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from sortkey.model.patterns import Model

GROUP = "sortkey.systems"


def system_names() -> tuple[str, ...]:
    """The names of all installed systems, sorted."""
    return tuple(sorted(_entries()))


def find_system(name: str) -> System:
    """An installed system by name. Raises NotConfigured if there is none, or if it cannot be
    loaded.
    """
    entry = _entry(name)
    try:
        system = entry.load()
    except Exception as error:
        raise NotConfigured(
            f"the system {name!r} cannot be loaded from {entry.value}: {type(error).__name__}: "
            f"{error}"
        ) from error
    if not isinstance(system, System) or system.name != name:
        actual = (
            f"the system {system.name!r}" if isinstance(system, System) else type(system).__name__
        )
        raise NotConfigured(
            f"the entry point {name} = {entry.value} leads to {actual}, not to a System named "
            f"{name!r}"
        )
    return system


def model_of(name: str) -> Model:
    """The model of an installed system."""
    system = find_system(name)
    return system.load(system.model)


def headline(name: str) -> str:
    """One line about a system, for lists: the first line of the docstring of the module that
    declares it.

    The module is read, not run: `sortkey --help` must not import every system.
    """
    import ast

    source = _source(_entry(name).module)
    docstring = ast.get_docstring(ast.parse(source)) if source else None
    return " ".join(docstring.split("\n\n")[0].split()) if docstring else f"Commands of {name}."


def _entry(name: str) -> EntryPoint:
    entry = _entries().get(name)
    if entry is None:
        known = ", ".join(system_names()) or "none"
        raise NotConfigured(f"there is no system {name!r}; installed: {known}")
    return entry


@cache
def _entries() -> dict[str, EntryPoint]:
    from importlib.metadata import (
        entry_points,
    )  # here: it takes longer to load than the rest of a command

    entries: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        other = entries.setdefault(entry.name, entry)
        if other.value != entry.value:  # the same line twice is one package on the path twice
            raise NotConfigured(
                f"two packages bring a system named {entry.name!r}, {other.value} and "
                f"{entry.value}: uninstall one"
            )
    return entries


def _source(module: str) -> str | None:
    """The text of a module. Finding it by its path runs no package on the way, which `find_spec`
    would.
    """
    from importlib.machinery import PathFinder

    path: list[str] | None = None
    spec = None
    name = ""
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        spec = PathFinder.find_spec(name, path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or ())
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    try:
        with open(spec.origin, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return None
