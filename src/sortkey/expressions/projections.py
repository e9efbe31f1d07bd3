"""Projection expressions: the part of an item that some paths select. Its lists hold only the
selected elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sortkey.expressions.compiled import Compiled, compiled
from sortkey.expressions.functions import check_words
from sortkey.expressions.grammar import parse_projection
from sortkey.expressions.paths import Parts, PathTree, distinct_paths
from sortkey.expressions.scope import Scope
from sortkey.values.attributes import AttributeValue, Item


@dataclass(frozen=True, slots=True)
class Projection:
    """Call it with an item. The result shares values with the item."""

    paths: tuple[Parts, ...]
    tree: PathTree
    top_level: frozenset[str] = field(init=False)
    whole: tuple[str, ...] | None = field(init=False)  # the names, where no path goes deeper

    def __post_init__(self) -> None:
        object.__setattr__(self, "top_level", frozenset(str(parts[0]) for parts in self.paths))
        flat = all(len(parts) == 1 for parts in self.paths)
        object.__setattr__(
            self, "whole", tuple(str(parts[0]) for parts in self.paths) if flat else None
        )

    def __call__(self, item: Item) -> Item:
        if self.whole is not None:
            return {name: item[name] for name in self.whole if name in item}
        return _select_members(item, self.tree)


def compile_projection(text: str, scope: Scope) -> Compiled[Projection]:
    source = parse_projection(text)
    check_words(source)
    paths, tree = distinct_paths(source.paths, scope.path)
    projection = Projection(tuple(paths), tree)
    return compiled(scope, lambda values: projection)


def project_names(names: Iterable[str]) -> Projection:
    """The projection to whole attributes with distinct names."""
    distinct = list(names)
    return Projection(
        tuple((name,) for name in distinct), {name: number for number, name in enumerate(distinct)}
    )


def select(item: Item, tree: PathTree) -> Item:
    return _select_members(item, tree)


def _select_members(
    members: dict[str, AttributeValue], tree: PathTree
) -> dict[str, AttributeValue]:
    selected: dict[str, AttributeValue] = {}
    for part, below in tree.items():
        value = members.get(part)  # pyright: ignore[reportArgumentType] the parts of a map are names
        if value is not None:
            chosen = value if isinstance(below, int) else _select(value, below)
            if chosen is not None:
                selected[str(part)] = chosen
    return selected


def _select(value: AttributeValue, tree: PathTree) -> AttributeValue | None:
    if isinstance(next(iter(tree)), str):
        members = value.get("M")
        chosen_members = None if members is None else _select_members(members, tree)
        return {"M": chosen_members} if chosen_members else None
    elements: list[Any] | None = value.get("L")
    if elements is None:
        return None
    chosen: list[AttributeValue] = []
    for index in sorted(part for part in tree if isinstance(part, int)):
        if index < len(elements):
            below = tree[index]
            element = elements[index] if isinstance(below, int) else _select(elements[index], below)
            if element is not None:
                chosen.append(element)
    return {"L": chosen} if chosen else None
