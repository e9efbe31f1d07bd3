"""Stores with objects: the same operations, and entities may have payloads.

store = sortkey.open("data", objects="data/buckets/{bucket}")
store.create(Run(..., graph=Payload(graph)))
graph = store.load(run.graph)
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sortkey.model.attributes import Action
from sortkey.model.entity import Entity
from sortkey.model.operations import Delete, Test, Write
from sortkey.model.payloads import Payload
from sortkey.model.queries import ItemKey
from sortkey.runtime.arguments import key_of, move_of, update_of
from sortkey.runtime.backend import AsyncBackend, Backend
from sortkey.runtime.objects import Objects
from sortkey.runtime.payloads import Payloads, checks, writes
from sortkey.runtime.payloads.checks import GRACE, Finding, Sweep
from sortkey.runtime.payloads.data import PayloadReader
from sortkey.runtime.store import AsyncStore, Store
from sortkey.runtime.working import Session, WorkSteps

if TYPE_CHECKING:
    from sortkey.model.patterns import Model

T = TypeVar("T")
E = TypeVar("E", bound=Entity)


class Gone(Protocol):
    """A change as handlers get it."""

    @property
    def old(self) -> Entity | None: ...
    @property
    def new(self) -> Entity | None: ...


class PayloadStore(Store):
    """A store whose entities may have payloads. `objects` are its buckets by name."""

    def __init__(self, backend: Backend, *, objects: Mapping[str, Objects], **settings: Any) -> None:
        super().__init__(backend, **settings)
        self.payloads = Payloads(objects)

    def run(self, steps: WorkSteps[T]) -> T:
        session = Session(steps)
        while super().run(session.calls()):
            session.work()
        return session.result

    # -- payloads

    def load(self, payload: Payload[T]) -> T:
        """The value of a payload, read and checked. Raises ObjectNotFound and ObjectCorrupt."""
        return self.payloads.load(payload)

    def open_payload(self, payload: Payload[Any]) -> PayloadReader:
        """The bytes of a payload as a stream, whatever its size."""
        return self.payloads.open(payload)

    def collect(self, change: Gone) -> None:
        """Remove the objects of an item that is gone: for a handler of changes, which also hears of TTL's deletes."""
        if change.old is not None and change.new is None:
            self.run(writes.collect(self.payloads, change.old))

    def verify(self, model: Model, *, grace: timedelta = GRACE, is_quick: bool = False) -> list[Finding]:
        """What is missing, changed, or orphaned for longer than `grace`. Reads every object unless it is quick."""
        return self.run(checks.verify(self._context, self.payloads, model, grace, is_quick))

    def sweep(self, model: Model, *, grace: timedelta = GRACE) -> Sweep:
        """Remove objects that no item has shown for longer than `grace`."""
        return self.run(checks.sweep(self._context, self.payloads, model, grace))

    # -- writes

    def create(self, entity: E, *, when: Test = None) -> E:
        return self.run(writes.put(self._context, self.payloads, entity, "create", when))

    def put(self, entity: E, *, when: Test = None) -> E:
        return self.run(writes.put(self._context, self.payloads, entity, "put", when))

    def save(self, entity: E, *, when: Test = None) -> E:
        return self.run(writes.put(self._context, self.payloads, entity, "save", when))

    def update(
        self,
        key: ItemKey[E],
        *actions: Action,
        set: Mapping[str, Any] | None = None,
        when: Test = None,
        assuming: Mapping[str, Any] | None = None,
        upsert: bool = False,
    ) -> E:
        operation = update_of(key, actions, set, when, assuming, upsert)
        return self.run(writes.update(self._context, self.payloads, operation))

    def move(self, key: ItemKey[E], field: Any, to: Any, *, set: Mapping[str, Any] | None = None) -> E:
        return self.run(writes.update(self._context, self.payloads, move_of(key, field, to, set)))

    def delete(self, of: ItemKey[E] | E, *, when: Test = None) -> E | None:
        """Delete an item, and its objects; gives what was there."""
        return self.run(writes.delete(self._context, self.payloads, Delete(key_of(of), when)))

    def batch_write(self, puts: Sequence[Entity] = (), deletes: Sequence[ItemKey[Any]] = ()) -> list[Entity]:
        return self.run(writes.batch_write(self._context, self.payloads, puts, deletes))

    def transact(self, *operations: Write[Any], token: str | None = None) -> None:
        self.run(writes.transact(self._context, self.payloads, operations, token))

    def close(self) -> None:
        super().close()
        self.payloads.close()

    def __enter__(self) -> PayloadStore:
        return self


