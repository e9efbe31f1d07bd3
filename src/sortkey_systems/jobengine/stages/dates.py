"""Parses the date formats of old databases: ISO, slashed, dotted, compact, with month names, and
Unix seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

_TIME = (
    r"(?:[ T](?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?)?"
)
_ZONE = r"\s*(?P<zone>Z|[+-]\d\d:?\d\d|[+-]\d\d)?"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "iso",
        re.compile(rf"(?P<year>\d{{4}})-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}}){_TIME}{_ZONE}"),
    ),
    ("slashed", re.compile(rf"(?P<first>\d{{1,2}})/(?P<other>\d{{1,2}})/(?P<year>\d{{4}}){_TIME}")),
    ("dotted", re.compile(rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}}){_TIME}")),
    (
        "named month",
        re.compile(
            rf"(?P<day>\d{{1,2}})[ -](?P<name>[A-Za-z]{{3,9}})\.?[ -](?P<year>\d{{4}}){_TIME}"
        ),
    ),
    ("compact", re.compile(r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)")),
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
EPOCH_SECONDS_MIN = 100_000_000
"""The year 1973. Smaller numbers are not read as dates."""
EPOCH_SECONDS_MAX = 4_102_444_800
"""The year 2100."""


def form_of(value: Any) -> str | None:
    """The date format of a value, or None if it is not a date. Numbers have none: `instant` reads
    them where a date is expected.
    """
    if not isinstance(value, str):
        return None
    text = value.strip()
    return next((form for form, pattern in _FORMS if pattern.fullmatch(text)), None)


def day_comes_first(values: Iterable[Any]) -> bool | None:
    """Whether the day comes first, as proven by values like 31/12/2024. The majority decides.
    None if nothing is proven.
    """
    firsts, others = 0, 0
    for value in values:
        match = _FORMS[1][1].fullmatch(value.strip()) if isinstance(value, str) else None
        if match:
            firsts += int(match["first"]) > 12
            others += int(match["other"]) > 12
    return firsts >= others if firsts or others else None


def instant(value: Any, *, day_first: bool = True) -> str | None:
    """A date in TMF format, `2024-01-05T10:00:00Z`, or None if the value is not a date. Without a
    time zone, UTC is assumed.
    """
    if isinstance(value, int | float) or (
        isinstance(value, str) and re.fullmatch(r"\d{9,10}(\.\d+)?", value.strip())
    ):
        return _from_epoch(float(value))
    if not isinstance(value, str):
        return None
    for form, pattern in _FORMS:
        if match := pattern.fullmatch(value.strip()):
            return _written(match.groupdict(), form, day_first)
    return None


def _from_epoch(seconds: float) -> str | None:
    if not EPOCH_SECONDS_MIN <= seconds <= EPOCH_SECONDS_MAX:
        return None
    return _text(datetime.fromtimestamp(seconds, UTC))


def _written(parts: dict[str, str | None], form: str, day_first: bool) -> str | None:
    try:
        day, month = _day_and_month(parts, form, day_first)
        at = datetime(int(parts["year"] or 0), month, day, tzinfo=UTC)
    except ValueError:
        return None
    clock = [int(parts.get(name) or 0) for name in ("hour", "minute", "second")]
    if clock[0] > 23 or clock[1] > 59 or clock[2] > 59:
        return None
    micro = int(((parts.get("fraction") or "") + "000000")[:6])
    at = at.replace(hour=clock[0], minute=clock[1], second=clock[2], microsecond=micro)
    return _text(at - _offset(parts.get("zone")))


def _day_and_month(parts: dict[str, str | None], form: str, day_first: bool) -> tuple[int, int]:
    if form == "named month":
        return int(parts["day"] or 0), _MONTHS.index((parts["name"] or "")[:3].lower()) + 1
    if form != "slashed":
        return int(parts["day"] or 0), int(parts["month"] or 0)
    first, other = int(parts["first"] or 0), int(parts["other"] or 0)
    is_day_first = day_first if first <= 12 and other <= 12 else first > 12
    return (first, other) if is_day_first else (other, first)


def _offset(zone: str | None) -> timedelta:
    if not zone or zone == "Z":
        return timedelta()
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -offset if zone[0] == "-" else offset


def _text(at: datetime) -> str:
    return at.replace(tzinfo=None).isoformat() + "Z"
