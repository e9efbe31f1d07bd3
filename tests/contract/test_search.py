"""The contract of search: what is written is found by the same queries, in the same order, in every index."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from sortkey import DeleteDocument, GeoPoint, Match, PutDocument, Search, SearchQuery, document
from sortkey.errors import BadCursor, ModelError, SearchIndexMissing
from tests.contract.search_adapters import FIELDS, Note, Open, adapter, filled, notes, open_index, search
from tests.contract.search_corpus import DECOMPOSED, PLACES, TAGS, WORDS, corpus, in_order, matches

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


def test_what_is_written_is_found_after_a_refresh_and_read_by_its_id_at_once(search: Search[Any]) -> None:
    # A person who saves and opens the page again must see what was saved.
    search.put(Note("a", {"str_title": "Harbour"}, version=3))
    found = search.get("a")
    assert found is not None
    assert (found.id, found.version, found.fields) == ("a", 3, {"str_title": "Harbour"})
    search.refresh()
    assert ids(search, Match.text("harbour")) == ["a"]
    assert search.get("b") is None


def test_a_late_write_never_overwrites_a_newer_one(search: Search[Any]) -> None:
    # Streams deliver again, and two workers overlap: the order of arrival says nothing.
    assert search.put(Note("a", {"str_title": "new"}, version=5)).late == []
    written = search.put(Note("a", {"str_title": "old"}, version=4), Note("b", {"str_title": "other"}, version=1))
    assert (written.written, written.late) == (1, ["a"])
    search.refresh()
    assert ids(search, Match.text("old")) == []
    assert search.versions_of(["a", "b", "c"]) == {"a": 5, "b": 1}


def test_the_same_version_may_be_written_again(search: Search[Any]) -> None:
    # What was delivered twice is no error, and a mended document has the version that it had.
    filled(search, Note("a", {"str_title": "wrong"}, version=5))
    assert search.put(Note("a", {"str_title": "right"}, version=5)).late == []
    search.refresh()
    assert ids(search, Match.text("right")) == ["a"]
    assert search.count() == 1


def test_a_deleted_document_does_not_come_back_with_a_late_write(search: Search[Any]) -> None:
    # The put of version 4 was on its way when the item was deleted.
    filled(search, Note("a", {"str_title": "here"}, version=4))
    search.write([DeleteDocument("a", 5)])
    assert search.get("a") is None
    assert search.put(Note("a", {"str_title": "late"}, version=4)).late == ["a"]
    search.refresh()
    assert ids(search) == []
    search.put(Note("a", {"str_title": "anew"}, version=6))
    search.refresh()
    assert ids(search, Match.text("anew")) == ["a"]


def test_a_late_delete_does_not_delete_a_newer_document(search: Search[Any]) -> None:
    filled(search, Note("a", {"str_title": "here"}, version=4))
    assert search.write([DeleteDocument("a", 3)]).late == ["a"]
    search.refresh()
    assert ids(search) == ["a"]


def test_a_delete_that_comes_before_its_put_holds(search: Search[Any]) -> None:
    # Two shards: the delete overtakes the put.
    assert search.write([DeleteDocument("a", 5)]).late == []
    assert search.put(Note("a", {"str_title": "late"}, version=4)).late == ["a"]
    search.refresh()
    assert search.count() == 0


def test_writes_of_one_call_count_in_their_order(search: Search[Any]) -> None:
    # A batch of a stream holds several changes of one item.
    writes = [PutDocument("a", n, {"num_size": n}) for n in (1, 2, 3)]
    search.write([*writes, DeleteDocument("b", 9), PutDocument("b", 8, {"num_size": 8}), PutDocument("a", 2, {})])
    search.refresh()
    assert [hit.fields for hit in search.iterate()] == [{"num_size": 3}]


def test_what_the_declaration_does_not_show_is_deleted(search: Search[Any]) -> None:
    # An article that becomes private must vanish from search, not stay with its last public text.
    filled(search, Note("a", {"str_title": "public"}, version=1))
    search.put(Note("a", None, version=2))
    search.refresh()
    assert search.count() == 0


def test_fields_come_back_as_they_were_given(search: Search[Any]) -> None:
    # A key of an object store that is spelled in another way is another key.
    kept = {"str_title": DECOMPOSED, "MD_": {"a": {"b": ["x"]}, "c": "long" * 1000}, "num_size": 2**62}
    filled(search, Note("a", {**kept, "VAMS_x": 1, "_y": 2}))
    (hit,) = search.query().hits
    assert hit.fields == kept


def test_ids_may_be_long_and_strange(search: Search[Any]) -> None:
    # Keys of objects go into ids: up to a kilobyte of anything.
    strange = ["a" * 1500, "a" * 1499 + "b", 'q"uo]te {TO} * \\ \n', "ümlaut/日本 😀", ".", "sha256:x"]
    filled(search, *(Note(each, {"str_title": "x"}) for each in strange))
    assert ids(search) == sorted(strange, key=str.encode)
    assert search.versions_of(strange) == dict.fromkeys(strange, 1)
    found = search.get(strange[0])
    assert found is not None
    assert found.id == strange[0]
    search.write([DeleteDocument(each, 2) for each in strange])
    search.refresh()
    assert ids(search) == []


# -- clauses, each against what a plain program finds in the same documents

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
    "words in one field": Match.text("harbour", ["str_body"]),
    "words in two fields": Match.text("blue", ["str_title", "list_tags"]),
    "words of a list": Match.text("dark", ["list_tags"]),
    "words of an outline": Match.text("polygon 3"),
    "words of an undeclared field": Match.text("extra"),
    "words in an undeclared field": Match.text("harbour", ["str_extra"]),
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
    "phrase over two values": Match.phrase("two three", ["list_tags"]),
    "phrase of one word": Match.phrase("harbour"),
    "phrase of nothing": Match.phrase("?"),
    "keyword": Match.keyword("list_tags", "Red"),
    "keywords": Match.keyword("list_tags", "red", "café"),
    "keyword with a blank": Match.keyword("list_tags", "dark blue"),
    "keyword is not a word": Match.keyword("str_title", "harbour"),
    "keyword decomposed": Match.keyword("list_tags", DECOMPOSED),
    "keyword of record type": Match.keyword("_rectype", "memo"),
    "keyword of nothing": Match.keyword("list_tags"),
    "keyword of an undeclared field": Match.keyword("str_extra", "extra harbour"),
    "number is": Match.keyword("num_size", 0, -5),
    "large number is": Match.keyword("num_size", 2**53 + 1),
    "large number is not": Match.keyword("num_size", 2**53),
    "true": Match.keyword("bool_open", True),
    "false": Match.keyword("bool_open", False),
    "date is": Match.keyword("date_made", datetime(2024, 2, 2, 1, tzinfo=UTC)),
    "flat": Match.keyword("MD_.colour", "red", "Red"),
    "flat number": Match.keyword("MD_.weight", "3"),
    "flat boolean": Match.keyword("MD_.deep.down", "false"),
    "flat list": Match.keyword("MD_.a.b", "y"),
    "flat anywhere": Match.keyword("MD_", "3", "x"),
    "flat, as long as can be": Match.keyword("MD_.b", "y" * 1024),
    "flat, too long": Match.prefix("MD_.a", "x"),
    "flat beside what is too long": Match.keyword("MD_.c.d", "short"),
    "other flat": Match.keyword("AB_.a", "x"),
    "prefix": Match.prefix("str_title", "har"),
    "prefix to the letter": Match.prefix("str_title", "Har"),
    "prefix with a blank": Match.prefix("str_title", "old "),
    "prefix of a list": Match.prefix("list_tags", "dark"),
    "prefix of nothing": Match.prefix("str_title", ""),
    "prefix in a flat object": Match.prefix("MD_.colour", "dar"),
    "prefix of strange letters": Match.prefix("str_title", "\U0001f600"),
    "at least": Match.range("num_size", at_least=3),
    "at most": Match.range("num_size", at_most=-2),
    "between": Match.range("num_size", above=-3, below=2),
    "range of an undeclared field": Match.range("num_extra", at_least=26, at_most=39),
    "empty range": Match.range("num_size", at_least=5, at_most=1),
    "beyond all numbers": Match.range("num_size", above=2**63 - 1),
    "dates since": Match.range("date_made", at_least=datetime(2024, 3, 1, tzinfo=UTC)),
    "dates before 1970": Match.range("date_made", below=datetime(1970, 1, 1, tzinfo=UTC)),
    "exists": Match.exists("num_size"),
    "exists as a long text": Match.exists("str_title"),
    "outline exists": Match.exists("gs_outline"),
    "place exists": Match.exists("gp_place"),
    "flat exists": Match.exists("MD_"),
    "flat member exists": Match.exists("MD_.deep.down"),
    "flat member on another path": Match.exists("MD_.down"),
    "undeclared exists": Match.exists("gp_extra"),
    "nothing exists": Match.exists("str_nothing"),
    "box": Match.box("gp_place", top=53, left=13, bottom=52, right=14),
    "box over the date line": Match.box("gp_place", top=0, left=179, bottom=-20, right=-179),
    "box of the world": Match.box("gp_place", top=90, left=-180, bottom=-90, right=180),
    "box of an undeclared field": Match.box("gp_extra", top=53, left=13, bottom=52, right=14),
    "near": Match.near("gp_place", BERLIN, metres=300),
    "a little farther": Match.near("gp_place", BERLIN, metres=400),
    "near over the date line": Match.near("gp_place", GeoPoint(-16.5, 180), metres=15_000),
    "near the pole": Match.near("gp_place", GeoPoint(89.95, -170), metres=30_000),
    "far": Match.near("gp_place", BERLIN, metres=6_000_000),
    "anywhere": Match.near("gp_place", BERLIN, metres=20_037_508),
    "near in an undeclared field": Match.near("gp_extra", BERLIN, metres=1_000_000),
    "and": Match.text("zurich") & Match.keyword("bool_open", True),
    "or": Match.text("zurich") | Match.range("num_size", at_least=4),
    "not": ~Match.exists("num_size"),
    "and not": Match.exists("str_title") & ~Match.text("old") & ~Match.keyword("list_tags", "red"),
    "not both": ~(Match.keyword("bool_open", True) & Match.exists("num_size")),
    "not not": ~~Match.text("old"),
    "or not": Match.text("zurich") | ~Match.exists("str_body"),
    "all of nothing": Match.all(),
    "any of nothing": Match.any(),
    "nested": (Match.text("old") | Match.text("blue")) & (Match.exists("MD_") | ~Match.exists("list_tags")),
}


def test_every_clause_finds_what_a_plain_program_finds(full: Search[Any]) -> None:
    # One query, two services, one answer: otherwise a test on the one says nothing about the other.
    wrong = {
        name: (found, wanted)
        for name, clause in CLAUSES.items()
        if sorted(found := ids(full, SearchQuery(clause, size=25)), key=str.encode) != (wanted := expected(clause))
    }
    assert wrong == {}
    unfit = [name for name, clause in CLAUSES.items() if full.count(clause) != len(expected(clause))]
    assert unfit == []


def test_clauses_that_find_something_are_most_of_them() -> None:
    # A reference that finds nothing would agree with an index that finds nothing.
    empty = {name for name, clause in CLAUSES.items() if not expected(clause)}
    assert len(empty) < 25
    assert {"fuzzy too far", "phrase over two values", "large number is not", "any of nothing"} <= empty


@pytest.mark.parametrize("seed", range(4))
def test_random_queries_find_what_a_plain_program_finds(full: Search[Any], seed: int) -> None:
    # Combinations that nobody thought of.
    chance = random.Random(seed)
    for _ in range(60):
        clause, sorts = _random_clause(chance, 3), _random_sorts(chance)
        fields = [("-" if is_descending else "") + name for name, is_descending in sorts]
        query = SearchQuery(clause, size=chance.choice((3, 7, 50))).sorted_by(*fields or ["_rectype"])
        assert ids(full, query) == expected(clause, sorts or (("_rectype", False),)), (clause, sorts)


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
            Match.keyword("list_tags", tag),
            Match.keyword("MD_.colour", tag),
            Match.prefix("str_title", word[:3]),
            Match.range("num_size", at_least=low, below=low + chance.randrange(6)),
            Match.range("date_made", above=datetime(2024, 1 + chance.randrange(4), 5, tzinfo=UTC)),
            Match.exists(chance.choice(FIELDS)),
            Match.near("gp_place", chance.choice(PLACES), metres=10.0 ** chance.randrange(1, 7)),
        )
    )


def _typo(chance: random.Random, word: str) -> str:
    at = chance.randrange(len(word))
    return word[:at] + chance.choice(("", "x", word[at] * 2)) + word[at + 1 :]


def _random_sorts(chance: random.Random) -> tuple[tuple[str, bool], ...]:
    names = chance.sample(["str_title", "num_size", "bool_open", "date_made", "_rectype"], chance.randrange(4))
    return tuple((name, chance.random() < 0.5) for name in names)


# -- order and pages


@pytest.mark.parametrize("is_descending", [False, True])
@pytest.mark.parametrize("field", ["str_title", "num_size", "bool_open", "date_made", "_rectype"])
def test_an_order_is_exact_missing_values_last_and_ties_by_id(
    full: Search[Any], field: str, is_descending: bool
) -> None:
    # Pages of an order that is not exact repeat some documents and lose others.
    query = SearchQuery().sorted_by(f"-{field}" if is_descending else field)
    wanted = expected(None, ((field, is_descending),))
    for size in (1, 4, 100):
        assert ids(full, query.limit(size)) == wanted


def test_orders_of_several_fields(full: Search[Any]) -> None:
    query = SearchQuery(size=5).sorted_by("_rectype", "-num_size", "bool_open")
    assert ids(full, query) == expected(None, (("_rectype", False), ("num_size", True), ("bool_open", False)))


def test_a_page_goes_on_behind_the_last_document_whatever_has_come_or_gone(full: Search[Any]) -> None:
    # Somebody reads page after page of a list that others change.
    query = SearchQuery(size=10).sorted_by("num_size")
    first = full.query(query)
    last = first.hits[-1]
    full.write([DeleteDocument(first.ids[3], 9), DeleteDocument(last.id, 9)])
    full.put(Note("!", {"num_size": -100}), Note("zz", {"num_size": 100}))
    full.refresh()
    rest = ids(full, query.after(first.cursor))
    wanted = expected(None, (("num_size", False),))
    behind = wanted[wanted.index(last.id) + 1 :]
    with_value = [each for each in behind if "num_size" in _fields_of(each)]
    assert rest == [*with_value[:-1], "zz", with_value[-1], *behind[len(with_value) :]]


def _fields_of(key: str) -> dict[str, Any]:
    return next(note.fields or {} for note in corpus() if note.key == key)


def test_the_best_match_comes_first_and_pages_of_scores_are_whole(search: Search[Any]) -> None:
    # The document that speaks of nothing else is the one that is meant.
    filled(
        search,
        Note("rare", {"str_title": "harbour"}),
        Note("often", {"str_title": "harbour harbour harbour harbour harbour"}),
        Note("lost", {"str_title": "harbour " + "among many other words " * 20}),
        *(Note(f"tie{n:02d}", {"str_title": "a harbour"}) for n in range(20)),
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
    nothing = full.query(SearchQuery(size=0).facet("_rectype"))
    assert (nothing.hits, nothing.cursor, nothing.total) == ([], None, len(corpus()))


def test_a_cursor_is_of_its_query_its_tenant_and_nobody_elses_making(full: Search[Any], open_index: Open) -> None:
    # A cursor of another tenant would page through what one may not see.
    query = SearchQuery(Match.exists("str_title"), size=3)
    cursor = full.query(query).cursor
    assert cursor is not None
    assert full.query(query.after(cursor).limit(5)).hits
    with pytest.raises(BadCursor):
        full.query(SearchQuery(size=3).after(cursor))
    with pytest.raises(BadCursor):
        full.query(query.sorted_by("num_size").after(cursor))
    with pytest.raises(BadCursor):
        full.query(query.after("x" + cursor[1:]))
    with pytest.raises(BadCursor):
        open_index(tenant="other").query(query.after(cursor))
    assert open_index().query(query.after(cursor)).hits


# -- facets and highlights


def test_facets_count_the_values_of_what_was_found(full: Search[Any]) -> None:
    # The most frequent first, then by value: the list beside the results must not jump.
    clause = Match.exists("str_title")
    query = SearchQuery(clause, size=1).facet("list_tags").facet("num_size", 3).facet("bool_open").facet("_rectype")
    found = full.query(query.facet("str_extra", 2)).facets
    for name, size in (("list_tags", 10), ("num_size", 3), ("bool_open", 10), ("_rectype", 10), ("str_extra", 2)):
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


def test_facets_do_not_depend_on_the_page(full: Search[Any]) -> None:
    query = SearchQuery(size=5).facet("list_tags")
    first = full.query(query)
    assert full.query(query.after(first.cursor)).facets == first.facets


HIGHLIGHTS = [
    (Match.text("HARBOUR"), "the old harbour", ["the old <em>harbour</em>"]),
    (Match.text("cafe"), "a <b>Café</b> & more", ["a &lt;b&gt;<em>Café</em>&lt;/b&gt; &amp; more"]),
    (Match.text("harber", fuzzy=True), "the harbor", ["the <em>harbor</em>"]),
    (Match.text("har", begins=True), "harbour, hard", ["<em>harbour</em>, <em>hard</em>"]),
    (Match.text("old new", any_word=True), "new and old", ["<em>new</em> and <em>old</em>"]),
    (Match.text("old") & Match.keyword("num_size", 1), "old 1", ["<em>old</em> 1"]),
    (Match.text("old") & ~Match.text("young"), "old age", ["<em>old</em> age"]),
    (Match.phrase("old"), "old", ["<em>old</em>"]),
    (Match.text("old", ["str_body"]), "old", None),
    (Match.keyword("num_size", 1), "old", None),
]


@pytest.mark.parametrize(("clause", "text", "shown"), HIGHLIGHTS)
def test_highlights_are_safe_html_with_the_words_marked(
    search: Search[Any], clause: Match, text: str, shown: list[str] | None
) -> None:
    # They are put into pages as they are: what somebody wrote must not become markup there.
    filled(search, Note("a", {"str_title": text, "str_body": "old", "num_size": 1}))
    (hit,) = search.query(SearchQuery(clause).highlighting("str_title")).hits
    assert hit.highlights.get("str_title") == shown


def test_highlights_of_lists_show_the_values_with_the_words(search: Search[Any]) -> None:
    filled(search, Note("a", {"list_tags": ["dark blue", "red", "blue"]}))
    (hit,) = search.query(SearchQuery(Match.text("blue")).highlighting("list_tags")).hits
    assert hit.highlights == {"list_tags": ["dark <em>blue</em>", "<em>blue</em>"]}


def test_highlights_of_long_texts_are_the_piece_around_the_word(search: Search[Any]) -> None:
    filled(search, Note("a", {"str_body": "hay " * 500 + "needle " + "hay " * 500}))
    (hit,) = search.query(SearchQuery(Match.text("needle")).highlighting("str_body")).hits
    (shown,) = hit.highlights["str_body"]
    assert "<em>needle</em>" in shown
    assert shown.startswith("…hay ")
    assert shown.endswith(" hay…")
    assert len(shown) < 200


# -- what cannot be asked, and what cannot be indexed

REFUSED = [
    (SearchQuery(Match.keyword("title", "x")), "does not say what it holds"),
    (SearchQuery(Match.range("str_title", at_least="a")), "has no range"),
    (SearchQuery(Match.range("num_size", at_least=1, above=1)), "same bound twice"),
    (SearchQuery(Match.range("num_size", at_least=1.5)), "no whole number"),
    (SearchQuery(Match.keyword("num_size", "1")), "no whole number"),
    (SearchQuery(Match.keyword("bool_open", "yes")), "cannot be 'yes'"),
    (SearchQuery(Match.keyword("gp_place", "x")), "cannot be 'x'"),
    (SearchQuery(Match.prefix("num_size", "1")), "has no beginning"),
    (SearchQuery(Match.text("x", ["num_size"])), "has no words"),
    (SearchQuery(Match.text("x " * 31)), "31 words"),
    (SearchQuery(Match.text("x" * 1001)), "at most 1000"),
    (SearchQuery(Match.box("str_title", top=1, left=0, bottom=0, right=1)), "holds no places"),
    (SearchQuery().sorted_by("list_tags"), "has no order"),
    (SearchQuery().sorted_by("str_extra"), "does not declare str_extra"),
    (SearchQuery().facet("gp_place"), "cannot be counted"),
    (SearchQuery().highlighting("num_size"), "has no words"),
    (SearchQuery(Match.all(*[Match.exists("str_title")] * 501)), "at most 500"),
]


@pytest.mark.parametrize(("query", "message"), REFUSED)
def test_a_query_that_cannot_be_asked_says_why(search: Search[Any], query: SearchQuery, message: str) -> None:
    # Not with an error of one service or an empty answer of the other.
    with pytest.raises(ModelError, match=message):
        search.query(query)


def test_an_index_that_was_not_made_is_missing(open_index: Open) -> None:
    # It must not come into being by the first write, with types that were guessed.
    search = open_index()
    with pytest.raises(SearchIndexMissing, match="ensure"):
        search.query()
    with pytest.raises(SearchIndexMissing, match="ensure"):
        search.put(Note("a", {"str_title": "x"}))


def test_ensure_is_quiet_when_nothing_is_to_be_done(search: Search[Any]) -> None:
    assert search.ensure() == []


def test_ensure_adds_fields_to_an_index_that_is_filled(full: Search[Any], open_index: Open) -> None:
    # A release with a new field must not lose what is there, nor the knowledge of what was deleted.
    full.write([DeleteDocument("empty", 5)])
    full.refresh()
    full.close()

    @document(Note, "notes", id="{key}", fields=(*FIELDS, "num_new"), version=lambda note: note.version)
    def more(note: Note) -> Any:
        return note.fields

    grown = open_index(more)
    assert len(grown.ensure()) == 1
    assert grown.ensure() == []
    assert grown.count() == len(corpus()) - 1
    grown.put(Note("empty", {"num_new": 1}, version=4), Note("new", {"num_new": 7}), Note("newer", {"num_new": 6}))
    grown.refresh()
    assert ids(grown, SearchQuery(Match.exists("num_new")).sorted_by("num_new")) == ["newer", "new"]


@pytest.mark.slow
def test_a_hundred_thousand_documents(search: Search[Any]) -> None:
    # An index that is right with sixty documents may be wrong with many segments, and slow.
    def many() -> Iterator[PutDocument]:
        for n in range(100_000):
            place = {"lat": (n % 1000) / 1000 + 50, "lon": n // 1000 / 100}
            yield PutDocument(f"{n:06d}", 1, {"str_title": f"number {n % 1000}", "num_size": n % 7, "gp_place": place})

    assert search.write(many()).written == 100_000
    search.refresh()
    assert search.count() == 100_000
    assert search.count(Match.text("number 77")) == 100
    assert search.count(Match.near("gp_place", GeoPoint(50.5, 0.5), metres=5000)) == _within(5000)
    page = search.query(SearchQuery(Match.text("number 77"), size=30).sorted_by("num_size", "-str_title"))
    assert page.ids == sorted((f"{n:06d}" for n in range(77, 100_000, 1000)), key=lambda id: (int(id) % 7, id))[:30]
    assert [each.count for each in search.query(SearchQuery(size=0).facet("num_size")).facets["num_size"]][:1] == [
        14286
    ]
    assert search.write(PutDocument(f"{n:06d}", 0, {}) for n in range(0, 100_000, 1000)).written == 0


def _within(metres: float) -> int:
    clause = Match.near("gp_place", GeoPoint(50.5, 0.5), metres=metres)
    places = ({"gp_place": {"lat": (n % 1000) / 1000 + 50, "lon": n // 1000 / 100}} for n in range(100_000))
    return sum(matches(clause, each) for each in places)
