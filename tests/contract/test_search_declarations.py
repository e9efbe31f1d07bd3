"""A document that is declared differently than before: its index says so, goes on, and is as
declared once rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from sortkey import (
    Bool,
    Document,
    FieldKind,
    FieldRule,
    Flat,
    Integer,
    Keyword,
    Match,
    Number,
    Search,
    Searchable,
    SearchQuery,
    SourcePage,
    Text,
    document,
    reindex,
)
from tests.contract.search_adapters import Note, Open, adapter, open_index

__all__ = ["adapter", "open_index"]  # fixtures

Fields = dict[str, FieldKind]
BEFORE: Fields = {"title": Text(), "secret": Text(), "size": Text(), "more": Flat()}
RULE = FieldRule("extra_*", Text())
NOTES = [
    Note(
        "a",
        {
            "title": "Old harbour",
            "secret": "hush",
            "size": "12",
            "more": {"x_a": 1, "b": 2},
            "extra_size": "7",
        },
    ),
    Note("b", {"title": "New bridge", "secret": "quiet", "size": "7", "extra_size": "12"}),
]


class Notes:
    """The source: two notes as the declaration wants to see them."""

    def __init__(self, *notes: Note) -> None:
        self._notes = notes

    def pages(self, position: Any = None, /) -> Iterator[SourcePage[Note]]:
        yield SourcePage(list(self._notes), None)

    def find(self, ids: Sequence[str], /) -> list[Note]:
        return [note for note in self._notes if note.key in ids]


def declared(fields: Fields, *rules: FieldRule, **values: Any) -> Document[Note]:
    """The document with some values made by a newer program."""

    @document(
        Note,
        "notes",
        id="{key}",
        fields=fields,
        undeclared=rules,
        version=lambda note: note.version,
    )
    def notes(note: Note) -> Searchable:
        known = {
            **(note.fields or {}),
            **{name: make(note.fields or {}) for name, make in values.items()},
        }
        is_covered = lambda name: name in fields or any(rule.fits(name) for rule in rules)  # noqa: E731
        return {name: value for name, value in known.items() if is_covered(name)}

    return notes


def built(open_index: Open) -> Search[Note]:
    """The index of the first declaration, built from its source."""
    search: Search[Note] = open_index(declared(BEFORE, RULE))
    search.ensure()
    reindex(search, Notes(*NOTES))
    assert search.index.noted() is not None
    return search


WITHOUT_SECRET = {name: kind for name, kind in BEFORE.items() if name != "secret"}
CHANGES: dict[str, tuple[Document[Note], SearchQuery | Match, list[str]]] = {
    "a field is new": (
        declared({**BEFORE, "open": Bool()}, RULE, open=lambda fields: "Old" in fields["title"]),
        Match.keyword("open", True),
        ["a"],
    ),
    "a field is gone": (declared(WITHOUT_SECRET, RULE), Match.text("hush"), []),
    "a text becomes a number": (
        declared({**BEFORE, "size": Number()}, RULE, size=lambda fields: float(fields["size"])),
        SearchQuery(Match.range("size", at_least=6.5)).sorted_by("size"),
        ["b", "a"],
    ),
    "a text becomes a keyword": (
        declared({**BEFORE, "title": Keyword()}, RULE),
        Match.text("harbour"),
        [],
    ),
    "a text becomes a list": (
        declared(
            {**BEFORE, "title": Text(many=True)}, RULE, title=lambda fields: fields["title"].split()
        ),
        Match.keyword("title", "bridge"),
        ["b"],
    ),
    "a map leaves something out": (
        declared({**BEFORE, "more": Flat(exclude=("x_",))}, RULE),
        Match.exists("more.x_a"),
        [],
    ),
    "a rule says otherwise": (
        declared(
            BEFORE,
            FieldRule("extra_*", Integer()),
            extra_size=lambda fields: int(fields["extra_size"]),
        ),
        Match.range("extra_size", at_least=8),
        ["b"],
    ),
    "a rule leaves something out": (
        declared(BEFORE, FieldRule("extra_*", None)),
        Match.text("12", ["size"]),
        ["a"],
    ),
    "there are no rules any more": (declared(BEFORE), Match.text("7"), ["b"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_index_of_another_declaration_wants_to_be_rebuilt_and_is_as_declared_then(
    open_index: Open, change: str
) -> None:
    # An index that is left as it was gives wrong answers: words of a field that is gone, and texts
    # for numbers.
    built(open_index).close()
    document, query, found = CHANGES[change]
    search: Search[Note] = open_index(document)
    assert [message for message in search.ensure() if "reindex" in message] != []
    assert search.index.noted() is None
    assert search.count() == 2, "it goes on answering until it is rebuilt"
    reindex(search, Notes(*NOTES))
    assert search.query(query).ids == found
    assert search.index.noted() is not None
    assert search.ensure() == []


def test_a_label_is_no_other_declaration(open_index: Open) -> None:
    # It is what people read. To read whole tables for it would be a waste.
    built(open_index).close()
    search: Search[Note] = open_index(declared({**BEFORE, "title": Text(label="headline")}, RULE))
    assert search.ensure() == []
    assert search.index.noted() is not None


def test_an_older_program_goes_on_with_an_index_that_has_more_fields(open_index: Open) -> None:
    # While a new release is rolled out, both write and search; nobody rebuilds what the other has
    # built.
    newer = {**BEFORE, "open": Bool()}
    built(open_index).close()
    upgraded: Search[Note] = open_index(declared(newer, RULE, open=lambda fields: True))
    upgraded.ensure()
    reindex(upgraded, Notes(*NOTES))
    upgraded.close()
    older: Search[Note] = open_index(declared(BEFORE, RULE))
    assert older.query(Match.text("harbour")).ids == ["a"]
    older.put(Note("c", {"title": "Third harbour"}, version=2))
    older.refresh()
    assert older.query(SearchQuery(Match.text("harbour")).sorted_by("title")).ids == ["a", "c"]
    older.close()
    again: Search[Note] = open_index(declared(newer, RULE))
    assert again.ensure() == []
    assert again.query(Match.keyword("open", True)).ids == ["a", "b"]
