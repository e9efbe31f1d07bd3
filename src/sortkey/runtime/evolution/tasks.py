"""A backfill as a stored task: its owner, its segments, and the progress of each.

The latest process to take it over owns it. A process that lost it notices at its next page.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sortkey.errors import AlreadyExists, ConditionFailed, LeaseLost, ModelError
from sortkey.model.entity import Entity
from sortkey.model.tables import Table
from sortkey.runtime import reads, writes
from sortkey.runtime.arguments import expect, update_of
from sortkey.runtime.context import Context
from sortkey.runtime.differences import describe
from sortkey.runtime.evolution.plan_execution import note
from sortkey.runtime.evolution.progress import PROBLEMS_MAX, Backfilled, Progress
from sortkey.runtime.evolution.state import Run, Segment, checksum, evolution_table, name_of
from sortkey.runtime.missing_tables import missing_table
from sortkey.runtime.steps import Steps
from sortkey.runtime.table_creation import ensure

SEGMENTS_MAX = 1000
PLACES_KEPT = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a backfill."""

    segments: int = 1
    writes_per_second: float | None = None
    restart: bool = False
    dry_run: bool = False
    on_progress: Callable[[Progress], object] | None = None
    at_once: int = 1
    """How many segments are worked on at a time."""

    def __post_init__(self) -> None:
        if not 1 <= self.segments <= SEGMENTS_MAX:
            raise ModelError(
                f"a table is read in 1 to {SEGMENTS_MAX} segments, not {self.segments}"
            )
        if self.writes_per_second is not None and self.writes_per_second <= 0:
            raise ModelError(
                f"writes_per_second is {self.writes_per_second}: it must be more than 0"
            )


@dataclass
class Task:
    """A backfill that this process works on. `parts` has the state of each segment."""

    table: Table
    entities: Sequence[type[Entity]]
    settings: Settings
    run: Run
    is_resumed: bool = False
    expected: int | None = None
    parts: dict[int, Segment] = field(default_factory=dict[int, Segment])
    is_stopped: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def open_segments(self) -> list[int]:
        return [number for number, part in self.parts.items() if not part.is_done]

    @property
    def rate(self) -> float | None:
        """Writes per second of one segment, so that all together stay below the limit."""
        if self.settings.writes_per_second is None:
            return None
        return self.settings.writes_per_second / max(
            min(len(self.open_segments), self.settings.at_once), 1
        )

    def report(self, part: Segment) -> None:
        with (
            self.lock
        ):  # threads may work on several segments; the callback is called by one at a time
            self.parts[part.number] = part
            if self.settings.on_progress is not None:
                self.settings.on_progress(Progress(**self.totals()))

    def totals(self) -> dict[str, Any]:
        counts = sum((Counter(part.counts) for part in self.parts.values()), Counter[str]())
        done = sum(part.is_done for part in self.parts.values())
        return {
            **counts,
            "segments": self.run.segments,
            "segments_done": done,
            "expected": self.expected,
        }


def begin(context: Context, of: type[Entity] | Table, settings: Settings) -> Steps[Task]:
    """Resume an interrupted backfill, or begin a new one. Raises TableMissing before anything is
    stored.
    """
    expect(of, (type, Table), "an entity class: backfill() takes a class, as Stage, or a table")
    table = of if isinstance(of, Table) else of.__layout__.table
    entities = table.entities if isinstance(of, Table) else [of]
    deployed = yield from describe(table)
    if deployed is None:
        raise missing_table({"TableName": table.name})
    task = Task(table, entities, settings, _new_run(context, table, entities, settings))
    task.expected = deployed.get("ItemCount") or None
    if not settings.dry_run:
        yield from ensure(evolution_table)
        yield from _take_up(context, task)
    for number in range(task.run.segments):
        part = _new_segment(context, task, number)
        task.parts[number] = part if settings.dry_run else (yield from _taken(context, task, part))
    return task


def finish(context: Context, task: Task) -> Steps[Backfilled]:
    """Record that it is done, and what the stored items have now."""
    problems = [problem for part in task.parts.values() for problem in part.problems]
    result = Backfilled(
        **task.totals(),
        entities=tuple(entity.__name__ for entity in task.entities),
        problems=tuple(problems[:PROBLEMS_MAX]),
        is_resumed=task.is_resumed,
        is_dry=task.settings.dry_run,
    )
    if task.settings.dry_run:
        return result
    key = Run.key(table=task.run.table, entities=task.run.entities)
    yield from _written(context, key, {"is_done": True}, Run.lease == task.run.lease)
    for entity in task.entities if result.is_complete else ():
        yield from note(context, task.table, entity)
    return result


def note_place(context: Context, part: Segment, changes: Mapping[str, Any]) -> Steps[Segment]:
    """Store the progress of a segment. Raises LeaseLost."""
    key = Segment.key(table=part.table, run=part.run, entities=part.entities, number=part.number)
    return (yield from _written(context, key, changes, Segment.lease == part.lease))


def _new_run(
    context: Context, table: Table, entities: Sequence[type[Entity]], settings: Settings
) -> Run:
    layouts = [entity.__layout__ for entity in entities]
    return Run(
        table=table.name,
        entities="+".join(map(name_of, layouts)),
        number=1,
        wanted=checksum(layouts),
        segments=settings.segments,
        started_at=_now(context),
    )


def _take_up(context: Context, task: Task) -> Steps[None]:
    """Make this process the owner of the run, interrupted or new."""
    new = task.run
    key = Run.key(table=new.table, entities=new.entities)
    known = yield from reads.find(key, consistent=True)
    if known is None:
        try:
            task.run = yield from writes.put(context, new, "create")
            return
        except AlreadyExists as other:
            known = other.item
    task.is_resumed = not (known.is_done or task.settings.restart or known.wanted != new.wanted)
    following = known if task.is_resumed else new.changed(number=known.number + 1)
    taken = following.changed(lease=known.lease + 1)
    try:
        task.run = yield from writes.put(context, taken, "put", Run.lease == known.lease)
    except ConditionFailed as error:
        raise LeaseLost(
            f"another process has just taken over the backfill of {new.entities}"
        ) from error


def _new_segment(context: Context, task: Task, number: int) -> Segment:
    run = task.run
    return Segment(
        table=run.table,
        entities=run.entities,
        run=run.number,
        number=number,
        lease=run.lease,
        expires_at=_now(context) + PLACES_KEPT,
    )


def _taken(context: Context, task: Task, part: Segment) -> Steps[Segment]:
    key = Segment.key(table=part.table, run=part.run, entities=part.entities, number=part.number)
    if not task.is_resumed or (yield from reads.find(key, consistent=True)) is None:
        try:
            return (yield from writes.put(context, part, "create"))
        except AlreadyExists as error:
            raise LeaseLost(f"another process has taken over this backfill: {error}") from error
    changes = {"lease": part.lease, "expires_at": part.expires_at}
    return (yield from _written(context, key, changes, Segment.lease < part.lease))


def _written(context: Context, key: Any, changes: Mapping[str, Any], when: Any) -> Steps[Any]:
    try:
        return (yield from writes.update(context, update_of(key, (), changes, when, None, False)))
    except ConditionFailed as error:
        raise LeaseLost(f"another process has taken over this backfill: {error}") from error


def _now(context: Context) -> datetime:
    return datetime.fromtimestamp(context.clock(), UTC)
