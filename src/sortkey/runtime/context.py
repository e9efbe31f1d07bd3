"""The settings of a store that its steps need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from sortkey.model.tables import Table
from sortkey.values.attributes import Item

if TYPE_CHECKING:
    from sortkey.runtime.objects import Objects
    from sortkey.runtime.payloads import Payloads

OLDEST_SECONDS = 5 * 365 * 86400
"""TTL on AWS ignores items that expired more than five years ago: their unit is probably wrong."""

Live = Callable[[Item], bool]


@dataclass(frozen=True, slots=True)
class Context:
    """Settings of a store, including its clock and randomness. `secret` signs cursors, which are
    bound to `tenant`.
    """

    clock: Callable[[], float]
    random: Callable[[], float]
    secret: bytes
    tenant: str = ""
    batch_attempts: int = 8
    hide_expired: bool = False
    buckets: Mapping[str, Objects] = field(default_factory=dict[str, "Objects"])

    @property
    def payloads(self) -> Payloads:
        """Reads and writes the objects of payloads. Loaded on first use: most programs have no
        payloads.
        """
        from sortkey.runtime.payloads import Payloads

        return Payloads(self.buckets)

    def live(self, table: Table, *, fresh: bool) -> Live | None:
        """A test for items that have not expired. None if expired items are not hidden."""
        if table.ttl is None or not (fresh or self.hide_expired):
            return None
        return partial(is_live, table.ttl, self.clock())

    def pause(self, attempt: int) -> float:
        """Seconds to wait before a batch is tried again: random, below a limit that starts at 50 ms
        and doubles with each attempt.
        """
        return self.random() * min(0.05 * 2**attempt, 5.0)


def is_live(attribute: str, now: float, item: Item) -> bool:
    """Whether TTL would keep an item."""
    number = item.get(attribute, {}).get("N")
    return number is None or not max(int(now) - OLDEST_SECONDS, 1) <= int(float(number)) <= int(now)
