"""The work on one shard: read a page, deliver it, move the checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sortkey.errors import LeaseLost
from sortkey.model.changes import Record
from sortkey.runtime.metrics import Metrics, gauge
from sortkey.runtime.streams.delivery import Delivery, Matches
from sortkey.runtime.streams.shard_assignment import Held, Sharing
from sortkey.runtime.streams.shard_reader import RecordPage, ShardReader, tell_gap
from sortkey.runtime.streams.shards import Call, is_skipped

LAG = gauge(
    "sortkey_stream_lag_seconds",
    "Age of the last processed change while more are waiting.",
    "Seconds",
)


class Stopped(Exception):
    """The worker has to stop. Unfinished changes are processed again at the next start."""


@dataclass
class Work:
    """The work of one worker. A checkpoint is stored after a number of records or seconds, and at
    the end of a page.
    """

    call: Call
    sharing: Sharing
    delivery: Delivery
    is_stopping: Callable[[], bool]
    clock: Callable[[], float]
    metrics: Metrics | None
    batch_records: int
    checkpoint_seconds: float
    on_end: Callable[[], None] = field(default=lambda: None)

    def step(self, held: Held) -> int:
        """Process one page of a shard, and return the number of records."""
        try:
            self._check(held)
            if held.is_leaving:
                self.sharing.leases.release(held.shard)
                self.sharing.drop(held)
                return 0
            return self._page(held)
        except LeaseLost:
            self.sharing.drop(held)
        except Stopped:
            held.reader = None
        except BaseException:
            held.reader = None  # the next one begins at the checkpoint
            raise
        return 0

    def _page(self, held: Held) -> int:
        if held.reader is None:
            held.reader = ShardReader(self.call, held.shard, held.iterator)
            held.iterator = None
        page = held.reader.next()
        if page.has_gap:
            tell_gap(held.shard, held.follow.table, self.metrics)
        self._deliver(held, page)
        if page.is_end:
            self.sharing.leases.finish(held.shard)
            self.sharing.drop(held)
            self.on_end()
        self._tell_lag(held, page.records[-1] if page.records and not page.is_end else None)
        return len(page.records)

    def _deliver(self, held: Held, page: RecordPage) -> None:
        chunk: list[tuple[Record, Matches]] = []
        began = self.clock()
        for record in page.records:
            matches = (
                [] if is_skipped(held.follow, record) else self.delivery.find(record, held.origin)
            )
            try:
                self.delivery.one_by_one(matches, held.origin, lambda attempt: self._check(held))
            except Stopped:
                self._end_chunk(held, chunk)
                raise
            chunk.append((record, matches))
            if len(chunk) >= self.batch_records or self.clock() - began >= self.checkpoint_seconds:
                self._end_chunk(held, chunk)
                chunk, began = [], self.clock()
        self._end_chunk(held, chunk)

    def _end_chunk(self, held: Held, chunk: list[tuple[Record, Matches]]) -> None:
        if not chunk:
            return
        # Also where all has to stop: the chunk is done but for this, and would be done again from
        # its beginning.
        self.delivery.in_batches(
            [matches for _, matches in chunk],
            held.origin,
            lambda attempt: self._check(held, is_ending=attempt == 1),
        )
        last = chunk[-1][0]["dynamodb"]["SequenceNumber"]
        held.shard = self.sharing.leases.checkpoint(held.shard, last)
        held.renewed_at = self.clock()

    def _check(self, held: Held, *, is_ending: bool = False) -> None:
        if self.is_stopping() and not is_ending:
            raise Stopped
        self.sharing.renew(held)
        if held.is_lost:
            raise LeaseLost(f"{held.shard.shard_id} is read by another process now")

    def _tell_lag(self, held: Held, last: Record | None) -> None:
        at = None if last is None else last["dynamodb"]["ApproximateCreationDateTime"]
        held.behind_seconds = 0.0 if at is None else max(0.0, self.clock() - at)
        if self.metrics is not None:
            table = held.follow.table
            behind = max(
                (
                    shard.behind_seconds
                    for shard in self.sharing.held
                    if shard.follow.table == table
                ),
                default=0.0,
            )
            self.metrics.set(LAG, behind, worker=held.follow.worker, table=table)
