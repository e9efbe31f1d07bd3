"""Times and durations as typed: `2026-11-01T12:00:00Z`, `2026-11-01 12:00`, `10m` ago."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from sortkey.commands.failure import USAGE, CommandFailed

MOMENT_HELP = "2026-11-01T12:00:00Z, local time without a zone, or 30s, 10m, 12h, 7d ago."
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def read_duration(text: str) -> timedelta:
    match = re.fullmatch(r"(\d{1,6})([smhd])", text)
    if match is None:
        raise CommandFailed(
            f"{text!r} is not a duration: use a number with s, m, h or d, such as 12h", USAGE
        )
    return timedelta(seconds=int(match[1]) * _UNITS[match[2]])


def read_moment(text: str) -> datetime:
    """The time in UTC."""
    if re.fullmatch(r"\d+[smhd]", text):
        return datetime.now(UTC) - read_duration(text)
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        raise CommandFailed(f"{text!r} is not a time: use {MOMENT_HELP}", USAGE) from None
