"""What the search page shows, on a real index without a browser."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sortkey import Bool, Date, Keyword, Number, Search, Searchable, Text, document, open_search
from sortkey.errors import ModelError
from sortkey.web.console.search_results import (
    PAGE,
    Results,
    SearchRequest,
    facts_of,
    marks_of,
    run_search,
    snippets_of,
    sorts_of,
    title_field,
    title_of,
    useful_facets,
)


@dataclass(frozen=True)
class Ship:
    """What is searched for."""

    ship_id: str
    name: str
    home: str
    story: str = ""
    tags: tuple[str, ...] = ()
    length: int = 10
    is_afloat: bool = True


@document(
    Ship,
    "ships",
    id="{ship_id}",
    fields={
        "ship_id": Text(),
        "name": Text(),
        "home": Keyword(),
        "story": Text(),
        "tags": Keyword(many=True),
        "length": Number(),
        "built": Date(),
        "afloat": Bool(),
    },
    version=lambda ship: 1,
)
def ships(ship: Ship) -> Searchable:
    return {
        "ship_id": ship.ship_id,
        "name": ship.name,
        "home": ship.home,
        "story": ship.story,
        "tags": ship.tags,
        "length": ship.length,
        "built": datetime(1912, 4, 10, tzinfo=UTC),
        "afloat": ship.is_afloat,
    }


FLEET = [
    Ship("s1", "Aurora <b>", "Genoa", "She carried lemons to the north.", ("steam",), 90),
    Ship("s2", "Borealis", "Genoa", "A lemon yellow funnel & a bell.", ("steam", "mail"), 120),
    Ship("s3", "Corona", "Oslo", "", ("sail",), 40, is_afloat=False),
]


@pytest.fixture
def search(tmp_path: Path) -> Iterator[Search[Ship]]:
    with open_search(ships, tmp_path, commit_seconds=None) as opened:
        opened.ensure()
        opened.put(*FLEET)
        opened.refresh()
        yield opened


def found(search: Search[Ship], words: str = "", **more: Any) -> Results:
    return run_search(search, SearchRequest(words, **more), useful_facets(search))


def choices(results: Results) -> dict[str, list[tuple[Any, int, bool]]]:
    return {
        each.field: [(c.value, c.count, c.is_chosen) for c in each.choices]
        for each in results.filters
    }


def test_filters_are_the_fields_that_tell_results_apart(search: Search[Ship]) -> None:
    # Names and ids differ in every document: to choose one of them is no filter.
    assert useful_facets(search) == ["tags", "home", "afloat"]
    assert choices(found(search))["home"] == [("Genoa", 2, False), ("Oslo", 1, False)]
    assert "home" not in choices(found(search, "lemon"))


def test_a_field_with_a_choice_shows_the_others_too(search: Search[Ship]) -> None:
    # Within a field one or the other may hold; between fields all must.
    one = found(search, chosen={"home": frozenset({"Oslo"})})
    assert one.page.ids == ["s3"]
    assert choices(one)["home"] == [("Genoa", 2, False), ("Oslo", 1, True)]
    both = found(search, chosen={"home": frozenset({"Oslo", "Genoa"}), "tags": frozenset({"mail"})})
    assert both.page.ids == ["s2"]
    gone = found(search, "lemon", chosen={"home": frozenset({"Oslo"})})
    assert (gone.page.total, choices(gone)["home"]) == (0, [("Genoa", 2, False), ("Oslo", 0, True)])


def test_words_that_nothing_has_are_searched_as_similar_ones(search: Search[Ship]) -> None:
    # One wrong letter is not the end; but who spells right is not shown anything else.
    assert not found(search, "lemon").are_similar
    similar = found(search, "boraelis")
    assert (similar.are_similar, similar.page.ids) == (True, ["s2"])
    nothing = found(search, "xyzzy")
    assert (nothing.are_similar, nothing.page.total) == (False, 0)


def test_results_come_in_the_order_that_was_chosen(search: Search[Ship]) -> None:
    orders = sorts_of(ships)
    assert orders["-length"] == "length, largest first"
    assert orders["built"] == "built, oldest first"
    assert set(orders) == {
        "",
        *(sign + each for sign in ("", "-") for each in ("name", "length", "built")),
    }
    assert found(search, sort="-length").page.ids == ["s2", "s1", "s3"]


def test_a_result_shows_its_name_and_where_the_words_stand_and_only_our_marks(
    search: Search[Ship],
) -> None:
    # A name may hold anything: none of it may become a part of the page.
    assert title_field(ships) == "name"
    results = {hit.id: hit for hit in found(search, "lemon").page.hits}
    assert title_of(ships, results["s1"]) == "Aurora &lt;b&gt;"
    assert snippets_of(ships, results["s2"]) == [
        ("story", "A <em>lemon</em> yellow funnel &amp; a bell.")
    ]
    (named,) = found(search, "borealis").page.hits
    assert title_of(ships, named) == "<em>Borealis</em>"
    assert snippets_of(ships, named) == [("story", "A lemon yellow funnel &amp; a bell.")]
    assert marks_of(ships, named) == ["afloat", "steam", "mail"]
    assert facts_of(ships, named) == [("length", 120), ("built", "1912-04-10T00:00:00.000Z")]


def test_pages_follow_each_other(search: Search[Ship]) -> None:
    search.put(*(Ship(f"t{number:02}", f"Tug {number}", "Hull") for number in range(PAGE + 5)))
    search.refresh()
    first = found(search, "tug")
    rest = found(search, "tug", cursor=first.page.cursor)
    assert (len(first.page.hits), len(rest.page.hits), rest.page.cursor) == (PAGE, 5, None)
    assert not set(first.page.ids) & set(rest.page.ids)


def test_too_much_to_search_for_is_refused(search: Search[Ship]) -> None:
    with pytest.raises(ModelError, match="characters to search for: use at most 1000"):
        found(search, "x" * 1001)
    with pytest.raises(ModelError, match="words to search for: use at most 30"):
        found(search, " ".join("abcdefghijklmnopqrstuvwxyz0123456789"))
