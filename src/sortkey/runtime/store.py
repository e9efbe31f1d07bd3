"""`Store` runs the operations of the model on a backend. The logic is in steps, which it drives.

`async_store.py` is generated from this file by `tools/generate_async.py`.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sortkey.errors import ModelError, ResourceNotFoundException
from sortkey.model.attributes import Action
from sortkey.model.collections import CollectionQuery, Grouped
from sortkey.model.entity import Entity
from sortkey.model.operations import Delete, Test, Write
from sortkey.model.queries import ItemKey, Query
from sortkey.runtime import batches, cursors, entity_writes, pages, reads, writes
from sortkey.runtime.arguments import key_of, move_of, update_of
from sortkey.runtime.backend import Backend
from sortkey.runtime.context import Context, Live
from sortkey.runtime.metrics import METERED, Metrics
from sortkey.runtime.missing_tables import missing_table
from sortkey.runtime.owned_buckets import OwnedBuckets
from sortkey.runtime.pages import PAGE_SIZE, Page
from sortkey.runtime.steps import Call, Pause, Sleep, Steps, do
from sortkey.runtime.upkeep import Upkeep

if TYPE_CHECKING:
    from sortkey.model.changes import Change
    from sortkey.model.payloads import Payload
    from sortkey.runtime.objects import Objects
    from sortkey.runtime.payloads import Payloads
    from sortkey.runtime.payloads.data import PayloadReader

__all__ = ["Page", "Store"]

T = TypeVar("T")
E = TypeVar("E", bound=Entity)


class Store(Upkeep):
    """Reads and writes entities, runs queries and transactions, and manages whole tables.

    `objects` are the buckets of payloads by name. Without `secret`, cursors are valid until the
    program ends. With `hide_expired`, reads skip items that have expired but that TTL has not
    deleted yet.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        objects: Mapping[str, Objects] | None = None,
        secret: bytes | None = None,
        tenant: str = "",
        metrics: Metrics | None = None,
        hide_expired: bool = False,
        clock: Callable[[], float] = time.time,
        sleep: Pause = time.sleep,
        random: Callable[[], float] = random.random,
    ) -> None:
        self.backend = backend
        self.metrics = metrics
        self._sleep = sleep
        self._context = Context(
            clock=clock,
            random=random,
            secret=secret or os.urandom(32),
            tenant=tenant,
            hide_expired=hide_expired,
            buckets={} if objects is None else objects,
        )

    def run(self, steps: Steps[T]) -> T:
        """Run the steps of an operation and return the result."""
        try:
            step = next(steps)
            while True:
                try:
                    if isinstance(step, Call):
                        answer = self._call(step)
                    elif isinstance(step, Sleep):
                        answer = self._sleep(step.seconds)
                    else:
                        answer = step.function()
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
            call = self.metrics.with_capacity(call)
            answer = self.backend.call(call.operation, call.request)
        except Exception as error:
            if self.metrics is not None:
                self.metrics.failed(error)
            if isinstance(error, ResourceNotFoundException) and call.operation in METERED:
                raise missing_table(call.request) from error
            raise
        self.metrics.count(call, answer)
        return answer

    # -- one item

    def get(self, key: ItemKey[E], *, consistent: bool = False, fresh: bool = False) -> E:
        """The item under a key. Raises NotFound; with `fresh` also for an item that has expired."""
        return reads.required(
            key, self._call(reads.getting(key, consistent)), self._live(key, fresh)
        )

    def find(self, key: ItemKey[E], *, consistent: bool = False, fresh: bool = False) -> E | None:
        """The item under a key, or None; with `fresh` also for an item that has expired."""
        return reads.entity_of(
            key, self._call(reads.getting(key, consistent)), self._live(key, fresh)
        )

    def create(self, entity: E, *, when: Test = None) -> E:
        """Store a new entity. Raises AlreadyExists."""
        return self.run(entity_writes.put(self._context, entity, "create", when))

    def put(self, entity: E, *, when: Test = None) -> E:
        """Store an entity, and replace an existing one. Raises TransitionRefused if the stored
        status does not allow the new one.
        """
        return self.run(entity_writes.put(self._context, entity, "put", when))

    def save(self, entity: E, *, when: Test = None) -> E:
        """Store an entity unless it was changed since it was read. Raises StaleVersion."""
        return self.run(entity_writes.put(self._context, entity, "save", when))

    def update(
        self,
        key: ItemKey[E],
        *actions: Action,
        set: Mapping[str, Any] | None = None,
        when: Test = None,
        assuming: Mapping[str, Any] | None = None,
        upsert: bool = False,
    ) -> E:
        """Change some fields, and return the updated entity. `assuming` has current values of other
        fields that index keys need.
        """
        return self.run(
            entity_writes.update(
                self._context, update_of(key, actions, set, when, assuming, upsert)
            )
        )

    def move(
        self, key: ItemKey[E], field: Any, to: Any, *, set: Mapping[str, Any] | None = None
    ) -> E:
        """Change a status field. Raises TransitionRefused if the transition is not allowed."""
        return self.run(entity_writes.update(self._context, move_of(key, field, to, set)))

    def delete(self, of: ItemKey[E] | E, *, when: Test = None) -> E | None:
        """Delete an item and the objects of its payloads. Returns the deleted entity."""
        return self.run(entity_writes.delete(self._context, Delete(key_of(of), when)))

    def archive(self, entity: E) -> E:
        """Move an entity into the archive."""
        return self.run(writes.archive(self._context, entity, restore=False))

    def restore(self, entity: E) -> E:
        """Move an entity out of the archive."""
        return self.run(writes.archive(self._context, entity, restore=True))

    def _live(self, key: ItemKey[Any], fresh: bool) -> Live | None:
        if fresh and key.table.ttl is None:
            raise ModelError(
                f"{key.table.name} has no TTL, so nothing in it expires: leave fresh= out"
            )
        return self._context.live(key.table, fresh=fresh)

    # -- many items

    def batch_get(
        self, keys: Sequence[ItemKey[E]], *, consistent: bool = False, fresh: bool = False
    ) -> list[E | None]:
        """Many items in the order of their keys, None for missing ones."""
        return self.run(batches.batch_get(self._context, keys, consistent=consistent, fresh=fresh))

    def batch_write(
        self, puts: Sequence[Entity] = (), deletes: Sequence[ItemKey[Any]] = ()
    ) -> list[Entity]:
        """Many independent puts and deletes: without transaction, conditions and checks of
        transitions.
        """
        return self.run(entity_writes.batch_write(self._context, puts, deletes))

    def transact(self, *operations: Write[Any], token: str | None = None) -> None:
        """Make all of the writes or none. Raises TransactionFailed."""
        self.run(entity_writes.transact(self._context, operations, token))

    # -- queries

    def query(self, query: Query[E]) -> list[E]:
        """Every entity of a query, up to its limit."""
        return self.run(pages.query_all(self._context, query))

    def first(self, query: Query[E]) -> E | None:
        """The first entity of a query, or None."""
        return self.run(pages.first(self._context, query))

    def page(self, query: Query[E], *, cursor: str | None = None, size: int = PAGE_SIZE) -> Page[E]:
        """A page of a query, with the cursor of the next."""
        return self.run(pages.page(self._context, query, cursor, size))

    def iterate(self, query: Query[E], *, size: int | None = None) -> Iterator[E]:
        """The entities of a query one by one, read page by page."""
        walk, left = pages.walk_of(self._context, query), query.limited_to
        while not walk.is_done:
            for entity in self.run(pages.next_page(self._context, query, walk, size)):
                yield entity
                left = None if left is None else left - 1
                if left == 0:
                    return

    def keys(self, query: Query[E]) -> list[ItemKey[E]]:
        """The keys of the items that a query finds."""
        return self.run(pages.keys(self._context, query))

    def count(self, query: Query[Any]) -> int:
        """How many items a query finds, up to its limit."""
        return self.run(pages.count(self._context, query))

    def collection(self, collection: CollectionQuery) -> Grouped:
        """The entities of several kinds in one partition."""
        return self.run(pages.collect(self._context, collection))

    def scan(self, of: type[E]) -> list[E]:
        """Every entity of a kind. Reads the whole table."""
        return self.run(pages.scan(self._context, of))

    def sign_cursor(self, about: Mapping[str, Any], position: Any) -> str:
        """A cursor for pages of something other than a query. `about` names what it is for."""
        return cursors.sign(self._context.secret, self._context.tenant, dict(about), position)

    def read_cursor(self, about: Mapping[str, Any], cursor: str) -> Any:
        """The position in such a cursor. Raises BadCursor if it is not valid, or was signed for
        something else.
        """
        return cursors.read(self._context.secret, self._context.tenant, dict(about), cursor)

    # -- payloads

    @property
    def payloads(self) -> Payloads:
        """The buckets of payloads by name."""
        return self._context.payloads

    def load(self, payload: Payload[T]) -> T:
        """Read and verify the value of a payload. Raises ObjectNotFound and ObjectCorrupt."""
        return self.run(do(lambda: self.payloads.load(payload)))

    def open_payload(self, payload: Payload[Any]) -> PayloadReader:
        """The bytes of a payload as a stream, whatever its size. Its reads block: async programs
        need a thread.
        """
        return self.run(do(lambda: self.payloads.open(payload)))

    def collect(self, change: Change[Any]) -> None:
        """Remove the objects of a deleted item. Call it in a stream handler to cover items that TTL
        deletes.
        """
        if change.old is not None and change.new is None:
            from sortkey.runtime.payloads.writes import collect

            self.run(collect(self._context, change.old))

    # -- closing

    def close(self) -> None:
        """Close the backend, and the buckets that were opened for this store."""
        self.backend.close()
        if isinstance(self._context.buckets, OwnedBuckets):
            self._context.buckets.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
