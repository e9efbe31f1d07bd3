"""The resources that a step uses: memory and processor time of its process."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """As reports show it: `256MB` at the peak, `35%` of one processor."""

    memory: str
    cpu: str


class UsageMeter:
    """Measures from its creation on."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def read(self) -> Usage:
        wall = time.perf_counter() - self._wall
        processor = time.process_time() - self._processor
        return Usage(f"{_peak_megabytes()}MB", f"{100 * processor / wall if wall else 0:.0f}%")


def _peak_megabytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10))
