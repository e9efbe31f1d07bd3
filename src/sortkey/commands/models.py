"""Models by name, for commands: those of installed systems, and `module:attribute` or a file of
your own.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortkey.commands.failure import FAILED, USAGE, CommandFailed
from sortkey.systems.installed import model_of, system_names

if TYPE_CHECKING:
    from sortkey.model.entity import Entity
    from sortkey.model.patterns import Model

MODEL_HELP = (
    "An installed system; or module:attribute of a model of your own, as shop.model:model; or its "
    "file, as shop.py"
)
MODEL_NAME = "model"
"""The attribute of a file that is named without one."""


def load_model(name: str) -> Model:
    """The model of an installed system, of `module:attribute`, or of a file."""
    source, colon, attribute = name.partition(":")
    if source.endswith(".py"):
        module, attribute = _import_file(source), attribute if colon else MODEL_NAME
    elif colon and source:
        module = _import(
            source, os.getcwd()
        )  # as with `python -m`: modules in this folder can be named
    elif name in system_names():
        return model_of(name)
    else:
        raise CommandFailed(
            f"there is no system {name!r}: use {', '.join(system_names())}, or module:attribute of "
            "your own model, as"
            " shop:model, or its file, as shop.py",
            USAGE,
        )
    return _model_of(module, source, attribute)


def _model_of(module: Any, source: str, attribute: str) -> Model:
    from sortkey.model.patterns import Model

    found = getattr(module, attribute, None)
    if not isinstance(found, Model):
        there = [
            f"{source}:{each}" for each in dir(module) if isinstance(getattr(module, each), Model)
        ]
        told = f"; there is {', '.join(there)}" if there else "; it has no Model at all"
        raise CommandFailed(f"{source} has no Model with the name {attribute!r}{told}", USAGE)
    return found


def _import_file(source: str) -> Any:
    """A file in or below this folder is the module that it is from here; any other is one of its
    own folder.
    """
    path = Path(source)
    if not path.is_file():
        raise CommandFailed(f"there is no file {source}", USAGE)
    here, whole = Path.cwd(), path.resolve()
    folder = here if whole.is_relative_to(here) else whole.parent
    module = _import(".".join(whole.relative_to(folder).with_suffix("").parts), str(folder))
    if Path(module.__file__ or "") != whole:
        raise CommandFailed(f"another module has the name of {source}: rename the file", USAGE)
    return module


def _import(module: str, folder: str) -> Any:
    from importlib import import_module

    sys.path.insert(0, folder)
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise CommandFailed(
                f"there is no module {error.name!r}: it is looked for in this folder and in the "
                "installed packages",
                USAGE,
            ) from None
        raise CommandFailed(f"{module} cannot be loaded: {error}", FAILED) from None
    except Exception as error:  # whatever a program of somebody else does while it is loaded
        raise CommandFailed(
            f"{module} cannot be loaded: {type(error).__name__}: {error}", FAILED
        ) from error
    finally:
        sys.path.pop(0)


def find_entity(name: str) -> type[Entity]:
    """The entity of `model:Entity`."""
    model, colon, entity = name.rpartition(":")
    if not colon:
        raise CommandFailed(
            f"{name!r} is no entity: write it as model:Entity, as shop:Order", USAGE
        )
    known = {each.__name__: each for each in load_model(model).entities}
    if entity not in known:
        raise CommandFailed(
            f"{model} has no entity {entity!r}; there are: {', '.join(known)}", USAGE
        )
    return known[entity]
