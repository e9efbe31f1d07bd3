"""What is typed into the search box, as a query."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sortkey import Match, Searchable, document
from sortkey.errors import ModelError
from sortkey.web.console.search_labels import label_of
from sortkey.web.console.search_words import has_words, match_of
from sortkey_systems.vams.model.documents import asset_document

FIELDS = ("str_name", "list_tags", "num_size", "bool_open", "date_made", "gp_place", "gs_outline", "MD_", "_rectype")


@document(dict, "things", id="{key}", fields=FIELDS, version=lambda thing: 1)
def things(thing: dict[str, Any]) -> Searchable:
    return thing


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
        ("name:harb", Match.text("harb", ["str_name"], begins=True)),
        ('str_name:"The harbour"', Match.keyword("str_name", "The harbour")),
        ("-tags:italy", ~Match.text("italy", ["list_tags"], begins=True)),
        ("open:yes", Match.keyword("bool_open", True)),
        ("size:100", Match.range("num_size", at_least=100, below=101)),
        ("size:>100", Match.range("num_size", at_least=101)),
        ("size:<=1,000", Match.range("num_size", below=1001)),
        ("size:10..20", Match.range("num_size", at_least=10, below=21)),
        ("size:10..", Match.range("num_size", at_least=10)),
        ("made:2026", Match.range("date_made", at_least=day(2026, 1, 1), below=day(2027, 1, 1))),
        ("made:2026-12", Match.range("date_made", at_least=day(2026, 12, 1), below=day(2027, 1, 1))),
        ("made:<2026-02-22", Match.range("date_made", below=day(2026, 2, 22))),
        ("MD_.colour:red", Match.keyword("MD_.colour", "red")),
        ("_rectype:thing", Match.keyword("_rectype", "thing")),
        ('outline:"a b"', Match.phrase("a b", ["gs_outline"])),
        ("https://example.com", Match.text("https://example.com", begins=True)),
    ],
)
def test_what_is_typed_is_asked(text: str, asked: Match) -> None:
    assert match_of(things, text) == Match.all(asked)


def test_everything_that_is_typed_must_hold_and_nothing_asks_for_all() -> None:
    asked = match_of(things, 'old size:>5 harbour -tags:x "a b"')
    words = Match.text("old harbour")
    more = (Match.range("num_size", at_least=6), ~Match.text("x", ["list_tags"], begins=True), Match.phrase("a b"))
    assert asked == Match.all(words, *more)
    assert match_of(things, "  ") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour:red", r"There is no field colour.*in quotes.*MD_\.colour:value.*Fields: str_name, list_tags"),
        ("open:maybe", "open is true or false: write open:true, not 'maybe'"),
        ("size:big", "size is a whole number: write size:100, size:>100 or size:10..20"),
        ("made:soon", "made is a date: write made:2026-02-22"),
        ("made:2026-13", "made is a date"),
        ("place:here", "place is a place"),
    ],
)
def test_what_cannot_be_asked_is_told_with_what_can(text: str, said: str) -> None:
    # Somebody is typing: the next try should be the right one.
    with pytest.raises(ModelError, match=said):
        match_of(things, text)


def test_only_words_can_be_misspelled() -> None:
    assert has_words("harbor name:x")
    assert not has_words('name:x -y "z"')


def test_a_field_is_called_without_what_says_its_type() -> None:
    names = ("str_asset_version_id", "list_tags", "_rectype", "MD_")
    assert [label_of(things, each) for each in names] == ["asset version id", "tags", "rectype", "MD"]


@pytest.mark.parametrize(
    ("field", "label"),
    [
        ("str_databaseid", "database id"),
        ("date_asset_version_createdate", "asset version create date"),
        ("num_filesize", "file size"),
        ("str_update", "update"),
        ("str_grid", "grid"),
    ],
)
def test_a_glued_name_is_read_as_the_words_that_its_items_know(field: str, label: str) -> None:
    # Only where known words make up all of it: "update" is not "up date".
    assert label_of(asset_document, field) == label
