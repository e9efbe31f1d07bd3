"""Documents: names that say their types, values in one form, ids and versions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

import pytest

from sortkey import (
    DeleteDocument,
    Document,
    Entity,
    GeoPoint,
    Instant,
    PutDocument,
    Searchable,
    Table,
    Updated,
    camel,
    document,
    key,
    version_at,
)
from sortkey.errors import KeyValueError, ModelError
from sortkey.model.document_fields import FieldKind, kind_of

table = Table("Assets", key=("databaseId", "assetId"))
NOON = datetime(2024, 5, 6, 12, 0, 0, 123456, tzinfo=UTC)


class Asset(Entity, table=table, names=camel):
    """What the documents are made of."""

    database_id: str
    asset_id: str
    asset_name: str = "Harbour"
    is_shown: bool = True
    updated_at: Annotated[Instant | None, Updated] = None

    @key("{databaseId}", "{assetId}")
    def key(*, database_id: str, asset_id: str):
        """An asset."""


@document(Asset, "assets", id="{databaseId}:{assetId}", fields=("str_assetname", "_rectype"))
def assets(asset: Asset) -> Searchable:
    """Assets by their names."""
    return {"str_assetname": asset.asset_name, "_rectype": "asset"} if asset.is_shown else None


ASSET = Asset(database_id="db", asset_id="a1", updated_at=NOON)


def test_the_prefix_of_a_name_says_its_type() -> None:
    # The convention of the document index: nothing else declares a type.
    names = ["str_a", "num_a", "bool_a", "date_a", "list_a", "gp_a", "gs_a", "MD_", "AB_", "_rectype"]
    assert [kind_of(name) for name in names] == [
        FieldKind.TEXT,
        FieldKind.NUMBER,
        FieldKind.BOOLEAN,
        FieldKind.DATE,
        FieldKind.LIST,
        FieldKind.POINT,
        FieldKind.SHAPE,
        FieldKind.FLAT,
        FieldKind.FLAT,
        FieldKind.KEYWORD,
    ]


@pytest.mark.parametrize(
    "name", ["title", "str_", "STR_a", "MD_x", "_other", "", "str_a.b", "str_a*", "str_" + "x" * 200]
)
def test_a_name_that_says_no_type_is_refused(name: str) -> None:
    with pytest.raises(ModelError):
        kind_of(name)


def test_an_entity_becomes_a_write_with_its_id_and_version() -> None:
    # The version is the instant of the last write, so that it rises also where an item is made anew.
    fields = {"str_assetname": "Harbour", "_rectype": "asset"}
    assert assets.write_of(ASSET) == PutDocument("db:a1", version_at(NOON), fields)
    assert assets.removal_of(ASSET) == DeleteDocument("db:a1", version_at(NOON) + 1)
    assert assets.write_of(ASSET.changed(is_shown=False)) == DeleteDocument("db:a1", version_at(NOON))
    assert version_at(NOON) == 1_714_996_800_123_456
    assert (assets.doc, assets.name, assets.of) == ("Assets by their names.", "assets", Asset)


def test_an_id_that_would_be_that_of_another_is_refused() -> None:
    with pytest.raises(KeyValueError, match="separates"):
        assets.id_of(ASSET.changed(database_id="a:b"))


def test_an_entity_that_was_never_stored_has_no_version() -> None:
    with pytest.raises(ModelError, match="index what a store has given back"):
        assets.write_of(Asset(database_id="db", asset_id="a1"))


@dataclass
class File:
    """A source that is no entity: files are in no table."""

    database_id: str
    key: str
    size: int


def test_a_document_may_be_made_of_anything() -> None:
    @document(File, "files", id="{database_id}:{key}", fields=("num_filesize",), version=lambda file: 7)
    def files(file: File) -> Searchable:
        return {"num_filesize": file.size}

    assert files.write_of(File("db", "a/b:c.txt", 5)) == PutDocument("db:a/b:c.txt", 7, {"num_filesize": 5})
    assert files.id.parse("db:a/b:c.txt") == {"database_id": "db", "key": "a/b:c.txt"}


def declared(**changes: Any) -> Document[Any]:
    settings: dict[str, Any] = {"of": Asset, "name": "assets", "id": "{assetId}", "fields": ("str_a",)}
    return document(**{**settings, **changes})(lambda asset: {})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Assets"}, "no name of an index"),
        ({"name": "../x"}, "no name of an index"),
        ({"id": "asset"}, "the same for every document"),
        ({"id": "{asset_id}"}, "has no asset_id; it has databaseId"),
        ({"fields": ()}, "needs fields"),
        ({"fields": ("str_a", "str_a")}, "str_a stand twice"),
        ({"fields": ("title",)}, "does not say what it holds"),
        ({"fields": ("VAMS_x",)}, "never indexed"),
        ({"fields": ("_x",)}, "never indexed"),
        ({"of": File, "id": "{key}"}, "say what orders its writes"),
    ],
)
def test_a_declaration_that_cannot_be_right_says_what_to_write(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        declared(**changes)


class Colour(Enum):
    RED = "red"


PARIS = timezone(timedelta(hours=2))
NORMAL = [
    ("str_a", "x", "x"),
    ("str_a", Colour.RED, "red"),
    ("str_a", "", None),
    ("str_a", None, None),
    ("num_a", 5, 5),
    ("num_a", -5.0, -5),
    ("num_a", Decimal("7"), 7),
    ("num_a", 2**63 - 1, 2**63 - 1),
    ("bool_a", False, False),
    ("date_a", NOON, "2024-05-06T12:00:00.123Z"),
    ("date_a", datetime(2024, 5, 6, 14, tzinfo=PARIS), "2024-05-06T12:00:00.000Z"),
    ("date_a", date(2024, 5, 6), "2024-05-06T00:00:00.000Z"),
    ("date_a", "2024-05-06T12:00:00.123999+02:00", "2024-05-06T10:00:00.123Z"),
    ("date_a", "2024-05-06 12:00:00.123Z", "2024-05-06T12:00:00.123Z"),
    ("date_a", "2024-05-06T12:00:00,123Z", "2024-05-06T12:00:00.123Z"),
    ("date_a", "2024-05-06T12:00:00.123Z", "2024-05-06T12:00:00.123Z"),
    ("date_a", datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000Z"),
    ("list_a", ("b", "a", "", "b"), ["b", "a"]),
    ("list_a", [], None),
    ("gp_a", GeoPoint(52.5200066123, 13.4), {"lat": 52.5200066, "lon": 13.4}),
    ("gp_a", {"lat": 1, "lon": -2}, {"lat": 1.0, "lon": -2.0}),
    ("gs_a", {"type": "Point", "coordinates": [1, 2]}, '{"coordinates":[1,2],"type":"Point"}'),
    ("gs_a", '{"type": "Point"}', '{"type": "Point"}'),
    ("MD_", {"a": 1, "b": True, "c": {"d": [1.5, None, "x"]}}, {"a": "1", "b": "true", "c": {"d": ["1.5", "x"]}}),
    ("MD_", {"VAMS_a": 1, "_b": 2, "c": {"_d": 3}, "e": None, "f": ""}, None),
    ("MD_", {"at": NOON, "colour": Colour.RED}, {"at": "2024-05-06T12:00:00.123Z", "colour": "red"}),
    ("_rectype", "asset", "asset"),
    ("_hidden", "x", None),
    ("VAMS_hidden", "x", None),
]


@pytest.mark.parametrize(("name", "value", "kept"), NORMAL)
def test_values_have_one_form(name: str, value: Any, kept: Any) -> None:
    # Every index gets this form, so that none has its own idea of a date.
    assert declared().normal({name: value}) == ({} if kept is None else {name: kept})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("str_a", 5),
        ("num_a", "5"),
        ("num_a", 5.5),
        ("num_a", True),
        ("num_a", 2**63),
        ("num_a", float("nan")),
        ("bool_a", 1),
        ("date_a", "yesterday"),
        ("date_a", "2024-13-06T12:00:00.123Z"),
        ("date_a", 5),
        ("list_a", "abc"),
        ("list_a", [1]),
        ("gp_a", "1,2"),
        ("gp_a", {"lat": 1}),
        ("gp_a", {"lat": 91, "lon": 0}),
        ("MD_", "x"),
        ("title", "x"),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_field(name: str, value: Any) -> None:
    # Better here than by the service, which has then guessed a type for the whole index.
    with pytest.raises(ModelError, match=f"the document assets: {name}: "):
        declared().normal({name: value})


@pytest.mark.parametrize(("lat", "lon"), [(91, 0), (0, 181), (float("nan"), 0), (float("inf"), 0)])
def test_a_place_is_on_the_earth(lat: float, lon: float) -> None:
    with pytest.raises(ModelError, match="no place"):
        GeoPoint(lat, lon)
