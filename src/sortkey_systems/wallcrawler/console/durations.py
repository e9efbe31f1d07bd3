"""Times as people say them."""

from __future__ import annotations

from datetime import UTC, datetime

from sortkey_systems.wallcrawler.model import Session

SECONDS_IN_MINUTE = 60
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def spoken(seconds: float) -> str:
    """`45 s`, `12 min`, `3 h 20 min`, `2 d 4 h`: as exact as anybody wants to know."""
    left = max(0, int(seconds))
    for number, (size, unit) in enumerate(_UNITS):
        if left < size:
            continue
        count, rest = divmod(left, size)
        smaller, name = _UNITS[number + 1] if size > SECONDS_IN_MINUTE else (1, "")
        more = rest // smaller if name else 0
        return f"{count} {unit} {more} {name}" if more else f"{count} {unit}"
    return "0 s"


def lasted(session: Session, now: datetime | None = None) -> str:
    """How long the browser of a session ran, or has run until `now`; empty if it never did."""
    end = session.ended_at or now
    if session.started_at is None or end is None:
        return ""
    return spoken((end - session.started_at).total_seconds())


def ago(instant: datetime | None) -> str:
    """How long it is since then."""
    if instant is None:
        return ""
    return f"{spoken((datetime.now(UTC) - instant).total_seconds())} ago"
