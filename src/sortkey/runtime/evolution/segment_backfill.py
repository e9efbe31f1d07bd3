"""Reads a segment of a table page by page, and brings every item of some entities up to date.

The position is stored after every page. After a crash, items of the last page are found up to date.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson

from sortkey.errors import InvalidItem, ModelError, ValidationException
from sortkey.model.entity import Entity
from sortkey.model.expressions import Names
from sortkey.model.missing_attributes import is_newer, rewrite_of
from sortkey.model.query_requests import class_of
from sortkey.model.tables import Table
from sortkey.runtime.context import Context
from sortkey.runtime.evolution.progress import PROBLEMS_MAX
from sortkey.runtime.evolution.state import Segment
from sortkey.runtime.evolution.tasks import Task, note_place
from sortkey.runtime.evolution.write_rate import Pace, patiently
from sortkey.runtime.steps import Call, Steps
from sortkey.runtime.upgrades import Outcome, bring_up_to_date
from sortkey.values.attributes import Item

PAGE = 200
"""Items per page, which are read again after a crash."""


@dataclass
class Page:
    """The counts of a page."""

    counts: Counter[str]
    problems: list[str] = field(default_factory=list[str])

    def failed(self, table: Table, item: Item, why: object) -> None:
        self.counts["failed"] += 1
        key = ", ".join(f"{name}={next(iter(item[name].values()))!r}" for name in table.key)
        self.problems.append(f"{key}: {why}")


def work(context: Context, task: Task, number: int) -> Steps[None]:
    """Work on one segment to its end."""
    part, pace = task.parts[number], Pace(context.clock, task.rate)
    while not part.is_done and not task.is_stopped:
        answer = yield from patiently(context, partial(_read, task, part))
        page = Page(Counter(part.counts), list(part.problems))
        for item in answer["Items"]:
            if task.is_stopped:
                # Another segment has failed: the next run finds the finished part of this page up
                # to date.
                return
            yield from _one(context, task, item, page, pace)
        last = answer.get("LastEvaluatedKey")
        changes: dict[str, Any] = {
            "place": None if last is None else orjson.dumps(last).decode(),
            "is_done": last is None,
            "counts": dict(page.counts),
            "problems": page.problems[:PROBLEMS_MAX],
        }
        part = (
            part.changed(**changes)
            if task.settings.dry_run
            else (yield from note_place(context, part, changes))
        )
        task.report(part)


def _read(task: Task, part: Segment) -> Steps[dict[str, Any]]:
    request: dict[str, Any] = {"TableName": task.table.name, "Limit": PAGE, "ConsistentRead": True}
    request |= {"Segment": part.number, "TotalSegments": task.run.segments}
    if part.place is not None:
        request["ExclusiveStartKey"] = orjson.loads(part.place)
    kinds = [entity.__layout__.kind for entity in task.entities]
    if None not in kinds and len(kinds) <= 100:  # as many as IN can hold
        names = Names()
        wanted = ", ".join(names.value({"S": kind or ""}) for kind in kinds)
        request["FilterExpression"] = f"{names.name(task.table.kind_attribute)} IN ({wanted})"
        names.put_into(request)
    return (yield Call("Scan", request, "backfill"))


def _one(context: Context, task: Task, item: Item, page: Page, pace: Pace) -> Steps[None]:
    entity = class_of(task.table, item, task.entities)
    if entity is None:
        return
    page.counts["read"] += 1
    try:
        if task.settings.dry_run:
            outcome, conflicts = _would_be(entity, item), 0
        else:
            outcome, conflicts = yield from patiently(
                context, partial(bring_up_to_date, context, entity, item)
            )
    except (InvalidItem, ModelError, ValidationException) as error:
        page.failed(task.table, item, error)
        return
    page.counts["conflicts"] += conflicts
    if outcome == "contended":
        page.failed(
            task.table,
            item,
            f"others changed it {conflicts} times while it was about to be written",
        )
        return
    page.counts[outcome] += 1
    if outcome == "written" and not task.settings.dry_run:
        yield from pace.wait()


def _would_be(entity: type[Entity], item: Item) -> Outcome:
    if rewrite_of(entity, item) is not None:
        return "written"
    return "newer" if is_newer(entity.__layout__, item) else "unchanged"
