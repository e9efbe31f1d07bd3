"""What is typed into the search box, as a query."""

from datetime import UTC, datetime
from math import inf, nextafter

import pytest

from sortkey import Bool, Date, Flat, GeoPoint, GeoShape, Integer, Keyword, Match, Number, Text
from sortkey.errors import ModelError
from sortkey.model.document_fields import DocumentFields
from sortkey.web.console.search_labels import label_of
from sortkey.web.console.search_words import has_words, match_of

FIELDS = DocumentFields(
    {
        "name": Text(),
        "tags": Keyword(many=True),
        "fileSize": Integer(),
        "rating": Number(),
        "open": Bool(label="is open"),
        "date_made": Date(label="made"),
        "place": GeoPoint(),
        "outline": GeoShape(),
        "attributes": Flat(label="more"),
        "_kind": Keyword(),
    }
)


def day(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("old harbour", Match.text("old harbour", begins=True)),
        ("harbour ", Match.text("harbour")),
        ('"old harbour"', Match.phrase("old harbour")),
        ('"old har', Match.phrase("old har")),
        ("-closed", ~Match.text("closed")),
        ("name:harb", Match.text("harb", ["name"], begins=True)),
        ('name:"The harbour"', Match.keyword("name", "The harbour")),
        ("-tags:italy", ~Match.keyword("tags", "italy")),
        ("open:yes", Match.keyword("open", True)),
        ("isopen:no", Match.keyword("open", False)),
        ("filesize:100", Match.range("fileSize", at_least=100, below=101)),
        ("file_size:>100", Match.range("fileSize", at_least=101)),
        ("fileSize:<=1,000", Match.range("fileSize", below=1001)),
        ("filesize:10..20", Match.range("fileSize", at_least=10, below=21)),
        ("filesize:10..", Match.range("fileSize", at_least=10)),
        ("rating:4.5", Match.range("rating", at_least=4.5, below=nextafter(4.5, inf))),
        ("rating:>4", Match.range("rating", at_least=nextafter(4.0, inf))),
        ("rating:-1..4.5", Match.range("rating", at_least=-1.0, below=nextafter(4.5, inf))),
        ("made:2026", Match.range("date_made", at_least=day(2026, 1, 1), below=day(2027, 1, 1))),
        (
            "made:2026-12",
            Match.range("date_made", at_least=day(2026, 12, 1), below=day(2027, 1, 1)),
        ),
        ("date_made:<2026-02-22", Match.range("date_made", below=day(2026, 2, 22))),
        ("attributes.colour:red", Match.keyword("attributes.colour", "red")),
        ("more.colour:red", Match.keyword("attributes.colour", "red")),
        ("_kind:thing", Match.keyword("_kind", "thing")),
        ('outline:"a b"', Match.phrase("a b", ["outline"])),
        ("outline:a", Match.text("a", ["outline"], begins=True)),
        ("https://example.com", Match.text("https://example.com", begins=True)),
    ],
)
def test_what_is_typed_is_asked(text: str, asked: Match) -> None:
    assert match_of(FIELDS, text) == Match.all(asked)


def test_everything_that_is_typed_must_hold_and_nothing_asks_for_all() -> None:
    asked = match_of(FIELDS, 'old filesize:>5 harbour -name:x "a b"')
    words = Match.text("old harbour")
    more = (
        Match.range("fileSize", at_least=6),
        ~Match.text("x", ["name"], begins=True),
        Match.phrase("a b"),
    )
    assert asked == Match.all(words, *more)
    assert match_of(FIELDS, "  ") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "colour:red",
            r"There is no field colour.*in quotes.*attributes\.colour:value.*Fields: name, tags, "
            r"fileSize",
        ),
        ("more:red", r"There is no field more.*attributes\.more:value"),
        ("name.x:red", "There is no field name.x"),
        ("open:maybe", "open is true or false: write open:true, not 'maybe'"),
        (
            "filesize:big",
            "filesize is a whole number: write filesize:100, filesize:>100 or filesize:10..20",
        ),
        ("rating:good", "rating is a number: write rating:4.5, rating:>4 or rating:4..5"),
        ("made:soon", "made is a date: write made:2026-02-22"),
        ("made:2026-13", "made is a date"),
        ("place:here", "place is a place"),
    ],
)
def test_what_cannot_be_asked_is_reported_with_what_can(text: str, said: str) -> None:
    # Somebody is typing: the next try should be the right one.
    with pytest.raises(ModelError, match=said):
        match_of(FIELDS, text)


def test_only_words_can_be_misspelled() -> None:
    assert has_words("harbor name:x")
    assert not has_words('name:x -y "z"')


def test_a_field_is_called_by_its_label_or_by_the_words_of_its_name() -> None:
    names = (
        "open",
        "date_made",
        "fileSize",
        "_kind",
        "attributes",
        "published_at",
        "published-at",
        "URL",
        "ETag",
    )
    assert [label_of(FIELDS, each) for each in names] == [
        *("is open", "made", "file size", "kind", "more"),
        *("published at", "published at", "URL", "etag"),
    ]
