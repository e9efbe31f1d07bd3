"""Instants: text of fixed width in the order of time, and seconds since 1970 for TTL."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sortkey import EpochSeconds, Instant, InstantMillis, InstantSeconds, instant_text
from sortkey.errors import ModelError

ZONES = st.sampled_from(
    [UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-11))]
)
MOMENTS = st.datetimes(
    min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=ZONES
)
KINDS: list[Any] = [Instant, InstantMillis, InstantSeconds, EpochSeconds]


@pytest.mark.parametrize("kind", KINDS)
@given(moment=MOMENTS)
def test_an_instant_is_the_same_before_and_after_it_is_stored(kind: Any, moment: datetime) -> None:
    # An entity that changes by being stored fails every comparison that a test or a cache makes.
    adapter = TypeAdapter[datetime](kind)
    value = adapter.validate_python(moment)
    assert adapter.validate_python(adapter.dump_python(value)) == value


@pytest.mark.parametrize("digits", [0, 3, 6])
@given(one=MOMENTS, other=MOMENTS)
def test_the_order_of_the_texts_is_the_order_of_time(
    digits: int, one: datetime, other: datetime
) -> None:
    # Sort keys are compared as text: from the year 1 to 9999, in any zone.
    texts = [instant_text(moment, digits) for moment in (one, other)]
    assert len(texts[0]) == len(texts[1])
    if texts[0] != texts[1]:
        assert (texts[0] < texts[1]) == (one < other)


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        (Instant, "2025-11-01T18:30:00.123456Z"),
        (InstantMillis, "2025-11-01T18:30:00.123Z"),
        (InstantSeconds, "2025-11-01T18:30:00Z"),
        (EpochSeconds, 1762021800),
    ],
)
def test_each_precision_has_its_own_width(kind: Any, stored: str | int) -> None:
    # The documents write seconds, milliseconds or microseconds; one field has one of them.
    moment = datetime(2025, 11, 1, 20, 30, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
    adapter = TypeAdapter[datetime](kind)
    assert adapter.dump_python(adapter.validate_python(moment)) == stored


@pytest.mark.parametrize("kind", KINDS)
def test_a_datetime_without_a_zone_is_refused(kind: Any) -> None:
    # It is some clock's local time; taken for UTC it is wrong by hours and nobody sees it.
    with pytest.raises(ValidationError, match="has no time zone: use"):
        TypeAdapter(kind).validate_python(datetime(2026, 1, 1))
    with pytest.raises(ModelError, match="has no time zone"):
        instant_text(datetime(2026, 1, 1))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2025-11-01T20:30:00Z", datetime(2025, 11, 1, 20, 30, tzinfo=UTC)),
        ("2025-11-01T20:30:00.5+02:00", datetime(2025, 11, 1, 18, 30, 0, 500000, tzinfo=UTC)),
        ("2025-11-01T20:30:00", datetime(2025, 11, 1, 20, 30, tzinfo=UTC)),
        ("2025-11-01", datetime(2025, 11, 1, tzinfo=UTC)),
    ],
)
def test_stored_texts_of_any_precision_are_read(text: str, read: datetime) -> None:
    # Other programs have written to the table before.
    assert TypeAdapter[datetime](Instant).validate_python(text) == read


@pytest.mark.parametrize("value", [10**15, 10**40, float("inf"), True, "soon", None])
def test_what_is_no_instant_is_refused_by_pydantic(value: Any) -> None:
    # Milliseconds in a TTL field are the usual mistake; an error of another kind would pass by
    # every handler.
    with pytest.raises(ValidationError):
        TypeAdapter(EpochSeconds).validate_python(value)


def test_an_instant_that_utc_cannot_hold_is_refused() -> None:
    # datetime.max in a zone west of UTC lies in the year 10000.
    with pytest.raises(ValidationError, match="out of range in UTC"):
        TypeAdapter(Instant).validate_python(
            datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))
        )
