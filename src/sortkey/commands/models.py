"""Models by name, for commands: those of installed systems, or the user's own as
`module:attribute` or a file.
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
    "An installed system, or your own model as module:attribute (shop.model:model) or as a file "
    "(shop.py)."
)
MODEL_NAME = "model"
"""The attribute of a file, if none is given."""


def load_model(name: str) -> Model:
    """The model of an installed system, of `module:attribute`, or of a file."""
    source, colon, attribute = name.partition(":")
    if source.endswith(".py"):
        module, attribute = _import_file(source), attribute if colon else MODEL_NAME
    elif colon and source:
        module = _import(source, os.getcwd())  # as with `python -m`
    elif name in system_names():
        return model_of(name)
    else:
        raise CommandFailed(
            f"unknown model {name!r}: use an installed system ({', '.join(system_names())}), or "
            "your own model as module:attribute (shop:model) or as a file (shop.py)",
            USAGE,
        )
    return _model_of(module, source, attribute)


def _model_of(module: Any, source: str, attribute: str) -> Model:
    from sortkey.model.patterns import Model

    model = getattr(module, attribute, None)
    if not isinstance(model, Model):
        models = [
            f"{source}:{name}" for name in dir(module) if isinstance(getattr(module, name), Model)
        ]
        advice = f": use {', '.join(models)}" if models else ": it has no Model at all"
        raise CommandFailed(f"{source} has no Model with the name {attribute!r}{advice}", USAGE)
    return model


def _import_file(source: str) -> Any:
    """Import a file. Below the current folder its module name includes the folders, elsewhere it is
    the name of the file.
    """
    path = Path(source)
    if not path.is_file():
        raise CommandFailed(f"there is no file {source}", USAGE)
    here, whole = Path.cwd(), path.resolve()
    folder = here if whole.is_relative_to(here) else whole.parent
    module = _import(".".join(whole.relative_to(folder).with_suffix("").parts), str(folder))
    if Path(module.__file__ or "") != whole:
        raise CommandFailed(f"{source} has the name of another module: rename the file", USAGE)
    return module


def _import(module: str, folder: str) -> Any:
    from importlib import import_module

    sys.path.insert(0, folder)
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise CommandFailed(
                f"there is no module {error.name!r} in this folder or in the installed packages: "
                "check the name",
                USAGE,
            ) from None
        raise CommandFailed(f"{module} cannot be loaded: {error}", FAILED) from None
    except Exception as error:  # the user's module can raise anything while it is imported
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
            f"{name!r} is not an entity: write model:Entity, such as shop:Order", USAGE
        )
    known = {kind.__name__: kind for kind in load_model(model).entities}
    if entity not in known:
        raise CommandFailed(
            f"{model} has no entity {entity!r}: choose from {', '.join(known)}", USAGE
        )
    return known[entity]
