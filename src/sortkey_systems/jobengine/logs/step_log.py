"""The log of a step: collected in memory, stored in parts while the step runs, one JSON array file
when it ends.

Warnings and errors also become small items for quick queries. `search` and `export` read logs.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from secrets import token_hex
from types import NoneType
from typing import Any, cast

import orjson

from sortkey import Lifecycle, Objects, Store, instant_text
from sortkey.errors import LeaseLost, ModelError, PreconditionFailed
from sortkey_systems.jobengine.logs.files import ROUNDS_MAX, THROUGH, JobPlace, StepPlace
from sortkey_systems.jobengine.logs.index_items import index_entry
from sortkey_systems.jobengine.model import Log
from sortkey_systems.jobengine.parts import LogCounts, LogLine

LEVELS = ("debug", "info", "warning", "error")
FLUSH_BYTES = 1 << 20
"""Lines of this many bytes are flushed automatically, so memory stays constant."""
FOLD_PARTS = 1000
"""This many parts are merged into one file while the step still runs, so that a step that flushes
often stays fast to read.
"""
ENTRIES_MAX = 200
DEPTH_MAX = 100
CHUNK_BYTES = 256 << 10
ARCHIVE_DAYS = 90


class StepLog:
    """The log of one step of one job, for one writer; threads may share it.

    `flush` before a checkpoint, and store `position` in it. After a crash, `resume_from` that
    position (0: the step starts over; None: nothing is repeated): lines that the step repeats word
    for word are not written twice.
    """

    def __init__(
        self,
        objects: Objects,
        *,
        journey_id: str,
        stage_id: str,
        job_id: str,
        step_id: str,
        store: Store | None = None,
        index_levels: Iterable[str] = ("warning", "error"),
        resume_from: int | None = 0,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._place = StepPlace(objects, journey_id, stage_id, job_id, step_id)
        self._store, self._clock = store, clock
        self._indexed = (
            frozenset(level_of(level) for level in index_levels) if store else frozenset[str]()
        )
        self._writer, self._lock = token_hex(8), threading.RLock()
        self._counts: Counter[str] = Counter()
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._entries: list[Log] = []
        self._said: Counter[bytes] = Counter()
        self._position = 0
        self._is_closed = False
        self._part = self._claim()
        self._take_up(resume_from)

    @property
    def counts(self) -> LogCounts:
        """The lines of the step by level, including those of earlier attempts."""
        counts = {f"{level}_count": self._counts[level] for level in LEVELS}
        return LogCounts(total_logs=self._counts.total(), **counts)

    @property
    def position(self) -> int:
        """How many lines are stored durably. Lines in memory do not count."""
        return self._position

    @property
    def uri(self) -> str:
        """Where the file is, or will be."""
        return self._place.uri

    def add(
        self, level: str, message: str, /, timestamp: datetime | None = None, **details: Any
    ) -> None:
        """Add a line. It stays in memory until the next flush."""
        level, at = level_of(level), timestamp or self._clock()
        raw = _raw(self._place, level, message, at, details)
        with self._lock:
            if self._is_closed:
                raise ModelError(
                    f"the log of {self._place.step_id} is closed: open it again to go on"
                )
            if self._said and self._is_said_again(raw):
                return
            self._counts[level] += 1
            self._waiting.append(raw)
            self._waiting_bytes += len(raw)
            if level in self._indexed:
                self._entries.append(
                    index_entry(self._place, self._position + len(self._waiting), raw)
                )
            if self._waiting_bytes >= FLUSH_BYTES:
                self.flush()

    def flush(self) -> None:
        """Store all lines so far durably. Raises LeaseLost if another worker has taken over."""
        with self._lock:
            if self._waiting:
                self._put_part(self._part + 1, b"\n".join(self._waiting))
                self._part += 1
                self._position += len(self._waiting)
                self._waiting, self._waiting_bytes = [], 0
                if self._part % FOLD_PARTS == 0:
                    self._fold()
            if self._entries and self._store:
                self._store.batch_write(self._entries)
                self._entries = []

    def close(self) -> str:
        """Write the file and return its URI. Closing twice is fine. Raises LeaseLost if another
        worker has taken over.
        """
        with self._lock:
            if not self._is_closed:
                self.flush()
                self._fold()
                self._is_closed = True
            return self._place.uri

    # -- parts. Each is written once, by number: so two writers cannot both go on.

    def _claim(self) -> int:
        """Put an empty part after all others. The previous writer finds it and knows that it lost
        the log.
        """
        for _ in range(ROUNDS_MAX):
            number = self._place.kept().last + 1
            try:
                self._put_part(number, b"")
            except LeaseLost:
                continue
            return number
        raise LeaseLost(
            f"others keep taking the log of {self._place.step_id} of {self._place.job_id}"
        )

    def _put_part(self, number: int, data: bytes) -> None:
        key, bucket = self._place.part(number), self._place.bucket
        about = {"writer": self._writer}
        try:
            bucket.put(key, data, content_type="application/jsonl", metadata=about, if_absent=True)
        except PreconditionFailed as failed:
            if (
                bucket.head(key).metadata.get("writer") != self._writer
            ):  # otherwise it is ours, and the response was lost
                raise self._lost() from failed

    def _fold(self) -> None:
        """Merge file and parts into one file, then remove the parts."""
        place, parts = self._place, self._place.kept()
        if parts.last != self._part:
            raise self._lost()
        try:
            place.bucket.put(
                place.key,
                json_array(line.raw for line in place.lines()),
                content_type="application/json",
                metadata={THROUGH: str(parts.last)},
                if_absent=parts.file is None,
                if_match=parts.file.etag if parts.file else None,
            )
        except PreconditionFailed as failed:
            raise self._lost() from failed
        place.remove_parts(parts.last)

    def _lost(self) -> LeaseLost:
        return LeaseLost(
            f"another worker goes on with {self._place.step_id} of {self._place.job_id}: stop here"
        )

    # -- what an earlier attempt has logged

    def _take_up(self, resume_from: int | None) -> None:
        """Count the existing lines, remember what the step may repeat, and add index items that a
        crash prevented.
        """
        for line in self._place.lines():
            level = level_of(str(orjson.loads(line.raw)["level"]))
            self._counts[level] += 1
            self._position = line.number
            if resume_from is not None and line.number > resume_from:
                self._said[_words(line.raw)] += 1
                if level in self._indexed:
                    self._entries.append(index_entry(self._place, line.number, line.raw))
            if len(self._entries) >= ENTRIES_MAX:
                self.flush()
        self.flush()

    def _is_said_again(self, raw: bytes) -> bool:
        words = _words(raw)
        self._said[words] -= 1
        is_again = self._said[words] >= 0
        if self._said[words] <= 0:
            del self._said[words]
        return is_again


def get_job_logs(
    objects: Objects, journey_id: str, stage_name: str, job_id: str, step_name: str | None = None
) -> Iterator[LogLine]:
    """The lines of a step, or of all steps in the order in which they ran, one at a time, also
    while the job runs.
    """
    place = JobPlace(objects, journey_id, stage_name, job_id)
    for step_id in [step_name] if step_name else steps_in_order(place):
        for line in place.step(step_id).lines():
            yield LogLine.model_validate_json(line.raw)


def steps_in_order(place: JobPlace) -> list[str]:
    """The steps that have logged something, by their first line."""
    began: dict[str, datetime] = {}
    for step_id in place.steps():
        first = next(place.step(step_id).lines(), None)
        if first is not None:
            began[step_id] = LogLine.model_validate_json(first.raw).timestamp
    return sorted(began, key=began.__getitem__)


def archive_logs(objects: Objects, *, days: int = ARCHIVE_DAYS) -> None:
    """Move logs to the cheaper tier (S3: Glacier) after this many days. They are never deleted."""
    objects.set_lifecycle([Lifecycle("journeys/", archive_after_days=days)])


def level_of(text: str) -> str:
    level = text.lower()
    if level not in LEVELS:
        raise ModelError(f"{text!r} is not a log level: use one of {', '.join(LEVELS)}")
    return level


def _raw(
    place: StepPlace, level: str, message: str, at: datetime, details: dict[str, Any]
) -> bytes:
    entry = {
        "jobId": place.job_id,
        "step_id": place.step_id,
        "level": level.upper(),
        "message": message,
        "timestamp": instant_text(at),
        "details": details,
    }
    try:
        return orjson.dumps(entry, default=str, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:  # a log accepts any value
        return orjson.dumps(_plain(entry), default=str)


def _plain(value: Any, depth: int = 0) -> Any:
    """A value as JSON can store it: invalid Unicode is replaced, and what is too large or too deep
    becomes text.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else str(value)
    if isinstance(value, Mapping) and depth < DEPTH_MAX:
        return {
            _plain(str(name)): _plain(member, depth + 1)
            for name, member in cast(Mapping[Any, Any], value).items()
        }
    if isinstance(value, (list, tuple, set, frozenset)) and depth < DEPTH_MAX:
        return [_plain(member, depth + 1) for member in cast(Iterable[Any], value)]
    return (
        value if isinstance(value, (float, datetime, NoneType)) else _plain(str(cast(Any, value)))
    )


def _words(raw: bytes) -> bytes:
    """The content of a line, without its time."""
    entry = orjson.loads(raw)
    words = orjson.dumps(
        [entry["level"], entry["message"], entry["details"]], option=orjson.OPT_SORT_KEYS
    )
    return blake2b(words, digest_size=16).digest()


def json_array(raws: Iterable[bytes]) -> Iterator[bytes]:
    """One JSON array, one element per line, in chunks."""
    chunk, before = bytearray(), b"[\n"
    for raw in raws:
        chunk += before + raw
        before = b",\n"
        if len(chunk) >= CHUNK_BYTES:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk) + (b"\n]\n" if before == b",\n" else b"[]\n")
