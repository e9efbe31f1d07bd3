"""Queries as values: they are equal when they ask the same, are joined, and refuse what can be no
query.
"""

from __future__ import annotations

import pytest

from sortkey import LatLon, Match, SearchQuery
from sortkey.errors import ModelError
from sortkey.runtime.search.matches import AllMatch, AnyMatch
from sortkey.runtime.search.queries import Facet, Sort

A, B, C = Match.text("a"), Match.keyword("b", "b"), Match.exists("c")


def test_queries_that_ask_the_same_are_equal() -> None:
    # They are keys of caches, and what a cursor is bound to.
    assert SearchQuery(Match.text("a") & B).sorted_by("-a") == SearchQuery(A & B).sorted_by("-a")
    assert hash(SearchQuery(A & B)) == hash(SearchQuery(A & B))
    assert SearchQuery(A & B) != SearchQuery(B & A)


def test_joined_clauses_are_one_level() -> None:
    assert AllMatch((A, B, C)) == (A & B & C)
    assert AnyMatch((A, B, C)) == (A | B | C)
    assert AllMatch((AnyMatch((A, B)), C)) == ((A | B) & C)


def test_a_query_is_narrowed_by_making_another() -> None:
    first = SearchQuery(A)
    second = first.matching(B).sorted_by("b", "-c").facet("d", 3).highlighting("e").limit(5)
    assert first == SearchQuery(A)
    assert second == SearchQuery(
        A & B, (Sort("b"), Sort("c", True)), (Facet("d", 3),), ("e",), size=5
    )
    assert second.after("x").cursor == "x"
    assert SearchQuery().matching(A) == SearchQuery(A)


def test_clauses_are_not_joined_with_and() -> None:
    # `a and b` would silently be b.
    with pytest.raises(ModelError, match="not with `and`"):
        bool(A and B)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Match.near("a", LatLon(0, 0), metres=0),
        lambda: Match.near("a", LatLon(0, 0), metres=1e9),
        lambda: Match.box("a", top=0, left=0, bottom=1, right=1),
        lambda: Match.box("a", top=91, left=0, bottom=1, right=1),
        lambda: Match.box("a", top=1, left=-181, bottom=0, right=1),
        lambda: SearchQuery().limit(-1),
        lambda: SearchQuery().limit(1001),
        lambda: SearchQuery().facet("a", 0),
        lambda: SearchQuery().facet("a", 1001),
    ],
)
def test_what_can_be_no_query_is_refused_at_once(make: object) -> None:
    assert callable(make)
    with pytest.raises(ModelError):
        make()
