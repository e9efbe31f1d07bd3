"""Documents: ids and versions, values in one form, and declarations that cannot be right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, cast

import pytest

from sortkey import (
    Bool,
    Date,
    DeleteDocument,
    Document,
    Entity,
    FieldKind,
    FieldRule,
    Flat,
    GeoPoint,
    GeoShape,
    Instant,
    Integer,
    Keyword,
    LatLon,
    Number,
    PutDocument,
    Searchable,
    Table,
    Text,
    Updated,
    camel,
    document,
    key,
    version_at,
)
from sortkey.errors import KeyValueError, ModelError
from sortkey.model.document_fields import DocumentFields

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


@document(Asset, "assets", id="{databaseId}:{assetId}", fields={"name": Text(), "kind": Keyword()})
def assets(asset: Asset) -> Searchable:
    """Assets by their names."""
    return {"name": asset.asset_name, "kind": "asset"} if asset.is_shown else None


ASSET = Asset(database_id="db", asset_id="a1", updated_at=NOON)


RULES = (
    FieldRule("internal_*", None),
    FieldRule("*_count", Integer()),
    FieldRule("at_*", GeoPoint()),
    FieldRule("at_*_name", Text()),
)


def test_a_field_is_what_it_is_declared_as_and_others_what_the_first_rule_says_that_fits() -> None:
    # Names are the user's: nothing in them has a meaning that nobody gave it.
    fields = DocumentFields({"str_size": Number(), "internal_id": Keyword()}, RULES)
    assert [fields.kind_of(name) for name in ("str_size", "internal_id", "internal_x")] == [Number(), Keyword(), None]
    assert [fields.kind_of(name) for name in ("word_count", "at_home", "at_home_name")] == [
        Integer(),
        GeoPoint(),
        GeoPoint(),
    ]
    assert list(fields) == ["str_size", "internal_id"]


def test_a_field_that_nothing_speaks_of_is_refused_with_what_there_is() -> None:
    # An index that guessed its type would keep it for good.
    with pytest.raises(ModelError, match=r"'colour' is not declared; there are name, kind$"):
        assets.fields.kind_of("colour")
    with pytest.raises(ModelError, match=r"there are a, \*_count, at_\*, at_\*_name$"):
        DocumentFields({"a": Text()}, RULES).kind_of("colour")


@pytest.mark.parametrize("name", ["title", "Größe", "site of work", "_rectype", "a-b/c#d", "k616263", "x" * 200])
def test_names_are_free(name: str) -> None:
    assert list(declared(fields={name: Text()}).fields) == [name]


def test_a_declaration_has_a_signature_that_changes_with_what_is_indexed_and_with_nothing_else() -> None:
    # An index is built again when it does: for a new label that would be a waste, for a new kind it is needed.
    def signature(kind: FieldKind, *rules: FieldRule) -> dict[str, Any]:
        return DocumentFields({"a": kind}, rules).signature

    assert signature(Text(label="A")) == signature(Text())
    kinds = [Text(), Text(many=True), Keyword(), Keyword(many=True), Number(), Integer(), Bool(), Date(), GeoPoint()]
    kinds += [GeoShape(), Flat(), Flat(exclude=("_",))]
    made = [*(signature(kind) for kind in kinds), signature(Text(), *RULES), signature(Text(), *RULES[::-1])]
    assert all(one != other for n, one in enumerate(made) for other in made[:n])


def test_what_was_stored_for_an_earlier_declaration_is_kept_where_it_still_fits() -> None:
    # A folder answers at once after an upgrade; what the old documents cannot tell is filled by the rebuild.
    now = DocumentFields({"same": Text(), "other": Number(), "listed": Text(many=True)}, RULES)
    stored = {"same": "x", "other": "no number", "listed": "x", "gone": 1, "at_home": {"lat": 1.0, "lon": 2.0}}
    assert now.still_known(stored) == {"same": "x", "at_home": {"lat": 1.0, "lon": 2.0}}


def test_an_entity_becomes_a_write_with_its_id_and_version() -> None:
    # The version is the instant of the last write, so that it rises also where an item is made anew.
    fields = {"name": "Harbour", "kind": "asset"}
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
    @document(File, "files", id="{database_id}:{key}", fields={"size": Integer()}, version=lambda file: 7)
    def files(file: File) -> Searchable:
        return {"size": file.size}

    assert files.write_of(File("db", "a/b:c.txt", 5)) == PutDocument("db:a/b:c.txt", 7, {"size": 5})
    assert files.id.parse("db:a/b:c.txt") == {"database_id": "db", "key": "a/b:c.txt"}


def declared(**changes: Any) -> Document[Any]:
    settings: dict[str, Any] = {"of": Asset, "name": "assets", "id": "{assetId}", "fields": {"a": Text()}}
    return document(**{**settings, **changes})(lambda asset: {})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Assets"}, "cannot be the name of an index"),
        ({"name": "../x"}, "cannot be the name of an index"),
        ({"id": "asset"}, "the same for every document"),
        ({"id": "{asset_id}"}, "has no asset_id; it has databaseId"),
        ({"fields": {}}, "assets: a document needs fields"),
        ({"fields": ("title", "tags")}, r"assets: fields=\('title', 'tags'\) .* write \{\"title\": Text\(\), …\}"),
        ({"fields": {"title": Text}}, r"title: write Text\(\), with parentheses"),
        ({"fields": {"title": str}}, r"title: <class 'str'> is not a kind of field: use Text\(\)"),
        ({"fields": {"title": "text"}}, "title: 'text' is not a kind of field"),
        ({"fields": {"title": FieldKind()}}, "is not a kind of field"),
        ({"fields": {5: Text()}}, "5 cannot be the name of a field: it must be a text"),
        *(
            ({"fields": {name: Text()}}, "cannot be the name of a field: 1 to 200 characters without dots, stars")
            for name in ("", "  ", "a.b", "a*", 'a"b', "a\\b", "a\0", "x" * 201)
        ),
        ({"fields": {"-size": Text()}}, "a leading minus means a descending order"),
        ({"fields": {"_id": Text()}}, "the index has one of that name for itself"),
        ({"fields": {"_source": Text()}}, "the index has one of that name for itself"),
        ({"fields": {"sortkey_text": Text()}}, "the index has one of that name for itself"),
        ({"undeclared": ["num_*"]}, r"'num_\*' is not a rule: write FieldRule\("),
        ({"undeclared": [FieldRule("a*", Text()), FieldRule("a*", None)]}, r"two rules have the pattern a\*"),
        ({"undeclared": [FieldRule("a*", Text(), "x"), FieldRule("b*", Text(), "x")]}, "two rules have the name x"),
        ({"of": File, "id": "{key}"}, "say what orders its writes"),
    ],
)
def test_a_declaration_that_cannot_be_right_says_what_to_write(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        declared(**changes)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FieldRule("num_", Integer()), "needs a \\* where names may differ"),
        (lambda: FieldRule("num_*", cast(Any, Integer)), r"num_\*: write Integer\(\), with parentheses"),
        (lambda: Flat(exclude=cast(Any, "VAMS_")), "must be a tuple of prefixes"),
        (lambda: Flat(exclude=("",)), "none of them empty"),
    ],
)
def test_a_rule_or_a_kind_that_cannot_be_right_is_refused_at_once(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


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
    (Flat(), {"a": 1, "b": True, "c": {"d": [1.5, None, "x"]}}, {"a": "1", "b": "true", "c": {"d": ["1.5", "x"]}}),
    (Flat(), {"_b": 2, "e": None, "f": ""}, {"_b": "2"}),
    (Flat(exclude=("x_", "_")), {"x_a": 1, "_b": 2, "c": {"_d": 3}, "e": None, "f": ""}, None),
    (Flat(), {"at": NOON, "colour": Colour.RED}, {"at": "2024-05-06T12:00:00.123Z", "colour": "red"}),
]


@pytest.mark.parametrize(("kind", "value", "kept"), NORMAL)
def test_values_have_one_form(kind: FieldKind, value: Any, kept: Any) -> None:
    # Every index gets this form, so that none has its own idea of a date.
    made = declared(fields={"a": kind}).normal({"a": value})
    assert made == ({} if kept is None else {"a": kept})
    assert str(made) == str({} if kept is None else {"a": kept}), "-0.0 equals 0.0, and 5 equals 5.0"
    assert declared(fields={"a": kind}).normal(made) == made


def test_what_a_rule_leaves_out_is_left_out_and_what_nothing_speaks_of_is_refused() -> None:
    ruled = declared(undeclared=RULES)
    assert ruled.normal({"a": "x", "internal_id": object(), "word_count": 5}) == {"a": "x", "word_count": 5}
    with pytest.raises(ModelError, match="the document assets: colour: 'colour' is not declared"):
        ruled.normal({"colour": "red"})
    with pytest.raises(ModelError, match="cannot be the name of a field"):
        ruled.normal({"at_a.b": LatLon(0, 0)})


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
    with pytest.raises(ModelError, match="the document assets: a: "):
        declared(fields={"a": kind}).normal({"a": value})


@pytest.mark.parametrize(("lat", "lon"), [(91, 0), (0, 181), (float("nan"), 0), (float("inf"), 0)])
def test_a_place_is_on_the_earth(lat: float, lon: float) -> None:
    with pytest.raises(ModelError, match="is not on the map"):
        LatLon(lat, lon)


@pytest.mark.parametrize(
    ("one", "other", "metres"),
    [
        (LatLon(52.52, 13.405), LatLon(48.8566, 2.3522), 877_464),
        (LatLon(0, 179.5), LatLon(0, -179.5), 111_195),
        (LatLon(90, 0), LatLon(90, 120), 0),
        (LatLon(90, 0), LatLon(-90, 55), 20_015_114),
        (LatLon(10, 20), LatLon(10, 20).antipode, 20_015_114),
        (LatLon(-10, -20), LatLon(-10, -20).antipode, 20_015_114),
        (LatLon(0, 180), LatLon(0, -180), 0),
    ],
)
def test_distances_are_along_the_surface_of_a_sphere(one: LatLon, other: LatLon, metres: int) -> None:
    assert one.metres_to(other) == pytest.approx(metres, abs=1)
    assert one.metres_to(other) == other.metres_to(one)
