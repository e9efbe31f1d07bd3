"""What the steps of a store need to know besides their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sortkey.model.tables import Table
from sortkey.values.attributes import Item

OLDEST_SECONDS = 5 * 365 * 86400
"""AWS lets items be that claim to have expired more than five years ago, and so they are shown: the unit is wrong."""

Live = Callable[[Item], bool]


@dataclass(frozen=True, slots=True)
class Context:
    """Time and chance come from outside. `secret` signs cursors, which are bound to `tenant`."""

    clock: Callable[[], float]
    random: Callable[[], float]
    secret: bytes
    tenant: str = ""
    batch_attempts: int = 8
    hide_expired: bool = False

    def live(self, table: Table, *, fresh: bool) -> Live | None:
        """What tells the items of a table that have not expired by now; None where nothing is to be hidden."""
        if table.ttl is None or not (fresh or self.hide_expired):
            return None
        return partial(is_live, table.ttl, self.clock())

    def pause(self, attempt: int) -> float:
        """How long to wait before a batch's next try: up to 50 ms, doubled each time, anywhere below it."""
        return self.random() * min(0.05 * 2**attempt, 5.0)


def is_live(attribute: str, now: float, item: Item) -> bool:
    """Whether TTL would leave an item where it is, by the rule of the sweep."""
    number = item.get(attribute, {}).get("N")
    return number is None or not max(int(now) - OLDEST_SECONDS, 1) <= int(float(number)) <= int(now)
