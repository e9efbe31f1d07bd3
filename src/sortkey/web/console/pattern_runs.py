"""An access pattern run from a form: its texts as values, the items that it gives, and what that
cost.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from sortkey.errors import ModelError
from sortkey.model.collections import CollectionQuery
from sortkey.model.description import parameters_of
from sortkey.model.entity import Entity
from sortkey.model.patterns import AccessPattern, Explanation, Read, explain, named
from sortkey.model.queries import ItemKey, Query
from sortkey.model.query_requests import whole
from sortkey.values.attributes import Item
from sortkey.values.sizes import item_size
from sortkey.web.console.workspace import PAGE, Workspace


@dataclass(frozen=True, slots=True)
class Found:
    """What an access pattern gave, and what it cost."""

    items: list[Item]
    kinds: list[str]
    cursor: str | None
    explanation: Explanation
    milliseconds: float


def run_pattern(
    workspace: Workspace,
    model: str,
    name: str,
    arguments: Mapping[str, str],
    cursor: str | None = None,
) -> Found:
    """Run an access pattern with arguments as texts. Raises ModelError for what it does
    not take.
    """
    pattern = named(workspace.models[model].patterns(), name)
    read = pattern.function(**typed(pattern, arguments))
    read = whole(read) if isinstance(read, Query) else read
    began = time.perf_counter()
    entities, after = _read(workspace, read, cursor)
    milliseconds = (time.perf_counter() - began) * 1000
    items = [entity.to_item() for entity in entities]
    told = explain(read, name, max(len(items), 1), _average(items))
    return Found(items, [type(each).__name__ for each in entities], after, told, milliseconds)


def _read(workspace: Workspace, read: Read, cursor: str | None) -> tuple[list[Entity], str | None]:
    if isinstance(read, ItemKey):
        found = workspace.store.find(read)
        return ([] if found is None else [found]), None
    if isinstance(read, CollectionQuery):
        return list(workspace.store.collection(read)), None
    page = workspace.store.page(read, cursor=cursor, size=PAGE)
    return page.items, page.cursor


def typed(pattern: AccessPattern, arguments: Mapping[str, str]) -> dict[str, Any]:
    """Texts of a form as the values that a pattern takes; what is empty is left out."""
    known = {each.name: each for each in parameters_of(pattern)}
    made: dict[str, Any] = {}
    for name, text in arguments.items():
        if not text:
            continue
        if name not in known:
            raise ModelError(f"{pattern.name} takes no {name}")
        try:
            made[name] = TypeAdapter(pattern.parameters.get(name, Any)).validate_python(text)
        except ValidationError as error:
            raise ModelError(f"{name}: {error.errors()[0]['msg']}") from None
    missing = [
        each.name for each in known.values() if each.default is each.empty and each.name not in made
    ]
    if missing:
        raise ModelError(f"{pattern.name} needs {', '.join(missing)}")
    return made


def _average(items: Sequence[Item]) -> int:
    return max(1, sum(map(item_size, items)) // len(items)) if items else 1024
