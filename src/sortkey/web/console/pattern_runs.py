"""Runs an access pattern with arguments from a form, and returns the items and the cost."""

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
class PatternRun:
    """The items that an access pattern returned, and the cost."""

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
) -> PatternRun:
    """Run an access pattern with arguments as texts. Raises ModelError for invalid arguments."""
    pattern = named(workspace.models[model].patterns(), name)
    read = pattern.function(**typed(pattern, arguments))
    read = whole(read) if isinstance(read, Query) else read
    began = time.perf_counter()
    entities, after = _read(workspace, read, cursor)
    milliseconds = (time.perf_counter() - began) * 1000
    items = [entity.to_item() for entity in entities]
    explanation = explain(read, name, max(len(items), 1), _average(items))
    return PatternRun(
        items, [type(entity).__name__ for entity in entities], after, explanation, milliseconds
    )


def _read(workspace: Workspace, read: Read, cursor: str | None) -> tuple[list[Entity], str | None]:
    if isinstance(read, ItemKey):
        entity = workspace.store.find(read)
        return ([] if entity is None else [entity]), None
    if isinstance(read, CollectionQuery):
        return list(workspace.store.collection(read)), None
    page = workspace.store.page(read, cursor=cursor, size=PAGE)
    return page.items, page.cursor


def typed(pattern: AccessPattern, arguments: Mapping[str, str]) -> dict[str, Any]:
    """Convert the texts of a form to a pattern's arguments. Empty texts are omitted."""
    known = {parameter.name: parameter for parameter in parameters_of(pattern)}
    values: dict[str, Any] = {}
    for name, text in arguments.items():
        if not text:
            continue
        if name not in known:
            raise ModelError(
                f"{pattern.name} has no argument {name!r}: it takes {', '.join(known) or 'none'}"
            )
        try:
            values[name] = TypeAdapter(pattern.parameters.get(name, Any)).validate_python(text)
        except ValidationError as error:
            raise ModelError(f"{name}: {error.errors()[0]['msg']}") from None
    missing = [
        parameter.name
        for parameter in known.values()
        if parameter.default is parameter.empty and parameter.name not in values
    ]
    if missing:
        raise ModelError(f"{pattern.name} needs {', '.join(missing)}: fill in every field")
    return values


def _average(items: Sequence[Item]) -> int:
    return max(1, sum(map(item_size, items)) // len(items)) if items else 1024
