"""Limits for evaluating a source: values, processor time, and the depth of references.

A few lines of Terraform can describe more values than fit in memory. Each value that is created or
visited is counted here. Shared elements are counted each time they are visited.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from sortkey_systems.applens.problems import AnalysisFailed

VALUES_MAX = 2_000_000
"""Twenty thousand resources need about half a million."""
SECONDS_MAX = 30.0
TEXT_STEP = 100
"""Characters of text that count as one value."""
REFERENCES_MAX = 100
"""How deep names may refer to other names."""
LOOK_EVERY = 1000
"""Values between two checks of the clock."""


class Budget:
    """The remaining budget of one analysis. `clock` gives processor seconds, so a busy machine does
    not cause a refusal.
    """

    __slots__ = (
        "_clock",
        "_deadline",
        "_names",
        "_next_look",
        "seconds_max",
        "values_left",
        "values_max",
    )

    def __init__(
        self,
        values: int = VALUES_MAX,
        seconds: float = SECONDS_MAX,
        clock: Callable[[], float] = time.thread_time,
    ) -> None:
        self.values_max, self.seconds_max = values, seconds
        self.values_left, self._next_look = values, values - LOOK_EVERY
        self._clock, self._deadline = clock, clock() + seconds
        self._names: list[str] = []

    def spend(self, values: int = 1) -> None:
        """Spend this many values. Raises AnalysisFailed, which names what is being evaluated."""
        self.values_left -= values
        if self.values_left < self._next_look:
            self._look()

    def spend_text(self, text: str) -> None:
        self.spend(len(text) // TEXT_STEP)

    @contextmanager
    def evaluating(self, name: str) -> Generator[None]:
        """Errors raised inside name this value."""
        if len(self._names) >= REFERENCES_MAX:
            raise AnalysisFailed(
                f"evaluating {name}: it refers to others more than {REFERENCES_MAX} deep"
            )
        self._names.append(name)
        try:
            yield
        finally:
            self._names.pop()

    def _look(self) -> None:
        self._next_look = self.values_left - LOOK_EVERY
        if self.values_left < 0:
            self._refuse(f"{self.values_max:,} values")
        if self._clock() > self._deadline:
            self._refuse(f"{self.seconds_max:g} seconds of processor time")

    def _refuse(self, limit: str) -> None:
        name = self._names[-1] if self._names else "the expressions"
        raise AnalysisFailed(
            f"evaluating {name} needs more than {limit}: analyse a part of the tree, or a plan of "
            "it"
        )
