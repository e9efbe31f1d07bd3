"""Finds the handlers of a record, reads it as their entities, and calls or awaits them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sortkey.errors import InvalidItem
from sortkey.model.changes import Change, Record, change_of
from sortkey.model.entity import Entity
from sortkey.model.tables import Table
from sortkey.runtime.streams.handlers import AnyHandler, check_handlers


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A record that its entity cannot read. Handlers need a corrected entity."""

    record: Record
    error: InvalidItem


MatchedChange = Change[Any] | Unreadable


class Dispatch:
    """The handlers of a worker, by table. Threads may share it; each has its own event loop."""

    def __init__(self, handlers: Sequence[AnyHandler]) -> None:
        self.handlers = check_handlers(handlers)
        self.by_name = {handler.name: handler for handler in self.handlers}
        self._by_entity: dict[str, dict[type[Entity], list[AnyHandler]]] = {}
        for handler in self.handlers:
            for entity in handler.entities:
                entities = self._by_entity.setdefault(entity.__layout__.table.name, {})
                entities.setdefault(entity, []).append(handler)
        self._local = threading.local()

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(dict.fromkeys(table for handler in self.handlers for table in handler.tables))

    def find(self, table: str, record: Record) -> Iterator[tuple[AnyHandler, MatchedChange]]:
        """The handlers of a record, each with its change. Their `when` tests run in `call`."""
        for entity, handlers in self._by_entity.get(table, {}).items():
            try:
                change = change_of(entity, record)
            except InvalidItem as error:
                change = Unreadable(record, error)
            if change is not None:
                for handler in handlers:
                    yield handler, change

    def call(self, handler: AnyHandler, changes: Sequence[Change[Any]]) -> int:
        """Call a handler with the changes that it wants, and return their number. Raises what the
        handler raises.
        """
        wanted = [change for change in changes if handler.wants(change)]
        if handler.in_batches:
            if wanted:
                self._finish(handler(wanted))
        else:
            for change in wanted:
                self._finish(handler(change))
        return len(wanted)

    def close(self) -> None:
        """Close the event loop of this thread, if any."""
        runner: asyncio.Runner | None = getattr(self._local, "runner", None)
        if runner is not None:
            runner.close()
            del self._local.runner

    def _finish(self, outcome: object) -> None:
        if not isinstance(outcome, Awaitable):
            return
        runner: asyncio.Runner | None = getattr(self._local, "runner", None)
        if runner is None:
            runner = self._local.runner = asyncio.Runner()
        runner.run(_awaited(cast(Awaitable[object], outcome)))


async def _awaited(outcome: Awaitable[object]) -> None:
    await outcome
