"""The log of a job as a download: JSON, CSV or plain text, streamed whatever its size."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import orjson

from sortkey import Objects
from sortkey.errors import ModelError
from sortkey_systems.jobengine.logs.files import JobPlace
from sortkey_systems.jobengine.logs.search import LogFilter, matching
from sortkey_systems.jobengine.logs.step_log import json_array

Format = Literal["json", "csv", "txt"]
CONTENT_TYPES: dict[Format, str] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}
COLUMNS = ("timestamp", "level", "step_id", "message", "jobId", "details")
CHUNK_LINES = 500


def export_logs(
    objects: Objects,
    journey_id: str,
    stage_name: str,
    job_id: str,
    format: Format = "json",
    where: LogFilter | None = None,
    *,
    step: str | None = None,
) -> Iterator[bytes]:
    """The selected lines of a job, or all, in chunks of a file. Raises ModelError for an unknown
    format.
    """
    return export_all_logs(objects, [(journey_id, stage_name, job_id)], format, where, step=step)


def export_all_logs(
    objects: Objects,
    jobs: Iterable[tuple[str, str, str]],
    format: Format = "json",
    where: LogFilter | None = None,
    *,
    step: str | None = None,
) -> Iterator[bytes]:
    """The lines of several jobs in one file, each given by its journey, stage and id."""
    if format not in FORMATS:
        raise ModelError(f"{format!r} is not an export format: use one of {', '.join(FORMATS)}")
    places = (JobPlace(objects, *job) for job in jobs)
    return FORMATS[format](
        line for place in places for line in matching(place, where or LogFilter(), step)
    )


def _csv(raws: Iterable[bytes]) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for number, raw in enumerate(raws, 1):
        line = orjson.loads(raw)
        writer.writerow([_cell(line, column) for column in COLUMNS])
        if number % CHUNK_LINES == 0:
            yield _taken(text)
    yield _taken(text)


def _cell(line: dict[str, Any], column: str) -> str:
    if column == "details":
        return orjson.dumps(line.get(column) or {}).decode()
    value = str(line[column])
    # A spreadsheet treats such a cell as a formula, and a message may quote untrusted data.
    return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def _txt(raws: Iterable[bytes]) -> Iterator[bytes]:
    text = io.StringIO()
    for number, raw in enumerate(raws, 1):
        text.write(_sentence(orjson.loads(raw)))
        if number % CHUNK_LINES == 0:
            yield _taken(text)
    yield _taken(text)


def _sentence(line: dict[str, Any]) -> str:
    """One line of text. A message with several lines could otherwise be taken for other lines."""
    message = str(line["message"]).replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")
    details = orjson.dumps(line["details"]).decode() if line.get("details") else ""
    return (
        f"{line['timestamp']} {line['level']:<7} {line['step_id']}: {message} {details}".rstrip()
        + "\n"
    )


def _taken(text: io.StringIO) -> bytes:
    """The bytes written since the last call."""
    chunk = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return chunk


FORMATS: dict[str, Callable[[Iterable[bytes]], Iterator[bytes]]] = {
    "json": json_array,
    "csv": _csv,
    "txt": _txt,
}
