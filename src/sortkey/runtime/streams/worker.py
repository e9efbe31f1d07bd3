"""StreamWorker: reads the streams of its handlers' tables and calls them, in threads or step by
step.

It uses DynamoDB Streams through the store's backend, so it runs the same on the embedded engine and
on AWS.
"""

from __future__ import annotations

import logging
import random as randomness
import secrets
import threading
import time
from collections.abc import Callable, Sequence

from sortkey.errors import ModelError
from sortkey.runtime.store import Store
from sortkey.runtime.streams.dead_letters import DeadLetters, Replayed
from sortkey.runtime.streams.delivery import Delivery, Retries
from sortkey.runtime.streams.dispatch import Dispatch
from sortkey.runtime.streams.handlers import AnyHandler
from sortkey.runtime.streams.leases import Leases
from sortkey.runtime.streams.owners import is_gone, this_process
from sortkey.runtime.streams.shard_assignment import Sharing
from sortkey.runtime.streams.shards import Start, start_text
from sortkey.runtime.streams.state import DeadLetter, Follow, streams_table
from sortkey.runtime.streams.work import Work

log = logging.getLogger("sortkey.streams")

WATCHED_SECONDS = 5.0
"""The longest sleep of a reader that is woken by changes, so that it notices the end of a stream.
"""
POLL_GROWTH = 5
FAILED_SECONDS_MAX = 30.0
IDLE_ROUNDS = 2


