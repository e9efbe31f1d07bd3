"""The small items of a log: what a quick query shows of a line. The full line is in the step's
file.
"""

from __future__ import annotations

from typing import Any

import orjson

from sortkey_systems.jobengine.logs.files import StepPlace
from sortkey_systems.jobengine.model import Log
from sortkey_systems.jobengine.parts import LogLine
from sortkey_systems.jobengine.storable import NotStorable, storable

MESSAGE_CHARACTERS_MAX = 500
DETAILS_BYTES_MAX = 1024
"""An item of a log should have 0.5 to 1 KB. Longer lines are read from the file."""


def index_entry(place: StepPlace, number: int, raw: bytes) -> Log:
    """The item of a line. Its key contains the line's number, so writing it again changes
    nothing.
    """
    line = LogLine.model_validate_json(raw)
    return Log(
        journey_id=place.journey_id,
        job_id=place.job_id,
        step=place.step_id,
        log_id=f"LOG-{number:06d}",
        level=line.level.lower(),  # pyright: ignore[reportArgumentType]
        message=_concise(line.message),
        timestamp=line.timestamp,
        source=place.stage_id,
        s3_location=place.uri,
        details=_small(line.details),
        created_at=line.timestamp,
    )


def _concise(message: str) -> str:
    return (
        message
        if len(message) <= MESSAGE_CHARACTERS_MAX
        else message[: MESSAGE_CHARACTERS_MAX - 1] + "…"
    )


def _small(details: dict[str, Any]) -> dict[str, Any]:
    """As many details as fit, from the first on. Values that an item cannot store become text."""
    small, bytes_left = dict[str, Any](), DETAILS_BYTES_MAX
    for name, value in details.items():
        text = orjson.dumps(value, default=str).decode()
        bytes_left -= len(name.encode()) + len(text)
        if bytes_left < 0 or not name:
            return {**small, "inFile": True}
        small[name] = value if _fits(value) else text
    return small


def _fits(value: Any) -> bool:
    try:
        storable(value)
    except NotStorable:
        return False
    return True
