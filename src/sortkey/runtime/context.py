"""What the steps of a store need to know besides their arguments."""

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
"""TTL on AWS ignores items that claim to have expired more than five years ago: the unit is
probably wrong.
"""

Live = Callable[[Item], bool]


@dataclass(frozen=True, slots=True)
class Context:
    """Time and randomness come from outside. `secret` signs cursors, which are bound to
    `tenant`.
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
        """What reads and writes the objects of payloads. Loaded when first used: most programs have
        no payloads.
        """
        from sortkey.runtime.payloads import Payloads

        return Payloads(self.buckets)

    def live(self, table: Table, *, fresh: bool) -> Live | None:
        """A test for items that have not expired by now. None where nothing has to be hidden."""
        if table.ttl is None or not (fresh or self.hide_expired):
            return None
        return partial(is_live, table.ttl, self.clock())

    def pause(self, attempt: int) -> float:
        """Seconds to wait before a batch is tried again: random, below a limit that starts at 50 ms
        and doubles.
        """
        return self.random() * min(0.05 * 2**attempt, 5.0)


def is_live(attribute: str, now: float, item: Item) -> bool:
    """Whether TTL would leave an item where it is, by the rule of the sweep."""
    number = item.get(attribute, {}).get("N")
    return number is None or not max(int(now) - OLDEST_SECONDS, 1) <= int(float(number)) <= int(now)
