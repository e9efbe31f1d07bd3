"""Document paths with their aliases replaced: how they are printed, followed, and checked for
overlaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from sortkey.errors import ValidationException
from sortkey.expressions.faults import Fault
from sortkey.expressions.java_order import java_order
from sortkey.values.attributes import AttributeValue, Item

Parts = tuple[str | int, ...]
# What a set of paths selects: each part leads to more parts, or to the number of the path that ends
# there.
PathTree = dict[str | int, "int | PathTree"]
Getter = Callable[[Item], AttributeValue | None]

PATH_LEVELS_MAX = 32

_Source = TypeVar("_Source")
# What a part's class adds to the hash of its name or index. DynamoDB Local reveals it by the fault
# that it reports of two.
_PART_SALT = 127 * 8191


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


def check_levels(parts: Parts) -> None:
    """Refuse a path that is deeper than items can nest."""
    if len(parts) > PATH_LEVELS_MAX:
        raise Fault(f"The document path has too many nesting levels; nesting levels: {len(parts)}")


def top_level(paths: Iterable[Parts]) -> frozenset[str]:
    """The names of the top-level attributes of the paths."""
    return frozenset(str(parts[0]) for parts in paths)


def distinct_paths(
    sources: Sequence[_Source], resolve: Callable[[_Source], Parts]
) -> tuple[list[Parts], PathTree]:
    """Resolve paths that must not overlap, and their tree. AWS starts with the last path, and so do
    its messages.
    """
    paths: list[Parts] = []
    tree: PathTree = {}
    for number in reversed(range(len(sources))):
        parts = resolve(sources[number])
        check_levels(parts)
        paths.insert(0, parts)
        _insert(tree, parts, number)
    return paths, tree


def evaluation_order(tree: PathTree) -> PathTree:
    """The tree with its parts in the order in which AWS evaluates updates. The first failure is
    reported.
    """
    return {
        part: below if isinstance(below := tree[part], int) else evaluation_order(below)
        for part in _mapped(tree)
    }


def check_key_paths(paths: Iterable[Parts], key_names: Iterable[str], title: str = "Key") -> None:
    """Refuse paths into key attributes, which are scalars."""
    deep = {parts[0] for parts in paths if len(parts) > 1}
    for name in key_names:
        if name in deep:
            raise ValidationException(
                "Key attributes must be scalars; list random access '[]' and map lookup '.' are "
                "not allowed: "
                f"{title}: {name}"
            )


def _insert(tree: PathTree, parts: Parts, number: int) -> None:
    node = tree
    for depth, part in enumerate(parts):
        if node and isinstance(next(iter(node)), str) != isinstance(part, str):
            raise _clash("conflict", parts, parts[:depth] + _first(node))
        below = node.get(part)
        ends = depth == len(parts) - 1
        if isinstance(below, int) or (ends and below is not None):
            raise _clash("overlap", parts, parts[:depth] + _first(node))
        if ends:
            node[part] = number
        else:
            if below is None:
                below = node[part] = {}
            node = below


def _mapped(tree: PathTree) -> list[str | int]:
    """The top-level parts of a tree in the order of AWS's hash map."""
    return java_order(tree, _PART_SALT)


def _first(tree: PathTree) -> Parts:
    """The path of a tree that AWS shows: at each part the first key of a hash map."""
    part = _mapped(tree)[0]
    below = tree[part]
    return (part,) if isinstance(below, int) else (part, *_first(below))


def _clash(verb: str, one: Parts, two: Parts) -> Fault:
    return Fault(
        f"Two document paths {verb} with each other; must remove or rewrite one of these paths; "
        f"path one: {show(one)}, path two: {show(two)}"
    )
