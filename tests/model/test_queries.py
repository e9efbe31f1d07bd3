"""Queries: leading key fields and nothing else, and never a wider read than was asked for."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import pytest

from sortkey import (
    GSI,
    LSI,
    Entity,
    Instant,
    KeyOnly,
    Query,
    Range,
    Table,
    attr,
    explain,
    index,
    key,
    query,
)
from sortkey.errors import KeyValueError, ModelError

table = Table(
    "Queries",
    key=("PK", "SK"),
    indexes=[
        GSI("Same", "PK", "GSK"),
        LSI("Local", "LSK"),
        GSI("Keys", "KPK", "KSK", projection="KEYS_ONLY"),
    ],
)


class Rule(Entity, table=table, kind="Rule"):
    journey_id: KeyOnly[str]
    stage_id: str
    number: Annotated[int, Range(1, 999)]
    path: str = "/"
    at: Instant = datetime(2026, 1, 1, tzinfo=UTC)

    @key("JOURNEY#{journey_id}", "RULE#{stage_id}#{number:03d}#END")
    def key(*, journey_id: str, stage_id: str, number: int): ...

    @query(key)
    def of_journey(*, journey_id: str): ...

    @query(key)
    def of_stage(*, journey_id: str, stage_id: str): ...

    @query(key)
    def some(*, journey_id: str, stage_id: str | None = None, number: int | None = None): ...

    @index("Same", "JOURNEY#{journey_id}", "PATH#{path:free}#{number:03d}")
    def by_path(*, journey_id: str, path: str | None = None, number: int | None = None): ...

    @index("Local", "JOURNEY#{journey_id}", "{at}#{stage_id}")
    def by_time(*, journey_id: str, at: datetime | None = None): ...

    @index("Keys", "RULES", "{stage_id}")
    def all_keys(*, stage_id: str | None = None): ...


class Other(Entity, table=table, kind="Other"):
    name: str

    @key("OTHER", "{name}")
    def key(*, name: str): ...


def sort_condition(read: Query[Any]) -> str:
    return explain(read).key_condition.partition(" AND ")[2]


J: dict[str, Any] = {"journey_id": "J"}


@pytest.mark.parametrize(
    ("read", "condition"),
    [
        (Rule.of_journey(**J), "begins_with(SK, 'RULE#')"),
        (Rule.of_stage(**J, stage_id="raw"), "begins_with(SK, 'RULE#raw#')"),
        (Rule.some(**J), "begins_with(SK, 'RULE#')"),
        (Rule.some(**J, stage_id="raw", number=7), "SK = 'RULE#raw#007#END'"),
        (Rule.of_journey(**J).between("b", "d"), "SK BETWEEN 'RULE#b' AND 'RULE#d#\\U0010ffff'"),
        (Rule.of_journey(**J).at_most("b"), "SK BETWEEN 'RULE#' AND 'RULE#b#\\U0010ffff'"),
        (
            Rule.of_stage(**J, stage_id="b").between(1, 5),
            "SK BETWEEN 'RULE#b#001' AND 'RULE#b#005#END'",
        ),
        (Rule.of_stage(**J, stage_id="b").at_most(5), "SK BETWEEN 'RULE#b#' AND 'RULE#b#005#END'"),
        (
            Rule.of_stage(**J, stage_id="b").at_least(5),
            "SK BETWEEN 'RULE#b#005' AND 'RULE#b#\\U0010ffff'",
        ),
        (
            Rule.by_time(**J).at_most(datetime(2026, 1, 1, tzinfo=UTC)),
            "LSK <= '2026-01-01T00:00:00.000000Z#\\U0010ffff'",
        ),
    ],
)
def test_a_query_reads_what_its_leading_fields_fix(read: Query[Rule], condition: str) -> None:
    # b must not find bz, 5 must find 005#END, and no range reaches beyond RULE#.
    assert sort_condition(read) == condition


def test_a_query_behind_a_free_slot_filters_longer_values() -> None:
    # Behind `/a#` also begins `/a#b`: the key condition alone would be a wider read.
    asked = explain(Rule.by_path(**J, path="/a"))
    assert asked.key_condition.endswith("begins_with(GSK, 'PATH#/a#')")
    assert asked.filter == "path = '/a'"
    assert explain(Rule.by_path(**J, path="/a", number=1)).filter is None
    assert explain(Rule.by_path(**J)).filter is None


def test_a_free_slot_that_no_attribute_holds_cannot_lead_a_query() -> None:
    # There is nothing to filter on, so the read would be wider than it says.
    class Loose(Entity, table=Table("Loose", key=("PK", "SK"))):
        path: KeyOnly[str]
        name: str

        @key("ALL", "{path:free}#{name}")
        def key(*, path: str, name: str): ...

        @query(key)
        def under(*, path: str): ...

    with pytest.raises(ModelError, match="path is free and KeyOnly"):
        Loose.under(path="/a")


@pytest.mark.parametrize(
    "arguments", [{**J, "stage_id": None}, {"journey_id": None, "stage_id": "raw"}]
)
def test_none_for_a_field_that_a_query_needs_is_refused(arguments: dict[str, Any]) -> None:
    # A variable that happens to be None must not turn the rules of a stage into the rules of a
    # journey.
    with pytest.raises(ModelError, match="is None: without it the query would read more"):
        Rule.of_stage(**arguments)


def test_none_for_a_part_of_a_key_is_refused() -> None:
    # A key with a hole finds another item, or none.
    with pytest.raises(ModelError, match="number is None"):
        Rule.key(**J, stage_id="raw", number=None)  # type: ignore[arg-type]


def test_a_skipped_field_is_refused() -> None:
    # Rules number 7 of all stages are not next to each other: the read would be the whole journey.
    with pytest.raises(ModelError, match="number given without stage_id"):
        Rule.some(**J, number=7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Rule.of_journey(**J, colour="red"), "unexpected keyword argument 'colour'"),  # type: ignore[call-arg]
        (lambda: Rule.of_journey(), "missing a required argument: 'journey_id'"),  # type: ignore[call-arg]
        (lambda: Rule.of_journey("J"), "too many positional arguments"),  # type: ignore[call-arg, misc]
        (lambda: Rule.key(**J), "missing a required argument: 'stage_id'"),
    ],
)
def test_wrong_arguments_are_pythons_own_errors(call: Any, message: str) -> None:
    # Ignored, they would read a whole partition.
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Rule.of_stage(**J, stage_id="a#b"), "contains '#'"),
        (lambda: Rule.of_stage(**J, stage_id=""), "stage_id is empty"),
        (lambda: Rule.key(**J, stage_id="a", number=1000), "less than or equal to 999"),
        (lambda: Rule.of_journey(**J).at_least("a#b"), "contains '#'"),
        (lambda: Rule.of_stage(**J, stage_id="a").at_most(1000), "0 to 999 are allowed"),
        (lambda: Rule.by_time(**J, at=datetime(2026, 1, 1)), "has no time zone"),
    ],
)
def test_a_value_that_no_key_has_is_refused(call: Any, message: str) -> None:
    # It would find nothing, or what lies under another key.
    with pytest.raises(KeyValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Rule.some(**J, stage_id="a", number=1).at_least(1), "a range is not possible"),
        (lambda: Rule.of_journey(**J).limit(0), "a limit of 0 entities reads nothing"),
        (
            lambda: Rule.by_path(**J).consistent(),
            "Same is a global index, which has no consistent reads",
        ),
        (lambda: Rule.of_journey(**J).archived(), "Rule has no archive"),
        (lambda: Rule.of_journey(**J).where(True), "True is not a condition"),
        (lambda: Rule.of_journey(**J).where(attr(Rule.journey_id) == "J"), "exists only in keys"),
        (
            lambda: Rule.of_journey(**J).where(attr(Other.name) == "J"),
            "Other.name is not a field of Rule",
        ),
        (lambda: explain(Rule.all_keys().where(Rule.path == "/")), "Keys does not hold Rule.path"),
        (lambda: Rule.of_journey(**J).at_least("a").at_most("b"), "already has a range"),
    ],
)
def test_a_query_that_cannot_be_is_refused_before_it_is_sent(call: Any, message: str) -> None:
    # The service would refuse some of these, and read too much for the others.
    with pytest.raises(ModelError, match=message):
        call()


def test_a_local_index_is_read_consistently() -> None:
    # It has the table's partition; so has the global index above, which cannot.
    assert Rule.by_time(**J).consistent().is_consistent


def test_a_bound_of_a_range_may_lie_outside_the_fields_own_limits() -> None:
    # All from 0 on is a question with an answer, though no rule has the number 0.
    assert sort_condition(Rule.of_stage(**J, stage_id="b").at_least(0)).startswith(
        "SK BETWEEN 'RULE#b#000'"
    )
    assert repr(attr(Rule.number) > 0) == "number > 0"


def test_keys_can_be_gathered_in_sets() -> None:
    # Programs collect what they still have to do; equal keys are one, and each has a place of its
    # own.
    keys = {Rule.key(**J, stage_id="a", number=number % 3 + 1) for number in range(9)}
    assert len(keys) == 3
    assert len({hash(key) for key in keys}) == 3
