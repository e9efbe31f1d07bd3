"""Stores: they run the operations of the model on a backend. Thin; the logic is in the steps, so there is one of it."""

from __future__ import annotations

import os
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sortkey.errors import ModelError, ResourceNotFoundException
from sortkey.model.attributes import Action
from sortkey.model.collections import CollectionQuery, Grouped
from sortkey.model.entity import Entity
from sortkey.model.operations import Delete, Test, Write
from sortkey.model.queries import ItemKey, Query
from sortkey.runtime import batches, cursors, paging, reads, transactions, writes
from sortkey.runtime.arguments import key_of, move_of, update_of
from sortkey.runtime.backend import AsyncBackend, Backend
from sortkey.runtime.context import Context, Live
from sortkey.runtime.metrics import METERED, Metrics
from sortkey.runtime.missing import missing_table
from sortkey.runtime.paging import PAGE_SIZE, Page
from sortkey.runtime.steps import Call, Sleep, Steps
from sortkey.runtime.upkeep import AsyncUpkeep, Upkeep

__all__ = ["AsyncStore", "Metrics", "Page", "Store"]

T = TypeVar("T")
E = TypeVar("E", bound=Entity)


class _Common:
    """What both kinds of store are made of."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        secret: bytes | None = None,
        tenant: str = "",
        metrics: Metrics | None = None,
        random: Callable[[], float] = random.random,
        hide_expired: bool = False,
    ) -> None:
        """With `hide_expired` no read gives an item that has expired, as if the sweep were always on time."""
        # Without a secret cursors hold as long as the program runs.
        self._context = Context(clock, random, secret or os.urandom(32), tenant, hide_expired=hide_expired)
        self.metrics = metrics

    def sign_cursor(self, about: Mapping[str, Any], position: Any) -> str:
        """A cursor for a place in pages that are no query of a table. `about` says of what, and is not to be read."""
        return cursors.sign(self._context.secret, self._context.tenant, dict(about), position)

    def read_cursor(self, about: Mapping[str, Any], cursor: str) -> Any:
        """The place in such a cursor. Raises BadCursor for one that is not ours, or about something else."""
        return cursors.read(self._context.secret, self._context.tenant, dict(about), cursor)

    def _failed(self, call: Call, error: Exception) -> None:
        if self.metrics is not None:
            self.metrics.failed(error)
        if isinstance(error, ResourceNotFoundException) and call.operation in METERED:
            raise missing_table(call.request) from error

    def _live(self, key: ItemKey[Any], fresh: bool) -> Live | None:
        if fresh and key.table.ttl is None:
            raise ModelError(f"{key.table.name} has no TTL: nothing in it expires")
        return self._context.live(key.table, fresh=fresh)


class Store(_Common, Upkeep):
    """Runs operations and waits for them. Safe to share between threads. What it does for whole tables is in Upkeep."""

    def __init__(self, backend: Backend, *, sleep: Callable[[float], None] = time.sleep, **settings: Any) -> None:
        super().__init__(**settings)
        self.backend = backend
        self._sleep = sleep

    def run(self, steps: Steps[T]) -> T:
        """Drive the steps of an operation to their result."""
        try:
            step = next(steps)
            while True:
                if isinstance(step, Sleep):
                    self._sleep(step.seconds)
                    step = steps.send({})
                    continue
                try:
                    answer = self._call(step)
                except Exception as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return end.value

    def _call(self, call: Call) -> dict[str, Any]:
        try:
            if self.metrics is None:
                return self.backend.call(call.operation, call.request)
            call = self.metrics.asked(call)
            answer = self.backend.call(call.operation, call.request)
        except Exception as error:
            self._failed(call, error)
            raise
        self.metrics.count(call, answer)
        return answer

    # -- one item

    def get(self, key: ItemKey[E], *, consistent: bool = False, fresh: bool = False) -> E:
        """The item under a key. Raises NotFound; when `fresh`, also for one that has expired."""
        return reads.required(key, self._call(reads.getting(key, consistent)), self._live(key, fresh))

    def find(self, key: ItemKey[E], *, consistent: bool = False, fresh: bool = False) -> E | None:
        """The item under a key, or None; when `fresh`, also for one that has expired."""
        return reads.found(key, self._call(reads.getting(key, consistent)), self._live(key, fresh))

    def create(self, entity: E, *, when: Test = None) -> E:
        """Store a new entity. Raises AlreadyExists."""
        return self.run(writes.put(self._context, entity, "create", when))

    def put(self, entity: E, *, when: Test = None) -> E:
        """Store an entity in the place of what is there. Raises TransitionRefused where its status cannot follow."""
        return self.run(writes.put(self._context, entity, "put", when))

    def save(self, entity: E, *, when: Test = None) -> E:
        """Store an entity unless somebody else has since it was read. Raises StaleVersion."""
        return self.run(writes.put(self._context, entity, "save", when))

    def update(
        self,
        key: ItemKey[E],
        *actions: Action,
        set: Mapping[str, Any] | None = None,
        when: Test = None,
        assuming: Mapping[str, Any] | None = None,
        upsert: bool = False,
    ) -> E:
        """Change some fields; gives the entity as it is now. `assuming` names values that index keys need besides."""
        return self.run(writes.update(self._context, update_of(key, actions, set, when, assuming, upsert)))

    def move(self, key: ItemKey[E], field: Any, to: Any, *, set: Mapping[str, Any] | None = None) -> E:
        """Make a transition of a status field. Raises TransitionRefused."""
        return self.run(writes.update(self._context, move_of(key, field, to, set)))

    def delete(self, of: ItemKey[E] | E, *, when: Test = None) -> E | None:
        """Delete an item; gives what was there."""
        return self.run(writes.delete(self._context, Delete(key_of(of), when)))

    def archive(self, entity: E) -> E:
        """Move an entity into the archive."""
        return self.run(writes.archive(self._context, entity, restore=False))

    def restore(self, entity: E) -> E:
        """Move an entity out of the archive."""
        return self.run(writes.archive(self._context, entity, restore=True))

    # -- many items

    def batch_get(self, keys: Sequence[ItemKey[E]], *, consistent: bool = False, fresh: bool = False) -> list[E | None]:
        """Many items, in the order of their keys; None for what is not there."""
        return self.run(batches.batch_get(self._context, keys, consistent=consistent, fresh=fresh))

    def batch_write(self, puts: Sequence[Entity] = (), deletes: Sequence[ItemKey[Any]] = ()) -> list[Entity]:
        """Many puts and deletes, each for itself: no transaction, no conditions, so that no transition is checked."""
        return self.run(batches.batch_write(self._context, puts, deletes))

    def transact(self, *operations: Write[Any], token: str | None = None) -> None:
        """All of the writes, or none. Raises TransactionFailed."""
        self.run(transactions.transact(self._context, operations, token=token))

    # -- queries

    def query(self, query: Query[E]) -> list[E]:
        """Every entity of a query, up to its limit."""
        return self.run(paging.query_all(self._context, query))

    def first(self, query: Query[E]) -> E | None:
        return self.run(paging.first(self._context, query))

    def page(self, query: Query[E], *, cursor: str | None = None, size: int = PAGE_SIZE) -> Page[E]:
        """A page, and the cursor of the next."""
        return self.run(paging.page(self._context, query, cursor, size))

    def iterate(self, query: Query[E], *, size: int | None = None) -> Iterator[E]:
        """The entities of a query one by one, read page by page."""
        walk, left = paging.walk_of(self._context, query), query.limited_to
        while not walk.is_done:
            for entity in self.run(paging.next_page(self._context, query, walk, size)):
                yield entity
                left = None if left is None else left - 1
                if left == 0:
                    return

    def keys(self, query: Query[E]) -> list[ItemKey[E]]:
        """The keys of what a query finds."""
        return self.run(paging.keys(self._context, query))

    def count(self, query: Query[Any]) -> int:
        return self.run(paging.count(self._context, query))

    def collection(self, collection: CollectionQuery) -> Grouped:
        """The entities of several kinds in one partition."""
        return self.run(paging.collect(self._context, collection))

    def scan(self, of: type[E]) -> list[E]:
        """Every entity of a kind, by reading the whole table."""
        return self.run(paging.scan(self._context, of))

    def close(self) -> None:
        self.backend.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class AsyncStore(_Common, AsyncUpkeep):
    """Runs the same operations, awaited."""

    def __init__(self, backend: AsyncBackend, *, sleep: Callable[[float], Any] | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self.backend = backend
        if sleep is None:
            from asyncio import sleep  # here: a program that does not await need not load it
        self._sleep = sleep

    async def run(self, steps: Steps[T]) -> T:
        """Drive the steps of an operation to their result."""
        try:
            step = next(steps)
            while True:
                if isinstance(step, Sleep):
                    await self._sleep(step.seconds)
                    step = steps.send({})
                    continue
                try:
                    answer = await self._call(step)
                except Exception as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return end.value

    async def _call(self, call: Call) -> dict[str, Any]:
        try:
            if self.metrics is None:
                return await self.backend.call(call.operation, call.request)
            call = self.metrics.asked(call)
            answer = await self.backend.call(call.operation, call.request)
        except Exception as error:
            self._failed(call, error)
            raise
        self.metrics.count(call, answer)
        return answer

    # -- one item

    async def get(self, key: ItemKey[E], *, consistent: bool = False, fresh: bool = False) -> E:
        """The item under a key. Raises NotFound; when `fresh`, also for one that has expired."""
        return reads.required(key, await self._call(reads.getting(key, consistent)), self._live(key, fresh))

    async def find(self, key: ItemKey[E], *, consistent: bool = False, fresh: bool = False) -> E | None:
        """The item under a key, or None; when `fresh`, also for one that has expired."""
        return reads.found(key, await self._call(reads.getting(key, consistent)), self._live(key, fresh))

    async def create(self, entity: E, *, when: Test = None) -> E:
        """Store a new entity. Raises AlreadyExists."""
        return await self.run(writes.put(self._context, entity, "create", when))

    async def put(self, entity: E, *, when: Test = None) -> E:
        """Store an entity in the place of what is there. Raises TransitionRefused where its status cannot follow."""
        return await self.run(writes.put(self._context, entity, "put", when))

    async def save(self, entity: E, *, when: Test = None) -> E:
        """Store an entity unless somebody else has since it was read. Raises StaleVersion."""
        return await self.run(writes.put(self._context, entity, "save", when))

    async def update(
        self,
        key: ItemKey[E],
        *actions: Action,
        set: Mapping[str, Any] | None = None,
        when: Test = None,
        assuming: Mapping[str, Any] | None = None,
        upsert: bool = False,
    ) -> E:
        """Change some fields; gives the entity as it is now. `assuming` names values that index keys need besides."""
        return await self.run(writes.update(self._context, update_of(key, actions, set, when, assuming, upsert)))

    async def move(self, key: ItemKey[E], field: Any, to: Any, *, set: Mapping[str, Any] | None = None) -> E:
        """Make a transition of a status field. Raises TransitionRefused."""
        return await self.run(writes.update(self._context, move_of(key, field, to, set)))

    async def delete(self, of: ItemKey[E] | E, *, when: Test = None) -> E | None:
        """Delete an item; gives what was there."""
        return await self.run(writes.delete(self._context, Delete(key_of(of), when)))

    async def archive(self, entity: E) -> E:
        """Move an entity into the archive."""
        return await self.run(writes.archive(self._context, entity, restore=False))

    async def restore(self, entity: E) -> E:
        """Move an entity out of the archive."""
        return await self.run(writes.archive(self._context, entity, restore=True))

    # -- many items

    async def batch_get(
        self, keys: Sequence[ItemKey[E]], *, consistent: bool = False, fresh: bool = False
    ) -> list[E | None]:
        """Many items, in the order of their keys; None for what is not there."""
        return await self.run(batches.batch_get(self._context, keys, consistent=consistent, fresh=fresh))

    async def batch_write(self, puts: Sequence[Entity] = (), deletes: Sequence[ItemKey[Any]] = ()) -> list[Entity]:
        """Many puts and deletes, each for itself: no transaction, no conditions, so that no transition is checked."""
        return await self.run(batches.batch_write(self._context, puts, deletes))

    async def transact(self, *operations: Write[Any], token: str | None = None) -> None:
        """All of the writes, or none. Raises TransactionFailed."""
        await self.run(transactions.transact(self._context, operations, token=token))

    # -- queries

    async def query(self, query: Query[E]) -> list[E]:
        """Every entity of a query, up to its limit."""
        return await self.run(paging.query_all(self._context, query))

    async def first(self, query: Query[E]) -> E | None:
        return await self.run(paging.first(self._context, query))

    async def page(self, query: Query[E], *, cursor: str | None = None, size: int = PAGE_SIZE) -> Page[E]:
        """A page, and the cursor of the next."""
        return await self.run(paging.page(self._context, query, cursor, size))

    async def iterate(self, query: Query[E], *, size: int | None = None) -> AsyncIterator[E]:
        """The entities of a query one by one, read page by page."""
        walk, left = paging.walk_of(self._context, query), query.limited_to
        while not walk.is_done:
            for entity in await self.run(paging.next_page(self._context, query, walk, size)):
                yield entity
                left = None if left is None else left - 1
                if left == 0:
                    return

    async def keys(self, query: Query[E]) -> list[ItemKey[E]]:
        """The keys of what a query finds."""
        return await self.run(paging.keys(self._context, query))

    async def count(self, query: Query[Any]) -> int:
        return await self.run(paging.count(self._context, query))

    async def collection(self, collection: CollectionQuery) -> Grouped:
        """The entities of several kinds in one partition."""
        return await self.run(paging.collect(self._context, collection))

    async def scan(self, of: type[E]) -> list[E]:
        """Every entity of a kind, by reading the whole table."""
        return await self.run(paging.scan(self._context, of))

    async def close(self) -> None:
        await self.backend.close()

    async def __aenter__(self) -> AsyncStore:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()
