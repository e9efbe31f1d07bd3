"""Values of documents: each kind has one form, and refuses what is of another type."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest

from sortkey import (
    Bool,
    Date,
    FieldKind,
    Flat,
    GeoPoint,
    GeoShape,
    Integer,
    Keyword,
    LatLon,
    Number,
    Text,
)
from sortkey.errors import ModelError
from sortkey.model.document_fields import DocumentFields

NOON = datetime(2024, 5, 6, 12, 0, 0, 123456, tzinfo=UTC)


class Colour(Enum):
    RED = "red"


PARIS = timezone(timedelta(hours=2))
NORMAL = [
    (Text(), "x", "x"),
    (Text(), Colour.RED, "red"),
    (Text(), "", None),
    (Text(), None, None),
    (Keyword(), "x", "x"),
    (Integer(), 5, 5),
    (Integer(), -5.0, -5),
    (Integer(), Decimal("7"), 7),
    (Integer(), 2**63 - 1, 2**63 - 1),
    (Number(), 5, 5.0),
    (Number(), 2**60, 2.0**60),
    (Number(), 4.75, 4.75),
    (Number(), Decimal("0.1"), 0.1),
    (Number(), -0.0, 0.0),
    (Bool(), False, False),
    (Date(), NOON, "2024-05-06T12:00:00.123Z"),
    (Date(), datetime(2024, 5, 6, 14, tzinfo=PARIS), "2024-05-06T12:00:00.000Z"),
    (Date(), date(2024, 5, 6), "2024-05-06T00:00:00.000Z"),
    (Date(), "2024-05-06T12:00:00.123999+02:00", "2024-05-06T10:00:00.123Z"),
    (Date(), "2024-05-06 12:00:00.123Z", "2024-05-06T12:00:00.123Z"),
    (Date(), "2024-05-06T12:00:00,123Z", "2024-05-06T12:00:00.123Z"),
    (Date(), "2024-05-06T12:00:00.123Z", "2024-05-06T12:00:00.123Z"),
    (Date(), datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000Z"),
    (Text(many=True), ("b", "a", "", "b"), ["b", "a"]),
    (Text(many=True), [], None),
    (Keyword(many=True), {"a"}, ["a"]),
    (GeoPoint(), LatLon(52.5200066123, 13.4), {"lat": 52.5200066, "lon": 13.4}),
    (GeoPoint(), {"lat": 1, "lon": -2}, {"lat": 1.0, "lon": -2.0}),
    (GeoShape(), {"type": "Point", "coordinates": [1, 2]}, '{"coordinates":[1,2],"type":"Point"}'),
    (GeoShape(), '{"type": "Point"}', '{"type": "Point"}'),
    (
        Flat(),
        {"a": 1, "b": True, "c": {"d": [1.5, None, "x"]}},
        {"a": "1", "b": "true", "c": {"d": ["1.5", "x"]}},
    ),
    (Flat(), {"_b": 2, "e": None, "f": ""}, {"_b": "2"}),
    (Flat(exclude=("x_", "_")), {"x_a": 1, "_b": 2, "c": {"_d": 3}, "e": None, "f": ""}, None),
    (
        Flat(),
        {"at": NOON, "colour": Colour.RED},
        {"at": "2024-05-06T12:00:00.123Z", "colour": "red"},
    ),
]


@pytest.mark.parametrize(("kind", "value", "kept"), NORMAL)
def test_values_have_one_form(kind: FieldKind, value: Any, kept: Any) -> None:
    # Every index gets this form, so that none has its own idea of a date.
    fields = DocumentFields({"a": kind})
    made = fields.normal({"a": value})
    assert made == ({} if kept is None else {"a": kept})
    assert str(made) == str({} if kept is None else {"a": kept}), (
        "-0.0 equals 0.0, and 5 equals 5.0"
    )
    assert fields.normal(made) == made


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Text(), 5),
        (Keyword(), ["x"]),
        (Integer(), "5"),
        (Integer(), 5.5),
        (Integer(), True),
        (Integer(), 2**63),
        (Integer(), float("nan")),
        (Number(), "5"),
        (Number(), True),
        (Number(), float("inf")),
        (Number(), Decimal("NaN")),
        (Number(), Decimal("1e400")),
        (Number(), 2**53 + 1),
        (Number(), 10**40),
        pytest.param(Number(), 10**400, id="no double at all"),
        pytest.param(Integer(), 10**400, id="no 64 bits at all"),
        (Integer(), Decimal("1e999999")),
        (Number(), Decimal("sNaN")),
        (Bool(), 1),
        (Date(), "yesterday"),
        (Date(), "2024-13-06T12:00:00.123Z"),
        (Date(), 5),
        (Text(many=True), "abc"),
        (Text(many=True), [1]),
        (GeoPoint(), "1,2"),
        (GeoPoint(), {"lat": 1}),
        (GeoPoint(), {"lat": 91, "lon": 0}),
        (Flat(), "x"),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_field(kind: FieldKind, value: Any) -> None:
    # Better here than by the service, which has then guessed a type for the whole index.
    with pytest.raises(ModelError, match="a: "):
        DocumentFields({"a": kind}).normal({"a": value})
