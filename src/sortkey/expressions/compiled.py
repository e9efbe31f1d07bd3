"""Compiled expressions: made once per text, names and types of values, then applied to a request's
values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sortkey.expressions.scope import Scope, Values

CACHE_ENTRIES_MAX = 2048

Product = TypeVar("Product", covariant=True)


@dataclass(frozen=True, slots=True)
class Compiled(Generic[Product]):
    """`make` returns the product for a request. It checks only what depends on the values
    themselves.
    """

    names: frozenset[str]
    values: frozenset[str]
    make: Callable[[Values], Product]


def compiled(scope: Scope, make: Callable[[Values], Product]) -> Compiled[Product]:
    return Compiled(frozenset(scope.used_names), frozenset(scope.used_values), make)


class Cache:
    """The most recently used expressions. A hit moves to the end, and the first is evicted."""

    def __init__(self, entries_max: int = CACHE_ENTRIES_MAX) -> None:
        self._entries: dict[object, Compiled[Any]] = {}
        self._entries_max = entries_max

    def get(self, key: object) -> Compiled[Any] | None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._entries[key] = entry
        return entry

    def put(self, key: object, entry: Compiled[Any]) -> None:
        self._entries[key] = entry
        while len(self._entries) > self._entries_max:
            self._entries.pop(next(iter(self._entries)), None)

    def __len__(self) -> int:
        return len(self._entries)
