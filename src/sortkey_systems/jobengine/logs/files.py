"""Where the lines of a step's log are stored: in its file, and after that in numbered parts until
the step ends.

The metadata of the file says which part it includes last. A line is never missing or counted twice:
the file is written first, then the parts it includes are removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sortkey import ObjectInfo, Objects, Template
from sortkey.errors import ObjectCorrupt, ObjectNotFound
from sortkey_systems.jobengine.buckets import uri
from sortkey_systems.jobengine.logs.json_array import BrokenArray, elements
from sortkey_systems.jobengine.parts import LOG_FILE

EXECUTION = "journeys/{journey_id}/stages/{stage_id}/executions/{job_id}"
PART_FILE = Template(EXECUTION + "/unfinished/{step_id}/{number:08d}.jsonl")
"""In the logs bucket: lines flushed while the step runs, one JSON object per line."""

THROUGH = "parts-through"
"""The metadata of a log file: the number of the last part that it includes."""
ROUNDS_MAX = 20


@dataclass(frozen=True, slots=True)
class JobPlace:
    """The logs of one execution of a stage."""

    bucket: Objects
    journey_id: str
    stage_id: str
    job_id: str

    def steps(self) -> Iterator[str]:
        """The steps that have logged something, by name."""
        yield from sorted({*self._finished(), *self._unfinished()})

    def step(self, step_id: str) -> StepPlace:
        return StepPlace(self.bucket, self.journey_id, self.stage_id, self.job_id, step_id)

    def _finished(self) -> Iterator[str]:
        names = {"journey_id": self.journey_id, "stage_id": self.stage_id, "job_id": self.job_id}
        prefix, after = LOG_FILE.prefix(names).text, None
        while True:
            page = self.bucket.list(prefix, after=after)
            for stored in page.objects:
                if LOG_FILE.matches(stored.key):
                    yield str(LOG_FILE.parse(stored.key)["step_id"])
            if (after := page.after) is None:
                return

    def _unfinished(self) -> Iterator[str]:
        names = {"journey_id": self.journey_id, "stage_id": self.stage_id, "job_id": self.job_id}
        prefix, after = PART_FILE.prefix(names).text, None
        while objects := self.bucket.list(prefix, after=after, limit=1).objects:
            step_id = str(PART_FILE.parse(objects[0].key)["step_id"])
            yield step_id
            after = f"{prefix}{step_id}/~"  # behind all parts of the step: their names are digits


@dataclass(frozen=True, slots=True)
class RawLine:
    """One line as JSON. `number` counts from 1; `end` is its end in that version of the file, if it
    is in one.
    """

    raw: bytes
    number: int
    version: str | None = None
    end: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """The state of a log at one moment: the file, and the numbers of the parts that follow it."""

    file: ObjectInfo | None
    through: int
    parts: tuple[int, ...]

    @property
    def last(self) -> int:
        return self.parts[-1] if self.parts else self.through


class _Moved(Exception):
    """A part is gone: its lines are in the file now."""


@dataclass(frozen=True, slots=True)
class StepPlace:
    """The log of one step of one execution."""

    bucket: Objects
    journey_id: str
    stage_id: str
    job_id: str
    step_id: str

    @property
    def key(self) -> str:
        return str(LOG_FILE.render(self._names()))

    @property
    def uri(self) -> str:
        return uri(self.bucket, self.key)

    def part(self, number: int) -> str:
        return str(PART_FILE.render({**self._names(), "number": number}))

    def kept(self) -> Kept:
        """The file and the parts that follow it, at one moment."""
        through, parts = 0, tuple[int, ...]()
        for _ in range(ROUNDS_MAX):
            file = self._head()
            through = int(file.metadata.get(THROUGH, "0")) if file else 0
            parts = tuple(number for number in self._numbers() if number > through)
            if parts == tuple(range(through + 1, through + 1 + len(parts))):
                return Kept(file, through, parts)
        raise ObjectCorrupt(
            f"{self.key} holds parts up to {through}, and after it come {parts[:3]}: some are "
            "missing"
        )

    def lines(self, after: RawLine | None = None) -> Iterator[RawLine]:
        """All lines in order, or those after one, also while others are written. Raises
        ObjectCorrupt.
        """
        seen = after or RawLine(b"", 0)
        for _ in range(ROUNDS_MAX):
            try:
                for line in self._lines_once(seen):
                    seen = line
                    yield line
                return
            except _Moved:
                continue
            except BrokenArray as broken:
                raise ObjectCorrupt(f"{self.key}: {broken}") from broken
        raise ObjectCorrupt(f"{self.key} was replaced {ROUNDS_MAX} times while it was read")

    def remove_parts(self, through: int) -> None:
        """Remove the parts up to this one, which the file includes."""
        for version in list(self.bucket.versions(self._parts_prefix())):
            if int(PART_FILE.parse(version.key)["number"]) <= through:
                self.bucket.delete(version.key, version.version_id)

    def _lines_once(self, seen: RawLine) -> Iterator[RawLine]:
        parts = self.kept()
        start = seen if parts.file and parts.file.version_id == seen.version else RawLine(b"", 0)
        number = start.number
        if parts.file is not None:
            for raw, end in self._of_file(parts.file, start.end):
                number += 1
                if number > seen.number:
                    yield RawLine(raw, number, parts.file.version_id, end)
        for part in parts.parts:
            for raw in self._of_part(part):
                number += 1
                if number > seen.number:
                    yield RawLine(raw, number)

    def _of_file(self, file: ObjectInfo, start: int) -> Iterator[tuple[bytes, int]]:
        with self.bucket.open(self.key, version_id=file.version_id, start=start) as reader:
            yield from elements(reader, after=start)

    def _of_part(self, number: int) -> list[bytes]:
        try:
            return self.bucket.read(self.part(number)).splitlines()
        except ObjectNotFound:
            raise _Moved from None

    def _head(self) -> ObjectInfo | None:
        try:
            return self.bucket.head(self.key)
        except ObjectNotFound:
            return None

    def _numbers(self) -> Iterator[int]:
        after = None
        while True:
            page = self.bucket.list(self._parts_prefix(), after=after)
            yield from (int(PART_FILE.parse(stored.key)["number"]) for stored in page.objects)
            if (after := page.after) is None:
                return

    def _parts_prefix(self) -> str:
        return PART_FILE.prefix(self._names()).text

    def _names(self) -> dict[str, str]:
        return {
            "journey_id": self.journey_id,
            "stage_id": self.stage_id,
            "job_id": self.job_id,
            "step_id": self.step_id,
        }
