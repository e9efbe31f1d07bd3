"""The contract of search: what is written is found by the same queries, in the same order, in every
index.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from sortkey import (
    DeleteDocument,
    Integer,
    LatLon,
    Match,
    PutDocument,
    Search,
    SearchQuery,
    Sort,
    document,
)
from sortkey.errors import BadCursor, ModelError, SearchIndexMissing
from tests.contract.search_adapters import (
    FIELDS,
    RULES,
    Note,
    Open,
    adapter,
    filled,
    notes,
    open_index,
    search,
)
from tests.contract.search_corpus import (
    DECOMPOSED,
    PLACES,
    TAGS,
    WORDS,
    corpus,
    in_order,
    matches,
    values_of,
)

__all__ = ["adapter", "open_index", "search"]  # fixtures

BERLIN = PLACES[0]


@pytest.fixture
def full(search: Search[Any]) -> Search[Any]:
    return filled(search, *corpus())


def ids(search: Search[Any], query: SearchQuery | Match | None = None) -> list[str]:
    return [hit.id for hit in search.iterate(query)]


def expected(clause: Match | None, sorts: tuple[tuple[str, bool], ...] = ()) -> list[str]:
    rows = [(note.key, notes.normal(note.fields or {})) for note in corpus()]
    return in_order([row for row in rows if matches(clause, row[1])], sorts)


# -- writes and versions


def test_what_is_written_is_found_after_a_refresh_and_read_by_its_id_at_once(
    search: Search[Any],
) -> None:
    # A person who saves and opens the page again must see what was saved.
    search.put(Note("a", {"title": "Harbour"}, version=3))
    found = search.get("a")
    assert found is not None
    assert (found.id, found.version, found.fields) == ("a", 3, {"title": "Harbour"})
    search.refresh()
    assert ids(search, Match.text("harbour")) == ["a"]
    assert search.get("b") is None


def test_a_late_write_never_overwrites_a_newer_one(search: Search[Any]) -> None:
    # Streams deliver again, and two workers overlap: the order of arrival says nothing.
    assert search.put(Note("a", {"title": "new"}, version=5)).late == []
    written = search.put(
        Note("a", {"title": "old"}, version=4), Note("b", {"title": "other"}, version=1)
    )
    assert (written.written, written.late) == (1, ["a"])
    search.refresh()
    assert ids(search, Match.text("old")) == []
    assert search.versions_of(["a", "b", "c"]) == {"a": 5, "b": 1}


def test_the_same_version_may_be_written_again(search: Search[Any]) -> None:
    # A second delivery is not an error, and a repaired document keeps its version.
    filled(search, Note("a", {"title": "wrong"}, version=5))
    assert search.put(Note("a", {"title": "right"}, version=5)).late == []
    search.refresh()
    assert ids(search, Match.text("right")) == ["a"]
    assert search.count() == 1


def test_a_deleted_document_does_not_come_back_with_a_late_write(search: Search[Any]) -> None:
    # The put of version 4 was on its way when the item was deleted.
    filled(search, Note("a", {"title": "here"}, version=4))
    search.write([DeleteDocument("a", 5)])
    assert search.get("a") is None
    assert search.put(Note("a", {"title": "late"}, version=4)).late == ["a"]
    search.refresh()
    assert ids(search) == []
    search.put(Note("a", {"title": "again"}, version=6))
    search.refresh()
    assert ids(search, Match.text("again")) == ["a"]


def test_a_late_delete_does_not_delete_a_newer_document(search: Search[Any]) -> None:
    filled(search, Note("a", {"title": "here"}, version=4))
    assert search.write([DeleteDocument("a", 3)]).late == ["a"]
    search.refresh()
    assert ids(search) == ["a"]


def test_a_delete_that_comes_before_its_put_holds(search: Search[Any]) -> None:
    # Two shards: the delete overtakes the put.
    assert search.write([DeleteDocument("a", 5)]).late == []
    assert search.put(Note("a", {"title": "late"}, version=4)).late == ["a"]
    search.refresh()
    assert search.count() == 0


def test_writes_of_one_call_count_in_their_order(search: Search[Any]) -> None:
    # A batch of a stream holds several changes of one item.
    writes = [PutDocument("a", n, {"size": n}) for n in (1, 2, 3)]
    search.write(
        [*writes, DeleteDocument("b", 9), PutDocument("b", 8, {"size": 8}), PutDocument("a", 2, {})]
    )
    search.refresh()
    assert [hit.fields for hit in search.iterate()] == [{"size": 3}]


def test_what_the_declaration_does_not_show_is_deleted(search: Search[Any]) -> None:
    # An article that becomes private must vanish from search, not stay with its last public text.
    filled(search, Note("a", {"title": "public"}, version=1))
    search.put(Note("a", None, version=2))
    search.refresh()
    assert search.count() == 0


def test_fields_come_back_as_they_were_given(search: Search[Any]) -> None:
    # A key of an object store that is spelled in another way is another key.
    kept = {
        "title": DECOMPOSED,
        "attributes": {"a": {"b": ["x"]}, "c": "long" * 1000},
        "size": 2**62,
    }
    filled(search, Note("a", {**kept, "hidden_x": 1}))
    (hit,) = search.query().hits
    assert hit.fields == kept


def test_ids_may_be_long_and_strange(search: Search[Any]) -> None:
    # Keys of objects go into ids: up to a kilobyte of anything.
    strange = [
        "a" * 1500,
        "a" * 1499 + "b",
        'q"uo]te {TO} * \\ \n',
        "ümlaut/日本 😀",
        ".",
        "sha256:x",
    ]
    filled(search, *(Note(each, {"title": "x"}) for each in strange))
    assert ids(search) == sorted(strange, key=str.encode)
    assert search.versions_of(strange) == dict.fromkeys(strange, 1)
    found = search.get(strange[0])
    assert found is not None
    assert found.id == strange[0]
    search.write([DeleteDocument(each, 2) for each in strange])
    search.refresh()
    assert ids(search) == []


# -- clauses, each against what a plain program finds in the same documents


def corners(text: str) -> list[LatLon]:
    """Latitude and longitude of each corner."""
    return [LatLon(*map(float, each.split())) for each in text.split(",")]


CLAUSES = {
    "everything": None,
    "word": Match.text("harbour"),
    "case and accents": Match.text("ZURICH"),
    "accents in the query": Match.text("hárböur"),
    "sharp s": Match.text("strasse"),
    "sharp s in the query": Match.text("STRAẞE"),
    "slashed o": Match.text("orsted"),
    "dotted I": Match.text("izmir"),
    "decomposed": Match.text("cafe muller"),
    "decomposed query": Match.text(DECOMPOSED),
    "number": Match.text("42"),
    "parts of a word with a hyphen": Match.text("blue green"),
    "all words, in different fields": Match.text("harbour of 3"),
    "any word": Match.text("harbour zurich", any_word=True),
    "words in one field": Match.text("harbour", ["body"]),
    "words in two fields": Match.text("blue", ["title", "tags"]),
    "words of a list": Match.text("dark", ["tags"]),
    "words of an outline": Match.text("polygon 3"),
    "words of an undeclared field": Match.text("extra"),
    "words in an undeclared field": Match.text("harbour", ["text_extra"]),
    "begin of a word in an undeclared field": Match.text("har", ["text_extra"], begins=True),
    "fuzzy in an undeclared field": Match.text("harborr", ["text_extra"], fuzzy=True),
    "prefix of an undeclared field": Match.prefix("text_extra", "extra h"),
    "CJK": Match.text("日本"),
    "no word": Match.text("--- !"),
    "no text": Match.text(""),
    "word of a long text": Match.text("needle"),
    "begin of a word": Match.text("har", begins=True),
    "word and begin of a word": Match.text("the har", begins=True),
    "fuzzy long": Match.text("harborr", fuzzy=True),
    "fuzzy transposed": Match.text("hrabour", fuzzy=True),
    "fuzzy short": Match.text("blua", fuzzy=True),
    "fuzzy too short": Match.text("of", fuzzy=True),
    "fuzzy too far": Match.text("hxxxour", fuzzy=True),
    "fuzzy two words": Match.text("tha harber", fuzzy=True),
    "phrase": Match.phrase("harbour of"),
    "phrase in another order": Match.phrase("of harbour"),
    "phrase within a value": Match.phrase("one two"),
    "phrase over two values": Match.phrase("two three", ["tags"]),
    "phrase of one word": Match.phrase("harbour"),
    "phrase of nothing": Match.phrase("?"),
    "keyword": Match.keyword("tags", "Red"),
    "keywords": Match.keyword("tags", "red", "café"),
    "keyword with a blank": Match.keyword("tags", "dark blue"),
    "keyword is not a word": Match.keyword("title", "harbour"),
    "keyword decomposed": Match.keyword("tags", DECOMPOSED),
    "keyword of record type": Match.keyword("kind", "memo"),
    "keyword of nothing": Match.keyword("tags"),
    "keyword of an undeclared field": Match.keyword("text_extra", "extra harbour"),
    "number is": Match.keyword("size", 0, -5),
    "large number is": Match.keyword("size", 2**53 + 1),
    "large number is not": Match.keyword("size", 2**53),
    "fraction is": Match.keyword("rating", 0.75, -1.5),
    "fraction is not": Match.keyword("rating", 0.7500000000000001),
    "zero is": Match.keyword("rating", 0.0),
    "smallest fraction is": Match.keyword("rating", 5e-324),
    "fraction of an undeclared field": Match.keyword("number_extra", 1.5, -1.375),
    "code": Match.keyword("codes", "Red", "blue-2"),
    "code is not a word": Match.keyword("codes", "dark"),
    "code beside what is too long": Match.keyword("codes", "short"),
    "code of an undeclared field": Match.keyword("word_extra", "café", "harbour"),
    "true": Match.keyword("open", True),
    "false": Match.keyword("open", False),
    "date is": Match.keyword("made", datetime(2024, 2, 2, 1, tzinfo=UTC)),
    "flat": Match.keyword("attributes.colour", "red", "Red"),
    "flat number": Match.keyword("attributes.weight", "3"),
    "flat boolean": Match.keyword("attributes.deep.down", "false"),
    "flat list": Match.keyword("attributes.a.b", "y"),
    "flat anywhere": Match.keyword("attributes", "3", "x"),
    "flat, as long as can be": Match.keyword("attributes.b", "y" * 1024),
    "flat, too long": Match.prefix("attributes.a", "x"),
    "flat beside what is too long": Match.keyword("attributes.c.d", "short"),
    "other flat": Match.keyword("marks._x", "x"),
    "flat, left out": Match.exists("attributes._x"),
    "prefix": Match.prefix("title", "har"),
    "prefix to the letter": Match.prefix("title", "Har"),
    "prefix with a blank": Match.prefix("title", "old "),
    "prefix of a list": Match.prefix("tags", "dark"),
    "prefix of nothing": Match.prefix("title", ""),
    "prefix of a code": Match.prefix("codes", "dark blue-"),
    "prefix in a flat object": Match.prefix("attributes.colour", "dar"),
    "prefix of strange letters": Match.prefix("title", "\U0001f600"),
    "at least": Match.range("size", at_least=3),
    "at most": Match.range("size", at_most=-2),
    "between": Match.range("size", above=-3, below=2),
    "range of an undeclared field": Match.range("whole_extra", at_least=26, at_most=39),
    "empty range": Match.range("size", at_least=5, at_most=1),
    "beyond all numbers": Match.range("size", above=2**63 - 1),
    "fractions at least": Match.range("rating", at_least=0.75),
    "fractions above": Match.range("rating", above=0.75),
    "fractions below": Match.range("rating", below=-0.25),
    "fractions above nothing": Match.range("rating", above=0, below=1),
    "fractions at most, whole": Match.range("rating", at_most=0),
    "fractions of an undeclared field": Match.range("number_extra", above=-3, at_most=1.5),
    "beyond all fractions": Match.range("rating", above=1.7976931348623157e308),
    "dates since": Match.range("made", at_least=datetime(2024, 3, 1, tzinfo=UTC)),
    "dates before 1970": Match.range("made", below=datetime(1970, 1, 1, tzinfo=UTC)),
    "exists": Match.exists("size"),
    "exists as a long text": Match.exists("title"),
    "outline exists": Match.exists("outline"),
    "place exists": Match.exists("place"),
    "flat exists": Match.exists("attributes"),
    "flat member exists": Match.exists("attributes.deep.down"),
    "flat member on another path": Match.exists("attributes.down"),
    "undeclared exists": Match.exists("at_extra"),
    "code exists": Match.exists("codes"),
    "code of an undeclared field exists": Match.exists("word_extra"),
    "nothing exists": Match.exists("text_nothing"),
    "box": Match.box("place", top=53, left=13, bottom=52, right=14),
    "box over the date line": Match.box("place", top=0, left=179, bottom=-20, right=-179),
    "box of the world": Match.box("place", top=90, left=-180, bottom=-90, right=180),
    "box of an undeclared field": Match.box("at_extra", top=53, left=13, bottom=52, right=14),
    "inside": Match.inside("place", *corners("52 13, 53 13, 52.6 14")),
    "inside, with a bay": Match.inside("place", *corners("40 0, 40 20, 55 20, 45 10, 55 0")),
    "inside the world": Match.inside("place", *corners("-90 -180, -90 180, 90 180, 90 -180")),
    "inside of an undeclared field": Match.inside("at_extra", *corners("40 0, 60 0, 60 20, 40 20")),
    "near": Match.near("place", BERLIN, metres=300),
    "a little farther": Match.near("place", BERLIN, metres=400),
    "near over the date line": Match.near("place", LatLon(-16.5, 180), metres=15_000),
    "near the pole": Match.near("place", LatLon(89.95, -170), metres=30_000),
    "far": Match.near("place", BERLIN, metres=6_000_000),
    "anywhere": Match.near("place", BERLIN, metres=20_037_508),
    "near in an undeclared field": Match.near("at_extra", BERLIN, metres=1_000_000),
    "near in a field of no document": Match.near("at_nothing", BERLIN, metres=1_000_000),
    "box of no document": Match.box("at_nothing", top=53, left=13, bottom=52, right=14),
    "inside of no document": Match.inside("at_nothing", *corners("40 0, 60 0, 60 20")),
    "and": Match.text("zurich") & Match.keyword("open", True),
    "or": Match.text("zurich") | Match.range("size", at_least=4),
    "not": ~Match.exists("size"),
    "and not": Match.exists("title") & ~Match.text("old") & ~Match.keyword("tags", "red"),
    "not both": ~(Match.keyword("open", True) & Match.exists("size")),
    "not not": ~~Match.text("old"),
    "or not": Match.text("zurich") | ~Match.exists("body"),
    "all of nothing": Match.all(),
    "any of nothing": Match.any(),
    "nested": (Match.text("old") | Match.text("blue"))
    & (Match.exists("attributes") | ~Match.exists("tags")),
}


def test_every_clause_finds_what_a_plain_program_finds(full: Search[Any]) -> None:
    # One query, two services, one answer: otherwise a test on the one says nothing about the other.
    wrong = {
        name: (found, wanted)
        for name, clause in CLAUSES.items()
        if sorted(found := ids(full, SearchQuery(clause, size=25)), key=str.encode)
        != (wanted := expected(clause))
    }
    assert wrong == {}
    unfit = [
        name for name, clause in CLAUSES.items() if full.count(clause) != len(expected(clause))
    ]
    assert unfit == []


def test_clauses_that_find_something_are_most_of_them() -> None:
    # A reference that finds nothing would agree with an index that finds nothing.
    empty = {name for name, clause in CLAUSES.items() if not expected(clause)}
    assert len(empty) < 28
    assert {
        "fuzzy too far",
        "phrase over two values",
        "large number is not",
        "any of nothing",
    } <= empty


@pytest.mark.parametrize("seed", range(4))
def test_random_queries_find_what_a_plain_program_finds(full: Search[Any], seed: int) -> None:
    # Combinations that nobody thought of.
    chance = random.Random(seed)
    for _ in range(60):
        clause, sorts = _random_clause(chance, 3), _random_sorts(chance)
        fields = [("-" if is_descending else "") + name for name, is_descending in sorts]
        query = SearchQuery(clause, size=chance.choice((3, 7, 50))).sorted_by(*fields or ["kind"])
        assert ids(full, query) == expected(clause, sorts or (("kind", False),)), (clause, sorts)


def _random_clause(chance: random.Random, depth: int) -> Match:
    if depth and chance.random() < 0.7:
        members = [_random_clause(chance, depth - 1) for _ in range(chance.randrange(1, 4))]
        return chance.choice((Match.all(*members), Match.any(*members), ~members[0]))
    word, tag = chance.choice(WORDS), chance.choice(TAGS)
    low = chance.randrange(-6, 6)
    return chance.choice(
        (
            Match.text(word),
            Match.text(f"{word} {chance.choice(WORDS)}", any_word=True),
            Match.text(_typo(chance, word), fuzzy=True),
            Match.text(word[:2], begins=True),
            Match.phrase(f"the {word}"),
            Match.keyword("tags", tag),
            Match.keyword("attributes.colour", tag),
            Match.prefix("title", word[:3]),
            Match.range("size", at_least=low, below=low + chance.randrange(6)),
            Match.range("rating", above=low / 4, at_most=low / 4 + chance.randrange(3)),
            Match.keyword("codes", tag),
            Match.range("made", above=datetime(2024, 1 + chance.randrange(4), 5, tzinfo=UTC)),
            Match.exists(chance.choice(list(FIELDS))),
            Match.near("place", chance.choice(PLACES), metres=10.0 ** chance.randrange(1, 7)),
        )
    )


def _typo(chance: random.Random, word: str) -> str:
    at = chance.randrange(len(word))
    return word[:at] + chance.choice(("", "x", word[at] * 2)) + word[at + 1 :]


def _random_sorts(chance: random.Random) -> tuple[tuple[str, bool], ...]:
    names = chance.sample(["title", "size", "rating", "open", "made", "kind"], chance.randrange(4))
    return tuple((name, chance.random() < 0.5) for name in names)


# -- order and pages


@pytest.mark.parametrize("is_descending", [False, True])
@pytest.mark.parametrize("field", ["title", "size", "rating", "open", "made", "kind"])
def test_an_order_is_exact_missing_values_last_and_ties_by_id(
    full: Search[Any], field: str, is_descending: bool
) -> None:
    # Pages of an order that is not exact repeat some documents and lose others.
    query = SearchQuery().sorted_by(f"-{field}" if is_descending else field)
    wanted = expected(None, ((field, is_descending),))
    for size in (1, 4, 100):
        assert ids(full, query.limit(size)) == wanted


def test_orders_of_several_fields(full: Search[Any]) -> None:
    query = SearchQuery(size=5).sorted_by("kind", "-size", "open")
    assert ids(full, query) == expected(None, (("kind", False), ("size", True), ("open", False)))


def test_a_page_goes_on_behind_the_last_document_whatever_has_come_or_gone(
    full: Search[Any],
) -> None:
    # Somebody reads page after page of a list that others change.
    query = SearchQuery(size=10).sorted_by("size")
    first = full.query(query)
    last = first.hits[-1]
    full.write([DeleteDocument(first.ids[3], 9), DeleteDocument(last.id, 9)])
    full.put(Note("!", {"size": -100}), Note("zz", {"size": 100}))
    full.refresh()
    rest = ids(full, query.after(first.cursor))
    wanted = expected(None, (("size", False),))
    behind = wanted[wanted.index(last.id) + 1 :]
    with_value = [each for each in behind if "size" in _fields_of(each)]
    assert rest == [*with_value[:-1], "zz", with_value[-1], *behind[len(with_value) :]]


def _fields_of(key: str) -> dict[str, Any]:
    return next(note.fields or {} for note in corpus() if note.key == key)


def test_the_best_match_comes_first_and_pages_of_scores_are_whole(search: Search[Any]) -> None:
    # The document that speaks of nothing else is the one that is meant.
    filled(
        search,
        Note("rare", {"title": "harbour"}),
        Note("often", {"title": "harbour harbour harbour harbour harbour"}),
        Note("lost", {"title": "harbour " + "among many other words " * 20}),
        *(Note(f"tie{n:02d}", {"title": "a harbour"}) for n in range(20)),
    )
    query = SearchQuery(Match.text("harbour"), size=4)
    found = list(search.iterate(query))
    scores = [hit.score or 0 for hit in found]
    assert len({hit.id for hit in found}) == 23
    assert scores == sorted(scores, reverse=True)
    assert found[0].id == "often"
    assert found[-1].id == "lost"
    ties = [hit.id for hit in found if hit.id.startswith("tie")]
    assert ties == sorted(ties)


def test_a_page_tells_how_much_there_is_and_whether_it_goes_on(full: Search[Any]) -> None:
    page = full.query(SearchQuery(size=3))
    assert page.total == len(corpus()) == full.count()
    assert page.cursor is not None
    assert full.query(SearchQuery(size=100)).cursor is None
    assert full.query(SearchQuery(size=len(corpus()))).cursor is None
    nothing = full.query(SearchQuery(size=0).facet("kind"))
    assert (nothing.hits, nothing.cursor, nothing.total) == ([], None, len(corpus()))


def test_a_cursor_is_of_its_query_its_tenant_and_nobody_elses_making(
    full: Search[Any], open_index: Open
) -> None:
    # A cursor of another tenant would page through what one may not see.
    query = SearchQuery(Match.exists("title"), size=3)
    cursor = full.query(query).cursor
    assert cursor is not None
    assert full.query(query.after(cursor).limit(5)).hits
    with pytest.raises(BadCursor):
        full.query(SearchQuery(size=3).after(cursor))
    with pytest.raises(BadCursor):
        full.query(query.sorted_by("size").after(cursor))
    with pytest.raises(BadCursor):
        full.query(query.after("x" + cursor[1:]))
    with pytest.raises(BadCursor):
        open_index(tenant="other").query(query.after(cursor))
    assert open_index().query(query.after(cursor)).hits


# -- facets and highlights


def test_facets_count_the_values_of_what_was_found(full: Search[Any]) -> None:
    # The most frequent first, then by value: the list beside the results must not jump.
    clause = Match.exists("title")
    query = SearchQuery(clause, size=1).facet("tags").facet("size", 3).facet("open").facet("kind")
    query = query.facet("rating", 4).facet("codes").facet("number_extra", 3)
    found = full.query(query.facet("text_extra", 2)).facets
    sizes = {
        "tags": 10,
        "size": 3,
        "open": 10,
        "kind": 10,
        "rating": 4,
        "codes": 10,
        "number_extra": 3,
        "text_extra": 2,
    }
    for name, size in sizes.items():
        assert [(each.value, each.count) for each in found[name]] == _counted(clause, name)[:size]


def _counted(clause: Match, name: str) -> list[tuple[Any, int]]:
    counts: dict[Any, int] = {}
    for note in corpus():
        fields = notes.normal(note.fields or {})
        if matches(clause, fields) and name in fields:
            values = fields[name] if isinstance(fields[name], list) else [fields[name]]
            for value in dict.fromkeys(values):
                value = "Café Müller" if value == DECOMPOSED else value
                counts[value] = counts.get(value, 0) + 1
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


def test_all_different_values_of_a_field_can_be_listed(full: Search[Any]) -> None:
    # Who filters by a test that no index has must know what there is to test.
    clause = Match.exists("size") & ~Match.keyword("kind", "memo")
    for field in ("tags", "kind", "title", "text_extra", "word_extra"):
        for where in (None, clause):
            wanted = {
                value
                for note in corpus()
                if matches(where, fields := notes.normal(note.fields or {}))
                for value in values_of(fields, field)
            }
            assert sorted(full.values(field, where)) == sorted(wanted), (field, where)
    with pytest.raises(ModelError, match="no texts to list"):
        full.values("size")


def test_facets_do_not_depend_on_the_page(full: Search[Any]) -> None:
    query = SearchQuery(size=5).facet("tags")
    first = full.query(query)
    assert full.query(query.after(first.cursor)).facets == first.facets


HIGHLIGHTS = [
    (Match.text("HARBOUR"), "the old harbour", ["the old <em>harbour</em>"]),
    (Match.text("cafe"), "a <b>Café</b> & more", ["a &lt;b&gt;<em>Café</em>&lt;/b&gt; &amp; more"]),
    (Match.text("harber", fuzzy=True), "the harbor", ["the <em>harbor</em>"]),
    (Match.text("har", begins=True), "harbour, hard", ["<em>harbour</em>, <em>hard</em>"]),
    (Match.text("old new", any_word=True), "new and old", ["<em>new</em> and <em>old</em>"]),
    (Match.text("old") & Match.keyword("size", 1), "old 1", ["<em>old</em> 1"]),
    (Match.text("old") & ~Match.text("young"), "old age", ["<em>old</em> age"]),
    (Match.phrase("old"), "old", ["<em>old</em>"]),
    (Match.text("old", ["body"]), "old", None),
    (Match.keyword("size", 1), "old", None),
]


@pytest.mark.parametrize(("clause", "text", "shown"), HIGHLIGHTS)
def test_highlights_are_safe_html_with_the_words_marked(
    search: Search[Any], clause: Match, text: str, shown: list[str] | None
) -> None:
    # They are put into pages as they are: what somebody wrote must not become markup there.
    filled(search, Note("a", {"title": text, "body": "old", "size": 1}))
    (hit,) = search.query(SearchQuery(clause).highlighting("title")).hits
    assert hit.highlights.get("title") == shown


def test_highlights_of_lists_show_the_values_with_the_words(search: Search[Any]) -> None:
    filled(search, Note("a", {"tags": ["dark blue", "red", "blue"]}))
    (hit,) = search.query(SearchQuery(Match.text("blue")).highlighting("tags")).hits
    assert hit.highlights == {"tags": ["dark <em>blue</em>", "<em>blue</em>"]}


def test_highlights_of_long_texts_are_the_piece_around_the_word(search: Search[Any]) -> None:
    filled(search, Note("a", {"body": "hay " * 500 + "needle " + "hay " * 500}))
    (hit,) = search.query(SearchQuery(Match.text("needle")).highlighting("body")).hits
    (shown,) = hit.highlights["body"]
    assert "<em>needle</em>" in shown
    assert shown.startswith("…hay ")
    assert shown.endswith(" hay…")
    assert len(shown) < 200


# -- what cannot be asked, and what cannot be indexed

REFUSED = [
    (
        SearchQuery(Match.keyword("colour", "x")),
        "'colour' is not declared; there are title, body, .*, whole_\\*",
    ),
    (SearchQuery(Match.keyword("hidden_x", "x")), "is not indexed"),
    (SearchQuery(Match.keyword("title.x", "x")), r"only fields declared as Flat\(\) have members"),
    (SearchQuery(Match.keyword("attributes.", "x")), "only fields"),
    (SearchQuery(Match.range("title", at_least="a")), "has no range"),
    (SearchQuery(Match.range("rating", at_least=float("inf"))), "not a finite number"),
    (SearchQuery(Match.keyword("rating", "4")), "not a finite number"),
    (SearchQuery(Match.text("x", ["codes"])), "has no words"),
    (SearchQuery(Match.range("size", at_least=1, above=1)), "same bound twice"),
    (SearchQuery(Match.range("size", at_least=1.5)), "not a whole number"),
    (SearchQuery(Match.keyword("size", "1")), "not a whole number"),
    (SearchQuery(Match.keyword("open", "yes")), "cannot be 'yes'"),
    (SearchQuery(Match.keyword("place", "x")), "cannot be 'x'"),
    (SearchQuery(Match.prefix("size", "1")), "has no prefix"),
    (SearchQuery(Match.text("x", ["size"])), "has no words"),
    (SearchQuery(Match.text("x " * 31)), "31 words"),
    (SearchQuery(Match.text("x" * 1001)), "at most 1000"),
    (SearchQuery(Match.box("title", top=1, left=0, bottom=0, right=1)), "holds no places"),
    (SearchQuery().sorted_by("tags"), "has no order"),
    (SearchQuery().sorted_by("codes"), "has no order"),
    (SearchQuery().sorted_by("place"), r"Sort.distance\('place'"),
    (SearchQuery().sorted_by("text_extra"), "does not declare text_extra"),
    (SearchQuery().facet("place"), "cannot be counted"),
    (Match.inside("size", *corners("0 0, 1 0, 1 1")), "holds no places"),
    (SearchQuery().highlighting("size"), "has no words"),
    (SearchQuery(Match.all(*[Match.exists("title")] * 501)), "at most 500"),
]


@pytest.mark.parametrize(("query", "message"), REFUSED)
def test_a_query_that_cannot_be_asked_says_why(
    search: Search[Any], query: SearchQuery, message: str
) -> None:
    # Not with an error of one service or an empty answer of the other.
    with pytest.raises(ModelError, match=message):
        search.query(query)


def test_an_index_that_was_not_made_is_missing(open_index: Open) -> None:
    # It must not come into being by the first write, with types that were guessed.
    search = open_index()
    with pytest.raises(SearchIndexMissing, match="ensure"):
        search.query()
    with pytest.raises(SearchIndexMissing, match="ensure"):
        search.put(Note("a", {"title": "x"}))


def test_ensure_is_quiet_when_nothing_is_to_be_done(search: Search[Any]) -> None:
    assert search.ensure() == []


def test_ensure_adds_fields_to_an_index_that_is_filled(full: Search[Any], open_index: Open) -> None:
    # A release with a new field must not lose what is there, nor the knowledge of what was deleted.
    full.write([DeleteDocument("empty", 5)])
    full.refresh()
    full.close()

    fields = {**FIELDS, "new": Integer()}

    @document(
        Note,
        "notes",
        id="{key}",
        fields=fields,
        undeclared=RULES,
        version=lambda note: note.version,
    )
    def more(note: Note) -> Any:
        return note.fields

    grown = open_index(more)
    assert len(grown.ensure()) == 1
    assert grown.ensure() == []
    assert grown.count() == len(corpus()) - 1
    grown.put(
        Note("empty", {"new": 1}, version=4), Note("new", {"new": 7}), Note("newer", {"new": 6})
    )
    grown.refresh()
    assert ids(grown, SearchQuery(Match.exists("new")).sorted_by("new")) == ["newer", "new"]


@pytest.mark.slow
def test_a_hundred_thousand_documents(search: Search[Any]) -> None:
    # An index that is right with sixty documents may be wrong with many segments, and slow.
    def many() -> Iterator[PutDocument]:
        for n in range(100_000):
            place = {"lat": (n % 1000) / 1000 + 50, "lon": n // 1000 / 100}
            yield PutDocument(
                f"{n:06d}", 1, {"title": f"number {n % 1000}", "size": n % 7, "place": place}
            )

    assert search.write(many()).written == 100_000
    search.refresh()
    assert search.count() == 100_000
    assert search.count(Match.text("number 77")) == 100
    assert search.count(Match.near("place", LatLon(50.5, 0.5), metres=5000)) == _within(5000)
    page = search.query(SearchQuery(Match.text("number 77"), size=30).sorted_by("size", "-title"))
    assert (
        page.ids
        == sorted((f"{n:06d}" for n in range(77, 100_000, 1000)), key=lambda id: (int(id) % 7, id))[
            :30
        ]
    )
    near = SearchQuery(Match.text("number 500"), size=3).sorted_by(
        Sort.distance("place", LatLon(50.5, 0.501))
    )
    assert search.query(near).ids == ["050500", "051500", "049500"]
    everything = SearchQuery(size=3).sorted_by(Sort.distance("place", LatLon(50.5002, 0.501)))
    assert search.query(everything).ids == ["050500", "050501", "050499"]
    assert [each.count for each in search.query(SearchQuery(size=0).facet("size")).facets["size"]][
        :1
    ] == [14286]
    assert (
        search.write(PutDocument(f"{n:06d}", 0, {}) for n in range(0, 100_000, 1000)).written == 0
    )


def _within(metres: float) -> int:
    clause = Match.near("place", LatLon(50.5, 0.5), metres=metres)
    places = (
        {"place": {"lat": (n % 1000) / 1000 + 50, "lon": n // 1000 / 100}} for n in range(100_000)
    )
    return sum(matches(clause, place) for place in places)
