"""Attributes that an entity requires and a stored item lacks, and the update that adds them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import computed_field

from sortkey import GSI, LSI, Entity, KeyOnly, Table, camel, index, key
from sortkey.errors import ModelError
from sortkey.model.missing_attributes import rewrite_of

table = Table(
    "T",
    key=("PK", "SK"),
    indexes=[GSI("ByState", "GPK", "GSK"), GSI("ByRank", "rank", "GSK"), LSI("ByTitle", "title")],
    types={"rank": "N"},
)


class Book(Entity, table=table, kind="Book", envelope="Data", names=camel):
    branch: KeyOnly[str]
    number: int
    state: str = "new"
    title: str = "untitled"

    @key("BRANCH#{branch}", "BOOK#{number:03d}")
    def key(*, branch: str, number: int): ...

    @index("ByState", "STATE#{state}", "{branch}#{number:03d}")
    def in_state(*, state: str): ...

    @computed_field
    @property
    def label(self) -> str:
        return f"{self.number} {self.title}"


class Shelf(Entity, table=table, kind="Shelf"):
    id: str
    rank: int = 7
    tags: set[int] = set()
    GSK: str = "x"

    @key("SHELF#{id}", "SHELF")
    def key(*, id: str): ...

    @index("ByRank", "{rank}", "{GSK}")
    def ranked(*, rank: int): ...

    @computed_field
    @property
    def doubled(self) -> set[int] | None:
        return {2 * tag for tag in self.tags} or None


def without(item: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in names}


BOOK = Book(branch="n", number=7, state="old", title="Emma").to_item()


def test_an_item_that_has_everything_needs_nothing() -> None:
    assert rewrite_of(Book, BOOK) is None
    assert rewrite_of(Book, {**BOOK, "colour": {"S": "red"}}) is None


def test_a_missing_key_is_made_of_fields_that_the_condition_names() -> None:
    # Nothing else is written, and nothing else must be as it was.
    rewrite = rewrite_of(Book, without(BOOK, "GPK"))
    assert rewrite is not None
    assert rewrite.sets == {("GPK",): {"S": "STATE#old"}}
    assert rewrite.read == {("GPK",): None, ("Data", "state"): {"S": "old"}}
    assert "attribute_exists" in rewrite.request()["ConditionExpression"]


def test_a_default_that_a_key_is_made_of_is_stored_with_it() -> None:
    # A later update compares it: `assuming={"state": "new"}`.
    data = {"M": without(BOOK["Data"]["M"], "state")}
    rewrite = rewrite_of(Book, {**without(BOOK, "GPK"), "Data": data})
    assert rewrite is not None
    assert rewrite.sets == {("GPK",): {"S": "STATE#new"}, ("Data", "state"): {"S": "new"}}
    assert rewrite.read == {("GPK",): None, ("Data", "state"): None}


def test_a_computed_field_is_made_anew() -> None:
    data = {"M": {**BOOK["Data"]["M"], "label": {"S": "wrong"}}}
    rewrite = rewrite_of(Book, {**BOOK, "Data": data})
    assert rewrite is not None
    assert rewrite.sets == {("Data", "label"): {"S": "7 Emma"}}
    assert rewrite.read[("Data", "title")] == {"S": "Emma"}


def test_a_field_that_is_a_key_as_it_stands_is_filled_in() -> None:
    # Without the attribute the item is not in the index, whatever the default is.
    item = Shelf(id="1").to_item()
    rewrite = rewrite_of(Shelf, without(item, "rank", "GSK"))
    assert rewrite is not None
    assert rewrite.sets == {("rank",): {"N": "7"}, ("GSK",): {"S": "x"}}


def test_numbers_and_sets_are_equal_however_they_are_written() -> None:
    # Another service sorts a set otherwise, and a backfill that never ends is none.
    item = Shelf(id="1", tags={1, 10, 2}).to_item()
    assert rewrite_of(Shelf, {**item, "doubled": {"NS": ["4.0", "20", "2"]}}) is None
    assert rewrite_of(Shelf, {**item, "doubled": {"NS": ["4", "20"]}}) is not None


def move(old: dict[str, Any]) -> dict[str, Any]:
    return {**old, "id": "other"}


class Moved(Entity, table=Table("M", key=("PK",)), version=2, upgrades={1: move}):
    id: str

    @key("THING#{id}")
    def key(*, id: str): ...


def test_an_upgrade_that_changes_the_key_is_refused() -> None:
    # The item would be there twice, or nowhere.
    with pytest.raises(ModelError, match="changes its key"):
        rewrite_of(Moved, {"PK": {"S": "THING#1"}, "id": {"S": "1"}})
