"""Document paths with their aliases replaced: how they are shown, followed, and kept from overlapping."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from sortkey.errors import ValidationException
from sortkey.expressions.faults import Fault
from sortkey.expressions.java_order import java_order
from sortkey.values.attributes import AttributeValue, Item

Parts = tuple[str | int, ...]
# What a set of paths selects: at each part either more parts, or the number of the path that ends there.
PathTree = dict[str | int, "int | PathTree"]
Getter = Callable[[Item], AttributeValue | None]

_Source = TypeVar("_Source")


def show(parts: Parts) -> str:
    """As in AWS's messages: "[a, b, [0]]"."""
    return "[" + ", ".join(f"[{part}]" if isinstance(part, int) else part for part in parts) + "]"


def getter(parts: Parts) -> Getter:
    """A function that finds the path's value in an item, or None."""
    top, rest = parts[0], parts[1:]
    assert isinstance(top, str)
    if not rest:
        return lambda item: item.get(top)

    def find(item: Item) -> AttributeValue | None:
        value = item.get(top)
        for part in rest:
            if value is None:
                return None
            if isinstance(part, str):
                members = value.get("M")
                value = None if members is None else members.get(part)
            else:
                elements = value.get("L")
                value = elements[part] if elements is not None and part < len(elements) else None
        return value

    return find


def distinct_paths(sources: Sequence[_Source], resolve: Callable[[_Source], Parts]) -> tuple[list[Parts], PathTree]:
    """Resolve paths that may not overlap; and their tree. AWS starts with the last path, and so do its messages."""
    paths: list[Parts] = []
    seen: PathTree = {}
    for source in reversed(sources):
        parts = resolve(source)
        paths.insert(0, parts)
        _insert(seen, parts, 0)
    tree: PathTree = {}
    for number, parts in enumerate(paths):
        _insert(tree, parts, number)
    return paths, tree


def check_key_paths(paths: Iterable[Parts], key_names: Iterable[str]) -> None:
    """Key attributes are scalars: no expression may look into one."""
    keys = frozenset(key_names)
    for parts in paths:
        if len(parts) > 1 and parts[0] in keys:
            raise ValidationException(
                "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
                f"Key: {parts[0]}"
            )


def _insert(tree: PathTree, parts: Parts, number: int) -> None:
    node = tree
    for depth, part in enumerate(parts):
        if node and isinstance(next(iter(node)), str) != isinstance(part, str):
            raise _clash("conflict", parts, parts[:depth] + _last(node))
        below = node.get(part)
        if depth == len(parts) - 1:
            if below is not None:
                raise _clash("overlap", parts, parts[:depth] + _last(node))
            node[part] = number
        elif isinstance(below, int):
            raise _clash("overlap", parts, parts[: depth + 1])
        else:
            if below is None:
                below = node[part] = {}
            node = below


def _last(tree: PathTree) -> Parts:
    """The path that AWS shows of those in a tree: at each part the last of a hash map's keys."""
    names = [part for part in tree if isinstance(part, str)]
    part = java_order(names)[-1] if names else max(tree)
    below = tree[part]
    return (part,) if isinstance(below, int) else (part, *_last(below))


def _clash(verb: str, one: Parts, two: Parts) -> Fault:
    return Fault(
        f"Two document paths {verb} with each other; must remove or rewrite one of these paths; "
        f"path one: {show(one)}, path two: {show(two)}"
    )
