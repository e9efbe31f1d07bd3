"""Walks: paged requests, each continuing where the last answer ended. A merged walk reads the
shards of an index in one order.
"""

from __future__ import annotations

from base64 import b64decode
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from heapq import merge
from typing import Any

from sortkey.runtime.steps import Call, Steps
from sortkey.values.attributes import Item

PAGE_SIZE = 100
SHARD_PAGE = 10
"""The minimum page of a shard: a few more items are cheaper than a second request."""

Position = Any
"""The position of a walk as a JSON value."""


@dataclass(slots=True)
class Walk:
    """A paged request, which continues where the last answer ended.

    `keep` is a test for items that the service cannot filter, for example by the form of their key.
    """

    call: Call
    key_names: tuple[str, ...]
    keep: Callable[[Item], bool] | None = None
    start: Item | None = None
    is_done: bool = False

    def next(self, size: int | None) -> Steps[list[Item]]:
        request = dict(self.call.request)
        if self.start is not None:
            request["ExclusiveStartKey"] = self.start
        if size is not None:
            request["Limit"] = size
        answer = yield Call(self.call.operation, request, self.call.pattern)
        self.start = answer.get("LastEvaluatedKey")
        self.is_done = self.start is None
        items: list[Item] = answer["Items"]
        return items if self.keep is None else [item for item in items if self.keep(item)]

    @property
    def is_filtered(self) -> bool:
        return self.keep is not None or "FilterExpression" in self.call.request

    @property
    def position(self) -> Position:
        return self.start

    def resume(self, position: Position) -> None:
        self.start = position

    def place_of(self, item: Item) -> Item:
        """The start key for continuing after an item."""
        return {name: item[name] for name in self.key_names}


@dataclass(slots=True)
class Shard:
    """One of several walks: items that were read but not returned yet, and the position of the last
    returned one.
    """

    walk: Walk
    waiting: deque[Item] = field(default_factory=deque[Item])
    last_given: Item | None = None

    @property
    def is_done(self) -> bool:
        return self.walk.is_done and not self.waiting

    @property
    def is_dry(self) -> bool:
        """Whether it must be read before the next item is known."""
        return not self.waiting and not self.walk.is_done


class MergedWalk:
    """Several walks merged in one order. An item is returned once the next item of every shard is
    known.
    """

    is_filtered = False
    """It returns as many items as requested, whatever a filter drops."""

    def __init__(
        self, walks: Sequence[Walk], order: Callable[[Item], Any], *, is_descending: bool
    ) -> None:
        self._shards = [Shard(walk) for walk in walks]
        self._order, self._down = order, is_descending

    @property
    def is_done(self) -> bool:
        return all(shard.is_done for shard in self._shards)

    @property
    def position(self) -> Position:
        """The position of each shard: False if it is done, None if it has not started."""
        return [False if shard.is_done else shard.last_given for shard in self._shards]

    def resume(self, position: Position) -> None:
        for shard, place in zip(self._shards, position, strict=True):
            shard.walk.is_done = place is False
            shard.last_given = shard.walk.start = place or None

    def next(self, size: int | None) -> Steps[list[Item]]:
        """`size` items, or fewer at the end. Without a size, the items of one request per shard."""
        shard_size = (
            None if size is None else min(size, max(-(-size // len(self._shards)), SHARD_PAGE))
        )
        items: list[Item] = []
        while not self.is_done and (size is None or len(items) < size):
            yield from self._read(shard_size)
            self._give(items, size)
            if size is None and items:
                break
        return items

    def _read(self, size: int | None) -> Steps[None]:
        for shard in self._shards:
            while shard.is_dry:
                shard.waiting += yield from (
                    shard.walk.next(None) if size is None else fill(shard.walk, size)
                )

    def _give(self, items: list[Item], size: int | None) -> None:
        """Move items in order, until there are enough or a shard must be read."""
        for shard, item in merge(
            *map(_pairs, self._shards), key=lambda pair: self._order(pair[1]), reverse=self._down
        ):
            if len(items) == size:
                return
            items.append(shard.waiting.popleft())
            shard.last_given = shard.walk.place_of(item)
            if shard.is_dry:
                return


def _pairs(shard: Shard) -> Iterator[tuple[Shard, Item]]:
    return ((shard, item) for item in tuple(shard.waiting))


AnyWalk = Walk | MergedWalk


def fill(walk: AnyWalk, size: int | None) -> Steps[list[Item]]:
    """`size` items, or fewer at the end. Reads on if a filter drops items."""
    items: list[Item] = []
    page_size = size
    while not walk.is_done and (size is None or len(items) < size):
        left = None if size is None else size - len(items)
        page = yield from walk.next(page_size if walk.is_filtered else left)
        page_size = (
            None if page_size is None else min(page_size * 4, max(page_size, PAGE_SIZE))
        )  # read larger pages if a filter drops many
        room = len(page) if left is None else left
        items += page[:room]
        if len(page) > room and isinstance(walk, Walk):
            # Continue after the last returned item, not after the last one read.
            walk.start = walk.place_of(page[room - 1])
            walk.is_done = False
    return items


def sort_order(name: str | None, kind: str) -> Callable[[Item], Any]:
    """A sort key function for items by an attribute of a type."""
    if name is None:
        return lambda item: 0
    if kind == "N":
        return lambda item: Decimal(item[name]["N"])
    if kind == "B":
        return lambda item: b64decode(item[name]["B"])
    return lambda item: item[name]["S"]
