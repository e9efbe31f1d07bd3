"""What a system's sample shows: each access pattern run as the console runs it, with texts from the
sample itself.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest

import sortkey
from sortkey import Entity, Model, Store
from sortkey.model.description import parameters_of
from sortkey.model.patterns import AccessPattern, sample
from sortkey.web.console.pattern_runs import run_pattern
from sortkey.web.console.request_log import RequestLog
from sortkey.web.console.workspace import Workspace


def with_sample(model: Model, load: Callable[[Store], object]) -> Any:
    """A fixture for a module: a store in memory with a model's tables and what `load` puts into
    them.
    """

    @pytest.fixture(scope="module")
    def store() -> Iterator[Store]:
        with sortkey.open(":memory:") as opened:
            opened.ensure(model)
            load(opened)
            yield opened

    return store


def everything(store: Store, model: Model) -> dict[str, list[Entity]]:
    """All that is stored, by its kind."""
    return {entity.__name__: list(store.scan(entity)) for entity in model.entities}


def silent(store: Store, model: Model, **more: str) -> list[str]:
    """The patterns that give nothing, whatever entity their arguments are from. `more` is what no
    entity has.
    """
    workspace, stored = Workspace(store, [model], RequestLog()), everything(store, model)
    return [
        each.name
        for each in model.patterns()
        if not _is_shown(workspace, model, each, stored, more)
    ]


def silent_examples(store: Store, model: Model) -> list[str]:
    """The patterns that give nothing for what their form shows as an example of each argument."""
    workspace = Workspace(store, [model], RequestLog())

    def finds(pattern: AccessPattern) -> bool:
        shown = {name: sample(name, kind) for name, kind in pattern.parameters.items()} | dict(
            pattern.example
        )
        texts = {name: _text(value) for name, value in shown.items()}
        return bool(run_pattern(workspace, model.name, pattern.name, texts).items)

    return [each.name for each in model.patterns() if not finds(each)]


def _is_shown(
    workspace: Workspace,
    model: Model,
    pattern: AccessPattern,
    stored: dict[str, list[Entity]],
    more: dict[str, str],
) -> bool:
    """With what the pattern needs, and with all that it takes."""
    takes = [each.name for each in parameters_of(pattern)]
    entities = [entity for name in pattern.entity.split(", ") for entity in stored[name]]

    def finds(names: list[str]) -> bool:
        given = (
            _texts(entity, names) | {name: more[name] for name in names if name in more}
            for entity in entities
        )
        return any(run_pattern(workspace, model.name, pattern.name, texts).items for texts in given)

    return finds([name for name in takes if name in pattern.parameters]) and finds(takes)


def _texts(entity: Entity, names: list[str]) -> dict[str, str]:
    return {
        name: _text(getattr(entity, name)) for name in names if name in type(entity).model_fields
    }


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value or "")