class AsyncPayloadStore(AsyncStore):
    """The same, awaited. Objects are read and written in threads."""

    def __init__(self, backend: AsyncBackend, *, objects: Mapping[str, Objects], **settings: Any) -> None:
        super().__init__(backend, **settings)
        self.payloads = Payloads(objects)

    async def run(self, steps: WorkSteps[T]) -> T:
        session = Session(steps)
        while await super().run(session.calls()):
            await asyncio.to_thread(session.work)
        return session.result

    # -- payloads

    async def load(self, payload: Payload[T]) -> T:
        """The value of a payload, read and checked. Raises ObjectNotFound and ObjectCorrupt."""
        return await asyncio.to_thread(self.payloads.load, payload)

    async def open_payload(self, payload: Payload[Any]) -> PayloadReader:
        """The bytes of a payload as a stream. Its reads wait: do them in a thread."""
        return await asyncio.to_thread(self.payloads.open, payload)

    async def collect(self, change: Gone) -> None:
        """Remove the objects of an item that is gone: for a handler of changes, which also hears of TTL's deletes."""
        if change.old is not None and change.new is None:
            await self.run(writes.collect(self.payloads, change.old))

    async def verify(self, model: Model, *, grace: timedelta = GRACE, is_quick: bool = False) -> list[Finding]:
        """What is missing, changed, or orphaned for longer than `grace`. Reads every object unless it is quick."""
        return await self.run(checks.verify(self._context, self.payloads, model, grace, is_quick))

    async def sweep(self, model: Model, *, grace: timedelta = GRACE) -> Sweep:
        """Remove objects that no item has shown for longer than `grace`."""
        return await self.run(checks.sweep(self._context, self.payloads, model, grace))

    # -- writes

    async def create(self, entity: E, *, when: Test = None) -> E:
        return await self.run(writes.put(self._context, self.payloads, entity, "create", when))

    async def put(self, entity: E, *, when: Test = None) -> E:
        return await self.run(writes.put(self._context, self.payloads, entity, "put", when))

    async def save(self, entity: E, *, when: Test = None) -> E:
        return await self.run(writes.put(self._context, self.payloads, entity, "save", when))

    async def update(
        self,
        key: ItemKey[E],
        *actions: Action,
        set: Mapping[str, Any] | None = None,
        when: Test = None,
        assuming: Mapping[str, Any] | None = None,
        upsert: bool = False,
    ) -> E:
        operation = update_of(key, actions, set, when, assuming, upsert)
        return await self.run(writes.update(self._context, self.payloads, operation))

    async def move(self, key: ItemKey[E], field: Any, to: Any, *, set: Mapping[str, Any] | None = None) -> E:
        return await self.run(writes.update(self._context, self.payloads, move_of(key, field, to, set)))

    async def delete(self, of: ItemKey[E] | E, *, when: Test = None) -> E | None:
        """Delete an item, and its objects; gives what was there."""
        return await self.run(writes.delete(self._context, self.payloads, Delete(key_of(of), when)))

    async def batch_write(self, puts: Sequence[Entity] = (), deletes: Sequence[ItemKey[Any]] = ()) -> list[Entity]:
        return await self.run(writes.batch_write(self._context, self.payloads, puts, deletes))

    async def transact(self, *operations: Write[Any], token: str | None = None) -> None:
        await self.run(writes.transact(self._context, self.payloads, operations, token))

    async def close(self) -> None:
        await super().close()
        self.payloads.close()

    async def __aenter__(self) -> AsyncPayloadStore:
        return self
