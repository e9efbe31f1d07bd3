"""Leases: which process reads which shard. Each write is conditional on the lease's number, so a
process that lost a shard cannot move its checkpoint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from sortkey.errors import AlreadyExists, ConditionFailed, LeaseLost
from sortkey.runtime.store import Store
from sortkey.runtime.streams.state import Presence, Shard

DONE_KEPT = timedelta(days=7)
PRESENCE_KEPT = timedelta(days=1)


class Leases:
    """The leases of one worker, for one of its processes. `is_gone` tests whether an owner has
    certainly ended.
    """

    def __init__(
        self,
        store: Store,
        worker: str,
        owner: str,
        seconds: float,
        clock: Callable[[], float],
        is_gone: Callable[[str], bool],
    ) -> None:
        self._store = store
        self._clock = clock
        self._is_gone = is_gone
        self.worker, self.owner, self.seconds = worker, owner, seconds

    # -- processes

    def announce(self) -> list[str]:
        """Announce that this process is alive. Returns all live processes, in the same order
        everywhere.
        """
        until = self._now + timedelta(seconds=self.seconds)
        presence = Presence(
            worker=self.worker,
            owner=self.owner,
            alive_until=until,
            expires_at=self._now + PRESENCE_KEPT,
        )
        self._store.put(presence)
        presences = self._store.query(Presence.of_worker(worker=self.worker).consistent())
        return sorted(
            lease.owner
            for lease in presences
            if lease.alive_until > self._now and not self._is_gone(lease.owner)
        )

    def leave(self) -> None:
        self._store.delete(Presence.key(worker=self.worker, owner=self.owner))

    # -- shards

    def shards(self, stream_arn: str) -> dict[str, Shard]:
        """The known shards of a stream, by id."""
        query = Shard.of_stream(worker=self.worker, stream_arn=stream_arn).consistent()
        return {shard.shard_id: shard for shard in self._store.query(query)}

    def add(self, shard: Shard) -> Shard:
        """Store a new shard, unless another process has."""
        try:
            return self._store.create(shard)
        except AlreadyExists as known:
            return known.item

    def is_free(self, shard: Shard) -> bool:
        if shard.owner is None or shard.owner == self.owner or shard.leased_until is None:
            return True
        return shard.leased_until <= self._now or self._is_gone(shard.owner)

    def take(self, shard: Shard) -> Shard | None:
        """Become the reader of a shard. None if another process was faster."""
        with suppress(ConditionFailed):
            return self._write(
                shard, {"owner": self.owner, "lease": shard.lease + 1, "leased_until": self._until}
            )
        return None

    def renew(self, shard: Shard) -> Shard:
        """Renew the lease of a shard. Raises LeaseLost, like the methods below."""
        return self._write_mine(shard, {"leased_until": self._until})

    def checkpoint(self, shard: Shard, sequence_number: str) -> Shard:
        """Store the checkpoint, and renew the lease."""
        return self._write_mine(
            shard, {"sequence_number": sequence_number, "leased_until": self._until}
        )

    def finish(self, shard: Shard) -> Shard:
        """Mark a shard as done: its children may be read now."""
        values = {
            "is_done": True,
            "owner": None,
            "leased_until": None,
            "expires_at": self._now + DONE_KEPT,
        }
        return self._write_mine(shard, values)

    def release(self, shard: Shard) -> Shard:
        """Release a shard."""
        return self._write_mine(shard, {"owner": None, "leased_until": None})

    def _write_mine(self, shard: Shard, values: dict[str, Any]) -> Shard:
        try:
            return self._write(shard, values)
        except ConditionFailed as error:
            raise LeaseLost(f"{shard.shard_id} is read by another process now: {error}") from error

    def _write(self, shard: Shard, values: dict[str, Any]) -> Shard:
        key = Shard.key(worker=shard.worker, stream_arn=shard.stream_arn, shard_id=shard.shard_id)
        return self._store.update(key, set=values, when=Shard.lease == shard.lease)

    @property
    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)

    @property
    def _until(self) -> datetime:
        return self._now + timedelta(seconds=self.seconds)


def share_of(owner: str, owners: Sequence[str], shards: Sequence[Shard]) -> int:
    """The number of shards for one process: as even as possible, and the same computed by every
    process.

    The remainder stays with those who have most, so that no shard moves without need.
    """
    if owner not in owners:
        return 0
    held = Counter(shard.owner for shard in shards)
    ranked = sorted(owners, key=lambda owner: (-held[owner], owner))
    share, more = divmod(len(shards), len(owners))
    return share + (1 if ranked.index(owner) < more else 0)
