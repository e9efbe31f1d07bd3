"""What `sortkey up` and `sortkey rest` run: installed systems, and models of your own, without
clashes of names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.models import load_model
from sortkey.systems.installed import find_system, system_names

if TYPE_CHECKING:
    from sortkey.model.patterns import Model
    from sortkey.systems import System

NONE = "none"
"""In the place of names: no system, only models of your own."""


def select_systems(given: str | None) -> list[System]:
    """The systems of `--systems A,B`; without it, all that are installed."""
    if given == NONE:
        return []
    names = [name.strip() for name in given.split(",")] if given else system_names()
    for name in names:
        if ":" in name or name.endswith(".py"):
            raise CommandFailed(
                f"{name!r} is not a system: add a model of your own with --model {name}", USAGE
            )
        if name not in system_names():
            known = ", ".join(system_names())
            raise CommandFailed(
                f"there is no system {name!r}: choose from {known}, or {NONE}", USAGE
            )
    return [find_system(name) for name in names]


def served_systems(given: str | None) -> list[System]:
    """The same, but only systems that have routes."""
    systems = select_systems(given)
    with_routes = [system for system in systems if system.routes]
    if (given and len(with_routes) < len(systems)) or not with_routes:
        without = [system.name for system in systems if not system.routes]
        known = ", ".join(name for name in system_names() if find_system(name).routes)
        raise CommandFailed(
            f"{', '.join(without) or given} has no REST interface: choose from {known}", USAGE
        )
    return with_routes


def load_models(systems: Sequence[System], own: Sequence[str]) -> dict[str, Model]:
    """The models by what they were called. One that is named twice is there once."""
    loaded: dict[str, Model] = {}
    for name in (*(system.name for system in systems), *own):
        model = load_model(name)
        if not any(model is each for each in loaded.values()):
            _check_is_new(name, model, loaded)
            loaded[name] = model
    return loaded


def _check_is_new(name: str, model: Model, loaded: Mapping[str, Model]) -> None:
    """A second table of the same name would be the same table, with the items of both in it."""
    for other_name, other in loaded.items():
        if model.name == other.name:
            raise CommandFailed(
                f"{name} and {other_name} are both named {model.name!r}: rename one of them", USAGE
            )
        for table in model.tables:
            if any(table.name == each.name for each in other.tables):
                raise CommandFailed(
                    f"{name} and {other_name} both have a table {table.name!r}: rename one of "
                    "them, "
                    f"or leave {other_name} out (--systems {NONE} leaves out all systems)",
                    USAGE,
                )
