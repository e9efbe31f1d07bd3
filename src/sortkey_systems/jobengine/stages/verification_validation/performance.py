"""verification_validation, performance: how fast the transfer was, and how fast the target
is read.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from sortkey_systems.jobengine.stages.data_migration.ownership import open_target
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.data_migration.transfer import Transferred
from sortkey_systems.jobengine.stages.work import StepContext, Work

READS = 200


@dataclass(slots=True)
class Performance:
    """Rows per second, and milliseconds to read one document by id."""

    rows: int
    seconds: float
    rows_per_second: float
    read_ms_mean: float
    reads: int


def performance(work: Work, ctx: StepContext) -> Performance:
    """Read some documents of each resource by id."""
    moved = work.result("transfer", Transferred)
    reads = 0
    with open_target(work) as target:
        ids = [
            (name, document["id"])
            for name in target.resources()
            for _, document in _first(target, name)
        ]
        began = time.perf_counter()
        for name, document_id in ids[:READS]:
            reads += target.has(name, document_id)
        seconds = time.perf_counter() - began
    speed = round(moved.rows / moved.seconds, 1) if moved.seconds else 0.0
    mean = round(1000 * seconds / reads, 4) if reads else 0.0
    ctx.log(
        "INFO",
        f"{moved.rows} rows in {moved.seconds:.2f} s, {speed:.0f} a second",
        rows_per_second=speed,
    )
    ctx.progress(100)
    return Performance(moved.rows, moved.seconds, speed, mean, reads)


def _first(target: Target, resource: str, limit: int = 20):
    return [document for document, _ in zip(target.documents(resource), range(limit), strict=False)]
