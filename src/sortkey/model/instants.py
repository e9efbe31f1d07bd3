"""Instants as text of fixed width, so that the order of the texts is the order of time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from sortkey.errors import ModelError

EVERY_DIGIT = 6


def instant_text(value: datetime, digits: int = EVERY_DIGIT) -> str:
    """An instant as text in UTC, as `2025-11-01T20:30:00.000000Z`. `digits` are those of the
    fraction of the second; more precise values are truncated.
    """
    if value.tzinfo is None:
        raise ModelError(
            f"{value!r} has no time zone: use datetime.now(UTC), or .replace(tzinfo=UTC)"
        )
    text = value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
    return (text[: digits - EVERY_DIGIT or None] if digits else text[:-7]) + "Z"


def read_instant(value: Any) -> Any:
    """A datetime in UTC, of any precision. Pydantic refuses other types.

    A text without a zone is taken as UTC. A datetime without a zone is refused: it may be local
    time.
    """
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
        value = value if value.tzinfo else value.replace(tzinfo=UTC)
    if not isinstance(value, datetime) or value.tzinfo is UTC:
        return value
    if value.tzinfo is None:
        raise ValueError(
            f"{value!r} has no time zone: use datetime.now(UTC), or .replace(tzinfo=UTC)"
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{value!r} is out of range in UTC") from None


def read_epoch(value: Any) -> Any:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return read_instant(value)
    try:
        return datetime.fromtimestamp(value, UTC)
    except (OverflowError, OSError):
        raise ValueError(
            f"{value!r} is not a number of seconds since 1970 that a datetime can hold"
        ) from None


def cut(value: Any, digits: int) -> Any:
    """Truncate to the stored precision, so that an entity is equal before and after it is
    stored.
    """
    if not isinstance(value, datetime):
        return value
    unit = 10 ** (EVERY_DIGIT - digits)
    return value.replace(microsecond=value.microsecond // unit * unit)


def _read(digits: int) -> BeforeValidator:
    return BeforeValidator(lambda value: cut(read_instant(value), digits))


def _write(digits: int) -> PlainSerializer:
    return PlainSerializer(lambda value: instant_text(value, digits), return_type=str)


Instant = Annotated[datetime, BeforeValidator(read_instant), _write(6)]
InstantMillis = Annotated[datetime, _read(3), _write(3)]
InstantSeconds = Annotated[datetime, _read(0), _write(0)]

EpochSeconds = Annotated[
    datetime,
    BeforeValidator(lambda value: cut(read_epoch(value), 0)),
    PlainSerializer(lambda value: int(value.timestamp()), return_type=int),
]
"""A datetime that is stored as a number of seconds since 1970: what TTL needs."""
