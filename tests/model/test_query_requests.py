"""Ranges of the next field of a sort key: what is read, and that no method widens it."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from sortkey import GSI, Entity, KeyOnly, Model, Query, Range, Table, explain, index, key, query
from sortkey.errors import ModelError

model = Model("ranges")
table = model.add(
    Table(
        "Ranges", key=("PK", "SK"), indexes=[GSI("ByRank", "shelf", "rank")], types={"rank": "N"}
    ),
)


class Book(Entity, table=table):
    """A book on a shelf, with a prefix in its sort key and a number as the one of an index."""

    shelf: str
    number: Annotated[KeyOnly[int], Range(1, 999)]
    rank: int = 0

    @key("SHELF#{shelf}", "BOOK#{number:03d}")
    def key(*, shelf: str, number: int):
        """One book."""

    @query(key)
    def on_shelf(*, shelf: str):
        """The books of a shelf."""

    @index("ByRank", "{shelf}", "{rank}")
    def by_rank(*, shelf: str):
        """The books of a shelf by rank."""


@model.pattern
def best(shelf: str) -> Query[Book]:
    """The best books of a shelf."""
    return Book.by_rank(shelf=shelf).at_least(90)


def sort_condition(read: Query[Any]) -> str:
    return explain(read).key_condition.partition(" AND ")[2]


@pytest.mark.parametrize(
    ("read", "condition"),
    [
        (Book.on_shelf(shelf="a").between(2, 5), "SK BETWEEN 'BOOK#002' AND 'BOOK#005'"),
        (Book.on_shelf(shelf="a").at_least(2), "SK BETWEEN 'BOOK#002' AND 'BOOK#\\U0010ffff'"),
        (Book.on_shelf(shelf="a").at_most(5), "SK BETWEEN 'BOOK#' AND 'BOOK#005'"),
        (Book.by_rank(shelf="a").between(2, 5), "rank BETWEEN 2 AND 5"),
        (Book.by_rank(shelf="a").at_least(2), "rank >= 2"),
        (Book.by_rank(shelf="a").at_most(5), "rank <= 5"),
    ],
)
def test_a_range_stays_inside_what_the_key_fixes(read: Query[Book], condition: str) -> None:
    # Behind BOOK# may lie another kind of item, which a query of books must not read.
    assert sort_condition(read) == condition


@pytest.mark.parametrize("read", [Book.on_shelf(shelf="a"), Book.by_rank(shelf="a")])
def test_a_second_range_is_refused(read: Query[Book]) -> None:
    # It would take the place of the first: the query would read more than it says, or nothing at
    # all.
    with pytest.raises(
        ModelError, match=r"already has a range: between\(\) takes both of its ends"
    ):
        read.at_least(2).at_most(5)


def test_a_pattern_gives_its_query_its_own_name() -> None:
    # Capacity is counted by access pattern; two patterns over one index must not be added up.
    assert best("a").pattern == "best"
    assert str(model.patterns()[-1].explain()).startswith("best: Query on Ranges, index ByRank\n")
