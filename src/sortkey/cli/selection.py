"""What `sortkey up` and `sortkey rest` run: installed systems and the user's own models, with
unique names.
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
"""Instead of names: no system, only the user's own models."""


def select_systems(names: str | None) -> list[System]:
    """The systems of `--systems A,B`. None means all installed systems."""
    if names == NONE:
        return []
    selected = [name.strip() for name in names.split(",")] if names else system_names()
    for name in selected:
        if ":" in name or name.endswith(".py"):
            raise CommandFailed(
                f"{name!r} is not a system: add your own model with --model {name}", USAGE
            )
        if name not in system_names():
            known = ", ".join(system_names())
            raise CommandFailed(f"unknown system {name!r}: choose from {known}, or {NONE}", USAGE)
    return [find_system(name) for name in selected]


def served_systems(names: str | None) -> list[System]:
    """The same, but only systems that have routes."""
    systems = select_systems(names)
    with_routes = [system for system in systems if system.routes]
    if (names and len(with_routes) < len(systems)) or not with_routes:
        without = [system.name for system in systems if not system.routes]
        known = ", ".join(name for name in system_names() if find_system(name).routes)
        raise CommandFailed(
            f"{', '.join(without) or names} has no REST interface: choose from {known}", USAGE
        )
    return with_routes


def load_models(systems: Sequence[System], own: Sequence[str]) -> dict[str, Model]:
    """The models by the names that were given. A model that is named twice is included once."""
    loaded: dict[str, Model] = {}
    for name in (*(system.name for system in systems), *own):
        model = load_model(name)
        if not any(model is other for other in loaded.values()):
            _check_unique(name, model, loaded)
            loaded[name] = model
    return loaded


def _check_unique(name: str, model: Model, loaded: Mapping[str, Model]) -> None:
    """Two tables of the same name would be one table, with the items of both."""
    for other_name, other in loaded.items():
        if model.name == other.name:
            raise CommandFailed(
                f"{name} and {other_name} are both named {model.name!r}: rename one of them", USAGE
            )
        for table in model.tables:
            if any(table.name == same.name for same in other.tables):
                raise CommandFailed(
                    f"{name} and {other_name} both have a table {table.name!r}: rename one of "
                    f"them, or omit {other_name} (--systems {NONE} omits all systems)",
                    USAGE,
                )
