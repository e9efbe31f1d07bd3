"""Assigns shards to this process: finds streams and shards, takes its share, and releases the
surplus.

Processes agree on the shares because all see the same list of live processes. Shards are taken and
released only in `look`, which is called from time to time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sortkey.errors import AlreadyExists, LeaseLost, NotConfigured
from sortkey.model.tables import Table
from sortkey.runtime.store import Store
from sortkey.runtime.streams.dead_letters import Origin
from sortkey.runtime.streams.leases import Leases, share_of
from sortkey.runtime.streams.shard_reader import ShardReader, shard_iterator, tell_gap
from sortkey.runtime.streams.shards import (
    ShardInfo,
    Start,
    describe,
    is_before_start,
    latest_stream,
    readable,
    start_text,
)
from sortkey.runtime.streams.state import Follow, Shard


@dataclass(eq=False)
class Held:
    """A shard that this process reads. Only its reader changes `shard` and `reader`; others set the
    flags.
    """

    follow: Follow
    shard: Shard
    iterator: str | None = None
    reader: ShardReader | None = None
    renewed_at: float = 0.0
    behind_seconds: float = 0.0
    is_leaving: bool = False
    is_lost: bool = False

    @property
    def origin(self) -> Origin:
        return Origin(self.follow.table, self.shard.stream_arn, self.shard.shard_id)


@dataclass
class Sharing:
    """The shards of one process. `held` is in the order in which they were taken."""

    store: Store
    tables: Sequence[Table]
    leases: Leases
    start: Start
    clock: Callable[[], float]
    held: list[Held] = field(default_factory=list[Held])
    _seen: set[str] = field(default_factory=set[str])
    _latest: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def look(self) -> None:
        """Renew leases, find new shards, and take or release shards until the share is right."""
        for held in self.held:
            self.renew(held)
        owners = self.leases.announce()
        ready = {place_of(shard): (follow, shard) for follow, shard in self._ready()}
        for held in self.held:
            # Done by another process, or no longer in the stream.
            held.is_lost = held.is_lost or place_of(held.shard) not in ready
        share = share_of(self.leases.owner, owners, [shard for _, shard in ready.values()])
        still_held = [held for held in self.held if not held.is_lost]
        for place, held in enumerate(still_held):
            held.is_leaving = place >= share
        mine = {place_of(held.shard) for held in still_held}
        free = [
            shard
            for place, shard in ready.items()
            if place not in mine and self.leases.is_free(shard[1])
        ]
        for follow, shard in free[: max(0, share - len(still_held))]:
            self._take(follow, shard)

    def renew(self, held: Held) -> None:
        """Renew a lease after a third of its time."""
        if held.is_lost or self.clock() - held.renewed_at < self.leases.seconds / 3:
            return
        try:
            self.leases.renew(held.shard)
            held.renewed_at = self.clock()
        except LeaseLost:
            held.is_lost = True

    def drop(self, held: Held) -> None:
        """Stop reading a shard. Its stored state stays."""
        with self._lock:
            self.held = [other for other in self.held if other is not held]

    def release_all(self) -> None:
        """Release all shards."""
        for held in self.held:
            with suppress(LeaseLost):
                self.leases.release(held.shard)
            self.drop(held)
        self.leases.leave()

    def _take(self, follow: Follow, shard: Shard) -> None:
        taken = self.leases.take(shard)
        if taken is not None and taken.is_done:
            self.leases.finish(taken)  # done in the meantime
        elif taken is not None:
            held = Held(
                follow, taken, self._latest.pop(place_of(shard), None), renewed_at=self.clock()
            )
            with self._lock:
                self.held = [*self.held, held]

    # -- streams

    def _ready(self) -> list[tuple[Follow, Shard]]:
        known = self.store.query(Follow.of_worker(worker=self.leases.worker).consistent())
        return [pair for table in self.tables for pair in self._ready_of_table(table.name, known)]

    def _ready_of_table(self, table: str, known: Sequence[Follow]) -> list[tuple[Follow, Shard]]:
        """A replaced stream is read to its end before its successor."""
        mine = [follow for follow in known if follow.table == table]
        try:
            arn = latest_stream(self.store.backend.call, table)
        except NotConfigured:
            if not mine and table not in self._seen:
                raise
            arn = ""  # the table was deleted; its stream can be read for another day
        self._seen.add(table)
        for follow in mine:
            if follow.stream_arn != arn:
                ready = self._ready_of_stream(follow, first_look=False)
                if ready:
                    return ready
                self.store.delete(follow)
        if not arn:
            return []
        following = next((follow for follow in mine if follow.stream_arn == arn), None)
        if following is not None:
            return self._ready_of_stream(following, first_look=False)
        follow, is_new = self._begin(table, arn, "TRIM_HORIZON" if mine else self.start)
        return self._ready_of_stream(follow, first_look=is_new)

    def _begin(self, table: str, arn: str, start: Start) -> tuple[Follow, bool]:
        now = datetime.fromtimestamp(self.clock(), UTC)
        at = start if isinstance(start, datetime) else now
        follow = Follow(
            worker=self.leases.worker,
            stream_arn=arn,
            table=table,
            start=start_text(start),
            start_at=at,
        )
        try:
            return self.store.create(follow), True
        except AlreadyExists as known:
            return known.item, False

    def _ready_of_stream(self, follow: Follow, *, first_look: bool) -> list[tuple[Follow, Shard]]:
        shards = describe(self.store.backend.call, follow.stream_arn)
        if shards is None:
            return []
        known = self.leases.shards(follow.stream_arn)
        self._end_gone(follow, known, shards)
        for info in shards:
            if info.id not in known and is_before_start(follow, info, first_look=first_look):
                known[info.id] = self.leases.add(self._shard(follow, info, is_done=True))
        return [
            (follow, self._known(follow, info, known, first_look))
            for info in readable(shards, known)
        ]

    def _end_gone(
        self, follow: Follow, known: dict[str, Shard], shards: Sequence[ShardInfo]
    ) -> None:
        """A stream keeps a shard for a day. Changes of a shard that was not read in time are
        lost.
        """
        there = {info.id for info in shards}
        for id, shard in known.items():
            if id not in there and not shard.is_done and self.leases.is_free(shard):
                taken = self.leases.take(shard)
                if taken is not None:
                    tell_gap(shard, follow.table, self.store.metrics)
                    self.leases.finish(taken)

    def _known(
        self, follow: Follow, info: ShardInfo, known: dict[str, Shard], first_look: bool
    ) -> Shard:
        if info.id in known:
            return known[info.id]
        shard = self._shard(follow, info)
        if first_look and follow.start == "LATEST":
            # Do this first: a later reader uses the instant of this look.
            self._latest[place_of(shard)] = shard_iterator(
                self.store.backend.call, shard, None, latest=True
            )
        return self.leases.add(shard)

    def _shard(self, follow: Follow, info: ShardInfo, *, is_done: bool = False) -> Shard:
        return Shard(
            worker=follow.worker,
            stream_arn=follow.stream_arn,
            shard_id=info.id,
            parent_id=info.parent,
            is_done=is_done,
        )


def place_of(shard: Shard) -> tuple[str, str]:
    """The identity of a shard among all streams."""
    return shard.stream_arn, shard.shard_id
