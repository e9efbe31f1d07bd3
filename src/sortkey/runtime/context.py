"""What the steps of a store need to know besides their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Context:
    """Time and chance come from outside. `secret` signs cursors, which are bound to `tenant`."""

    clock: Callable[[], float]
    random: Callable[[], float]
    secret: bytes
    tenant: str = ""
    batch_attempts: int = 8

    def pause(self, attempt: int) -> float:
        """How long to wait before a batch's next try: up to 50 ms, doubled each time, anywhere below it."""
        return self.random() * min(0.05 * 2**attempt, 5.0)
