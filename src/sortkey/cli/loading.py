"""Models by name, for commands: those that ship with Sortkey, and `module:attribute` of one's own."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from sortkey.cli.failure import FAILED, USAGE, CommandFailed

if TYPE_CHECKING:
    from sortkey.model.entity import Entity
    from sortkey.model.patterns import Model

SYSTEMS = ("applens", "wallcrawler", "jobengine", "travelguide", "vams")
"""The complete systems in `sortkey_systems`; each has a `model`."""

MODEL_HELP = f"{', '.join(SYSTEMS)}; or module:attribute of a model of your own, as shop.model:model"


def load_model(name: str) -> Model:
    """The model of a name. What cannot be found or loaded is one line that says what to do."""
    if name not in SYSTEMS and name.find(":") < 1:
        known = ", ".join(SYSTEMS)
        raise CommandFailed(f"there is no system {name!r}: use {known}, or module:attribute of your own model", USAGE)
    module, _, attribute = (f"sortkey_systems.{name}.model:model" if name in SYSTEMS else name).partition(":")
    found = getattr(_import(module), attribute, None)
    from sortkey.model.patterns import Model

    if not isinstance(found, Model):
        raise CommandFailed(f"{module} has no Model with the name {attribute!r}", USAGE)
    return found


def _import(module: str) -> Any:
    from importlib import import_module

    sys.path.insert(0, os.getcwd())  # as with `python -m`: what lies here can be named
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise CommandFailed(
                f"there is no module {error.name!r}: it is looked for in this folder and in the installed packages",
                USAGE,
            ) from None
        raise CommandFailed(f"{module} cannot be loaded: {error}", FAILED) from None
    except Exception as error:  # whatever a program of somebody else does while it is loaded
        raise CommandFailed(f"{module} cannot be loaded: {type(error).__name__}: {error}", FAILED) from error
    finally:
        sys.path.pop(0)


def part_of(system: str, part: str) -> Any:
    """A module of a system by its name: the library does not know the systems on it."""
    from importlib import import_module

    try:
        return import_module(f"sortkey_systems.{system}.{part}")
    except ModuleNotFoundError as error:
        raise CommandFailed(f"{error}: install sortkey[systems]", USAGE) from None


def find_entity(name: str) -> type[Entity]:
    """The entity of `model:Entity`."""
    model, colon, entity = name.rpartition(":")
    if not colon:
        raise CommandFailed(f"{name!r} is no entity: write it as model:Entity, as jobengine:Stage", USAGE)
    known = {each.__name__: each for each in load_model(model).entities}
    if entity not in known:
        raise CommandFailed(f"{model} has no entity {entity!r}; there are: {', '.join(known)}", USAGE)
    return known[entity]