class StreamWorker:
    """Runs handlers. Workers with the same name in several processes share the shards. A slow or
    failing handler delays the others of its worker: run it in a separate worker.
    """

    def __init__(
        self,
        store: Store,
        handlers: Sequence[AnyHandler],
        *,
        name: str,
        start: Start = "TRIM_HORIZON",
        retries: Retries | None = None,
        batch_records: int = 100,
        checkpoint_seconds: float = 1.0,
        lease_seconds: float = 20.0,
        poll_seconds: float | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], object] | None = None,
        random: Callable[[], float] = randomness.random,
        owner: str | None = None,
    ) -> None:
        start_text(start)
        if not name or "#" in name or batch_records < 1:
            raise ModelError(
                f"name={name!r}: not empty and without '#'; batch_records={batch_records}: at "
                "least 1"
            )
        self.name = name
        self._store, self._clock = store, clock
        self._stopping = threading.Event()
        self._dispatch = Dispatch(handlers)
        self.dead_letters = DeadLetters(store, name, clock)
        leases = Leases(
            store, name, owner or this_process(secrets.token_hex(4)), lease_seconds, clock, is_gone
        )
        self._sharing = Sharing(store, self._dispatch.tables, leases, start, clock)
        delivery = Delivery(
            self._dispatch,
            self.dead_letters,
            retries or Retries(),
            sleep or self._stopping.wait,
            random,
            store.metrics,
        )
        self._work = Work(
            store.backend.call,
            self._sharing,
            delivery,
            self._stopping.is_set,
            clock,
            store.metrics,
            batch_records,
            checkpoint_seconds,
            self._look_soon,
        )
        self._poll_seconds = poll_seconds or store.backend.capabilities.poll_seconds
        self._look_at: float | None = None
        self._looking = threading.Event()
        self._wakes = {table.name: threading.Event() for table in self._dispatch.tables}
        self._threads: list[threading.Thread] = []
        self._unwatch: Callable[[], None] | None = None

    # -- step by step

    def run_once(self) -> int:
        """Look for shards if that is due, then process one page of each. Returns the number of
        records.
        """
        if self._threads:
            raise ModelError(
                f"worker {self.name} runs in threads: stop() it before going step by step"
            )
        self._stopping.clear()
        if self._look_at is None or self._look_at <= self._clock():
            self._look()
        return sum(self._work.step(held) for held in self._sharing.held)

    def run_until_idle(self, rounds_max: int = 100_000) -> int:
        """Process pages until there are no more changes. Returns the number of records."""
        total = idle = 0
        for _ in range(rounds_max):
            handled = self.run_once()
            total, idle = total + handled, 0 if handled else idle + 1
            if idle >= IDLE_ROUNDS:
                return total
        raise ModelError(f"worker {self.name}: still not idle after {rounds_max} rounds")

    # -- in threads

    def start(self) -> StreamWorker:
        """Read in threads, one for each table, until `stop`."""
        if self._threads:
            return self
        self._stopping.clear()
        self._look()  # here, so that start() raises if something is missing
        watch = self._store.backend.capabilities.watch
        self._unwatch = None if watch is None else watch(self._wake)
        self._threads = [
            threading.Thread(target=self._keep_looking, name=f"sortkey-{self.name}", daemon=True)
        ]
        for table in self._wakes:
            name = f"sortkey-{self.name}-{table}"
            self._threads.append(
                threading.Thread(target=self._read, args=(table,), name=name, daemon=True)
            )
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> None:
        """Finish running calls, store checkpoints, and release the shards."""
        self._stopping.set()
        self._wake()
        self._looking.set()
        for thread in self._threads:
            thread.join()
        self._threads = []
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
        if self._look_at is not None:
            self._sharing.release_all()
            self._look_at = None
        self._dispatch.close()

    def __enter__(self) -> StreamWorker:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()

    # -- from outside

    @property
    def lag_seconds(self) -> dict[str, float]:
        """By table, the age of the last processed change while more are waiting, else 0."""
        behind = dict.fromkeys(self._wakes, 0.0)
        for held in self._sharing.held:
            behind[held.follow.table] = max(behind[held.follow.table], held.behind_seconds)
        return behind

    def replay(self, letters: Sequence[DeadLetter] | None = None) -> Replayed:
        """Pass dead letters, all or some, to their handlers again."""
        return self.dead_letters.replay(self._dispatch, letters)

    def rewind(self, start: Start) -> None:
        """Forget the checkpoints, and start again from another point. No process may run the worker
        meanwhile.
        """
        start_text(start)
        self.stop()
        leases = self._sharing.leases
        follows = self._store.query(Follow.of_worker(worker=self.name).consistent())
        shards = [
            shard for follow in follows for shard in leases.shards(follow.stream_arn).values()
        ]
        for shard in shards:
            if not leases.is_free(shard):
                raise ModelError(f"worker {self.name} is run by {shard.owner}: stop it there first")
        for shard in shards:
            self._store.delete(shard)
        for follow in follows:
            self._store.delete(follow)
        self._sharing.start = start

    # -- threads

    def _look(self) -> None:
        if self._look_at is None:
            self._store.ensure(streams_table)
        self._sharing.look()
        self._look_at = self._clock() + self._sharing.leases.seconds / 3

    def _look_soon(self) -> None:
        if self._look_at is not None:
            self._look_at = self._clock()
        self._looking.set()

    def _wake(self) -> None:
        for wake in self._wakes.values():
            wake.set()

    def _keep_looking(self) -> None:
        while not self._stopping.is_set():
            self._looking.wait(self._sharing.leases.seconds / 3)
            self._looking.clear()
            if self._stopping.is_set():
                return
            try:
                self._look()
            except Exception:
                log.exception("worker %s could not look for shards; trying again", self.name)
            self._wake()

    def _read(self, table: str) -> None:
        pause = 0.0
        wake = self._wakes[table]
        while not self._stopping.is_set():
            try:
                handled = sum(
                    self._work.step(held)
                    for held in self._sharing.held
                    if held.follow.table == table
                )
                pause = 0.0 if handled else self._idle_pause(pause)
            except Exception:
                log.exception(
                    "worker %s could not read the stream of %s; trying again", self.name, table
                )
                pause = min(max(2 * pause, self._poll_seconds), FAILED_SECONDS_MAX)
            if pause:
                wake.wait(pause)
                wake.clear()
        self._dispatch.close()

    def _idle_pause(self, pause: float) -> float:
        if self._unwatch is not None:
            return WATCHED_SECONDS
        return min(max(2 * pause, self._poll_seconds), POLL_GROWTH * self._poll_seconds)
