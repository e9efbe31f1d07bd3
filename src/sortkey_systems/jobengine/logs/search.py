"""Search in the full log of a job: by level, step, time, text and details, page by page.

It streams the files and keeps one page in memory. `recent` is faster for the newest warnings and
errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import orjson

from sortkey import Objects, Store, instant_text
from sortkey.errors import BadCursor, ModelError
from sortkey_systems.jobengine.logs.files import JobPlace, RawLine
from sortkey_systems.jobengine.logs.step_log import level_of, steps_in_order
from sortkey_systems.jobengine.model import Log, recent_logs
from sortkey_systems.jobengine.parts import LogLine

LINES_READ_MAX = 200_000
"""Lines read for one page. A page that found fewer by then has a cursor to continue."""
PAGE_LINES_MAX = 1000


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which lines to return. Criteria that are not given do not matter. `since` is inclusive,
    `until` exclusive.

    `text` is searched in the message and the values of the details, ignoring case. `details` are
    values by name, `orders.rows` for a nested one.
    """

    levels: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def of(
        cls,
        level: str | Iterable[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        text: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> LogFilter:
        """A filter from the input of a caller. Levels may have any case. Raises ModelError."""
        levels = [level] if isinstance(level, str) else level or ()
        if any(moment is not None and moment.tzinfo is None for moment in (since, until)):
            raise ModelError("since and until need a time zone, such as 2025-11-01T20:30:00Z")
        return cls(
            frozenset(map(level_of, levels)),
            since,
            until,
            (text or "").casefold(),
            dict(details or {}),
        )

    def matches(self, line: Mapping[str, Any]) -> bool:
        """Whether a line, as JSON of a file, matches."""
        if self.levels and str(line["level"]).lower() not in self.levels:
            return False
        if (self.since or self.until) and not self._is_in_time(line["timestamp"]):
            return False
        if self.text and not self._has_text(line):
            return False
        details: Mapping[str, Any] = line.get("details") or {}
        return all(_equals(_inside(details, name), value) for name, value in self.details.items())

    def about(self) -> dict[str, Any]:
        """What a cursor of this search is bound to."""
        times = [moment and instant_text(moment) for moment in (self.since, self.until)]
        return {
            "levels": sorted(self.levels),
            "times": times,
            "text": self.text,
            "details": repr(self.details),
        }

    def _is_in_time(self, timestamp: str) -> bool:
        at = datetime.fromisoformat(timestamp)
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)

    def _has_text(self, line: Mapping[str, Any]) -> bool:
        if self.text in str(line["message"]).casefold():
            return True
        return any(self.text in value.casefold() for value in _values(line.get("details")))


@dataclass(frozen=True, slots=True)
class LogPage:
    """Some lines, and a cursor to continue; None at the end."""

    items: list[LogLine]
    cursor: str | None


def search_logs(
    objects: Objects,
    store: Store,
    journey_id: str,
    stage_name: str,
    job_id: str,
    where: LogFilter | None = None,
    *,
    step: str | None = None,
    cursor: str | None = None,
    limit: int = 100,
    follow: bool = False,
) -> LogPage:
    """A page of matching lines in the order in which they were logged, also while the job runs.

    With `follow` there is a cursor at the end too, for later lines; none before the first line.
    Raises BadCursor.
    """
    if not 1 <= limit <= PAGE_LINES_MAX:
        raise ModelError(f"a page has 1 to {PAGE_LINES_MAX} lines, not {limit}")
    where, place = where or LogFilter(), JobPlace(objects, journey_id, stage_name, job_id)
    about = {"logs": [objects.name, journey_id, stage_name, job_id, step], **where.about()}
    start = _Spot(*store.read_cursor(about, cursor)) if cursor else None
    walk = _Walk(place, where, [step] if step else steps_in_order(place), start)
    items = walk.page(limit)
    ends = walk.is_done and not (follow and walk.spot)
    return LogPage(
        items, None if ends or walk.spot is None else store.sign_cursor(about, walk.spot.to_json())
    )


def matching(place: JobPlace, where: LogFilter, step: str | None = None) -> Iterator[bytes]:
    """The JSON of all matching lines, one at a time."""
    for step_id in [step] if step else steps_in_order(place):
        for line in place.step(step_id).lines():
            if where.matches(orjson.loads(line.raw)):
                yield line.raw


def recent(store: Store, job_id: str) -> list[Log]:
    """Pattern 6: the newest hundred of the entries in the table, newest first."""
    return store.query(recent_logs(job_id))


@dataclass(frozen=True, slots=True)
class _Spot:
    """A position after a line of a step. Version and end let the next page start there without
    reading what is before.
    """

    step_id: str
    number: int
    version: str | None
    end: int

    def to_json(self) -> list[Any]:
        return [self.step_id, self.number, self.version, self.end]

    def as_line(self) -> RawLine:
        return RawLine(b"", self.number, self.version, self.end)


class _Walk:
    """Walks through the steps from a position on, up to a full page."""

    def __init__(
        self, place: JobPlace, where: LogFilter, steps: list[str], start: _Spot | None
    ) -> None:
        self._place, self._where = place, where
        if start and start.step_id not in steps:
            raise BadCursor(f"{start.step_id} has no log any more: begin again without the cursor")
        self._steps = steps[steps.index(start.step_id) :] if start else steps
        self.spot, self.is_done = start, False

    def page(self, limit: int) -> list[LogLine]:
        """The matching lines. One more is searched, so that the last page is known."""
        items = list[LogLine]()
        for read, (step_id, line) in enumerate(self._lines(), 1):
            parsed = orjson.loads(line.raw)
            is_wanted = self._where.matches(parsed)
            if is_wanted and len(items) == limit:
                return items
            if is_wanted:
                items.append(LogLine.model_validate(parsed))
            if is_wanted or len(items) < limit:
                self.spot = _Spot(step_id, line.number, line.version, line.end)
            if read >= LINES_READ_MAX:
                return items
        self.is_done = True
        return items

    def _lines(self) -> Iterator[tuple[str, RawLine]]:
        for step_id in self._steps:
            after = self.spot.as_line() if self.spot and self.spot.step_id == step_id else None
            for line in self._place.step(step_id).lines(after):
                yield step_id, line


def _inside(details: Mapping[str, Any], name: str) -> Any:
    """A value by its name, or by a path of names."""
    if name in details:
        return details[name]
    first, dot, rest = name.partition(".")
    deeper = details.get(first)
    return (
        _inside(cast(Mapping[str, Any], deeper), rest)
        if dot and isinstance(deeper, Mapping)
        else None
    )


def _equals(actual: Any, expected: Any) -> bool:
    """Compares as values, or as texts: values of a URL are texts."""
    return actual is not None and (actual == expected or _text(actual) == str(expected))


def _values(details: Any) -> Iterator[str]:
    """The texts and numbers in details, at any depth."""
    pending: list[Any] = [details]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += cast(dict[str, Any], value).values()
        elif isinstance(value, list):
            pending += cast(list[Any], value)
        elif value is not None:
            yield _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
