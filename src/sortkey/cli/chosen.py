"""What `sortkey up` runs: systems by their names, and models of one's own, no two with the same name or table."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sortkey.cli.failure import USAGE, CommandFailed
from sortkey.cli.hosting import names_of
from sortkey.cli.loading import SYSTEMS, load_model

if TYPE_CHECKING:
    from sortkey.model.patterns import Model
    from sortkey.runtime.store import Store

log = logging.getLogger("sortkey.up")
NONE = "none"
"""Instead of the systems' names: only models of one's own."""


def system_names(given: str | None) -> list[str]:
    """The systems of `--systems`; all without it."""
    if given == NONE:
        return []
    names = names_of(given, SYSTEMS)
    for name in names:
        if ":" in name or name.endswith(".py"):
            raise CommandFailed(f"{name!r} is no system: a model of your own is added with --model {name}", USAGE)
        if name not in SYSTEMS:
            raise CommandFailed(
                f"there is no system {name!r}: choose from {', '.join(SYSTEMS)}, or {NONE} for only those of --model",
                USAGE,
            )
    return names


def load_models(systems: Sequence[str], own: Sequence[str]) -> dict[str, Model]:
    """The models by what they were called. One that is named twice is there once."""
    loaded: dict[str, Model] = {}
    for name in (*systems, *own):
        model = load_model(name)
        if not any(model is each for each in loaded.values()):
            _check_is_new(name, model, loaded)
            loaded[name] = model
    return loaded


def ensure_tables(store: Store, models: Mapping[str, Model]) -> None:
    """Make those that are missing. What differs in the others is told, and left to whoever knows why."""
    for name, model in models.items():
        for difference in store.ensure(model):
            log.warning("%s: `sortkey plan %s` tells what to do", difference, name)


def _check_is_new(name: str, model: Model, loaded: Mapping[str, Model]) -> None:
    """A second table of one name would be the same table, with the items of both in it."""
    for other, there in loaded.items():
        if model.name == there.name:
            raise CommandFailed(f"{name} and {other} are both named {model.name!r}: give one another name", USAGE)
        for table in model.tables:
            if any(table.name == each.name for each in there.tables):
                raise CommandFailed(
                    f"{name} and {other} both have a table {table.name!r}: give one another name, "
                    f"or leave {other} out (--systems {NONE} leaves out all that ship)",
                    USAGE,
                )
