"""Requests that are sent again and again, each time from where the last answer ended; and several
of them at once, in one order: how the shards of an index are read as if they were one.
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
"""At least so many items are asked of a shard at once: a few more are cheaper than a second
request.
"""

Position = Any
"""Where a walk is, as JSON can hold it."""


@dataclass(slots=True)
class Walk:
    """A request that is sent again and again with the place where the last answer ended.

    `keep` drops what no filter of the service can: items that only the form of their key tells from
    those wanted.
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
        """Where to go on behind an item."""
        return {name: item[name] for name in self.key_names}


@dataclass(slots=True)
class Shard:
    """One of several walks: what was read of it and not given yet, and the place behind
    what was.
    """

    walk: Walk
    waiting: deque[Item] = field(default_factory=deque[Item])
    last_given: Item | None = None

    @property
    def is_done(self) -> bool:
        return self.walk.is_done and not self.waiting

    @property
    def is_dry(self) -> bool:
        """Whether it must be read before anybody knows what comes next."""
        return not self.waiting and not self.walk.is_done


class MergedWalk:
    """Several walks in one order. An item is given when every shard has shown its next, so none can
    come before it.
    """

    is_filtered = False
    """It gives as many items as it is asked for, whatever a filter drops."""

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
        """Of each shard: False where it is done, None where it has not begun."""
        return [False if shard.is_done else shard.last_given for shard in self._shards]

    def resume(self, position: Position) -> None:
        for shard, place in zip(self._shards, position, strict=True):
            shard.walk.is_done = place is False
            shard.last_given = shard.walk.start = place or None

    def next(self, size: int | None) -> Steps[list[Item]]:
        """So many items, or fewer at the end; without a size as many as one request to each shard
        tells of.
        """
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
        """Move items over in their order, until there are enough or a shard must be read again."""
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
    """Items until there are `size` of them, or no more. What a filter drops is made up for by
    reading on.
    """
    items: list[Item] = []
    page_size = size
    while not walk.is_done and (size is None or len(items) < size):
        left = None if size is None else size - len(items)
        page = yield from walk.next(page_size if walk.is_filtered else left)
        page_size = (
            None if page_size is None else min(page_size * 4, max(page_size, PAGE_SIZE))
        )  # a filter that drops much reads on
        room = len(page) if left is None else left
        items += page[:room]
        if len(page) > room and isinstance(walk, Walk):
            # Go on behind the last that is taken, not the last that was read.
            walk.start = walk.place_of(page[room - 1])
            walk.is_done = False
    return items


def sort_order(name: str | None, kind: str) -> Callable[[Item], Any]:
    """How items follow one another by an attribute of a type."""
    if name is None:
        return lambda item: 0
    if kind == "N":
        return lambda item: Decimal(item[name]["N"])
    if kind == "B":
        return lambda item: b64decode(item[name]["B"])
    return lambda item: item[name]["S"]
