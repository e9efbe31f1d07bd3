"""Entities as items and back: every kind of field, and everything that the program does not know
of.
"""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, computed_field

from sortkey import (
    GSI,
    CamelPart,
    Entity,
    EpochSeconds,
    Follows,
    Instant,
    InstantMillis,
    InstantSeconds,
    KeepNull,
    KeyOnly,
    Named,
    Outside,
    Part,
    Range,
    Table,
    camel,
    index,
    key,
    pascal,
)
from sortkey.errors import InvalidItem
from sortkey.values.attributes import Item, read_item


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    LOW = 1
    HIGH = 2


class Spot(CamelPart):
    first_name: str = ""
    weight: float | None = None
    fallback: str | None = "there"
    must_be_said: int | None
    at: InstantSeconds | None = None
    tags: list[str] = []


table = Table(
    "Rich",
    key=("PK", "SK"),
    indexes=[
        GSI("G", "GPK", "GSK"),
        GSI("Spread", "SPK", "SSK"),
        GSI("Plain", "colour", "expiresAt"),
    ],
    types={"expiresAt": "N"},
)


class Rich(Entity, table=table, names=camel):
    """Every kind of field."""

    place: KeyOnly[str]
    order: Annotated[KeyOnly[int], Range(0, 999)]
    moment: KeyOnly[InstantMillis]
    rich_id: UUID
    day: date
    name: str
    colour: Annotated[Colour, Outside]
    level: Level
    state: Literal["on", "off"]
    shown: Annotated[str, Follows("state", {"on": "ON", "off": "OFF"})] = "OFF"
    flag: bool
    count: int
    ratio: float
    price: Decimal
    data: bytes
    words: set[str] = set()
    numbers: set[int] | None = None
    entries: list[int | str | None] = []
    by_number: dict[int, str] = {}
    free: dict[str, Any] = {}
    spot: Spot | None = None
    spots: list[Spot] = []
    nested: dict[str, list[Spot]] = {}
    pair: tuple[int, str] = (0, "")
    at: Instant
    expires_at: Annotated[EpochSeconds | None, Outside] = None
    weird: Annotated[str | None, Named("weird:name.with#all")] = None
    kept: Annotated[str | None, KeepNull] = None
    fallback: str | None = "there"
    must_be_said: str | None

    @computed_field
    @property
    def shout(self) -> str | None:
        return self.name.upper() or None

    @index("G", "STATE#{state}", "{count:06d}")
    def by_state(*, state: str): ...

    @index("Spread", "ALL#{shard}", "{moment}", shards=4)
    def spread(): ...

    @index("Plain", "{colour}", "{expiresAt}")
    def plain(*, colour: Colour): ...


class Flat(Rich, kind="Flat"):
    @key("PLACE#{place}#{day}", "{order:03d}#{moment}#{richId}")
    def key(*, place: str, day: date, order: int, moment: datetime, rich_id: UUID): ...


class Wrapped(Rich, kind="Wrapped", envelope="Data"):
    @key("WPLACE#{place}#{day}", "{order:03d}#{moment}#{richId}")
    def key(*, place: str, day: date, order: int, moment: datetime, rich_id: UUID): ...


WORDS = st.text(max_size=5)
MOMENTS = st.datetimes(
    min_value=datetime(1970, 1, 2), max_value=datetime(9000, 1, 1), timezones=st.just(UTC)
)
FLOATS = st.floats(min_value=-1e30, max_value=1e30).filter(
    lambda number: number == 0 or abs(number) > 1e-30
)
FREE = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.text(min_size=1, max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)
SPOTS = st.fixed_dictionaries(
    {"must_be_said": st.none() | st.integers(-9, 9)},
    optional={
        "first_name": WORDS,
        "weight": st.none() | FLOATS,
        "fallback": st.none() | WORDS,
        "at": st.none() | MOMENTS,
        "tags": st.lists(WORDS, max_size=2),
    },
).map(lambda values: Spot(**values))
REQUIRED: dict[str, st.SearchStrategy[Any]] = {
    "place": st.text(min_size=1, max_size=4).filter(lambda text: "#" not in text),
    "order": st.integers(0, 999),
    "moment": MOMENTS,
    "rich_id": st.uuids(),
    "day": st.dates(),
    "name": WORDS,
    "colour": st.sampled_from(Colour),
    "level": st.sampled_from(Level),
    "state": st.sampled_from(["on", "off"]),
    "flag": st.booleans(),
    "count": st.integers(0, 999_999),
    "ratio": FLOATS,
    "price": st.decimals(min_value=-(10**9), max_value=10**9, places=4),
    "data": st.binary(max_size=5),
    "at": MOMENTS,
    "must_be_said": st.none() | WORDS,
}
OPTIONAL: dict[str, st.SearchStrategy[Any]] = {
    "words": st.sets(WORDS, max_size=2),
    "numbers": st.none() | st.sets(st.integers(-99, 99), min_size=1, max_size=2),
    "entries": st.lists(st.none() | st.integers(-9, 9) | WORDS, max_size=3),
    "by_number": st.dictionaries(st.integers(-9, 9), WORDS, max_size=2),
    "free": st.dictionaries(st.text(min_size=1, max_size=3), FREE, max_size=2),
    "spot": st.none() | SPOTS,
    "spots": st.lists(SPOTS, max_size=2),
    "nested": st.dictionaries(
        st.text(min_size=1, max_size=3), st.lists(SPOTS, max_size=1), max_size=1
    ),
    "pair": st.tuples(st.integers(-9, 9), WORDS),
    "expires_at": st.none() | MOMENTS,
    "weird": st.none() | WORDS,
    "kept": st.none() | WORDS,
    "fallback": st.none() | WORDS,
}
VALUES = st.fixed_dictionaries(REQUIRED, optional=OPTIONAL)


@pytest.mark.parametrize("kind", [Flat, Wrapped])
@given(values=VALUES)
def test_any_entity_is_the_same_after_it_was_an_item(
    kind: type[Rich], values: dict[str, Any]
) -> None:
    # Whatever the types allow. The item goes the way through the service, which has a form of its
    # own for numbers.
    entity = kind(**values)
    item, _ = read_item(entity.to_item())
    again = kind.from_item(item)
    assert again == entity
    assert read_item(again.to_item())[0] == item


@given(values=VALUES)
def test_keys_of_an_entity_are_those_of_its_item(values: dict[str, Any]) -> None:
    # What is written under one key must be asked for under the same.
    entity = Flat(**values)
    names = ("place", "day", "order", "moment", "rich_id")
    asked = Flat.key(**{name: getattr(entity, name) for name in names})
    assert asked.item == {name: entity.to_item()[name] for name in ("PK", "SK")}


def rich(kind: type[Rich] = Flat, **values: Any) -> Rich:
    given: dict[str, Any] = {
        "place": "p",
        "order": 1,
        "moment": datetime(2026, 1, 1, tzinfo=UTC),
        "rich_id": UUID(int=1),
        "day": date(2026, 1, 1),
        "name": "n",
        "colour": Colour.RED,
        "level": Level.LOW,
        "state": "on",
        "flag": True,
        "count": 1,
        "ratio": 0.5,
        "price": Decimal("1.5"),
        "data": b"",
        "at": datetime(2026, 1, 1, tzinfo=UTC),
        "must_be_said": None,
    }
    return kind(**given | values)


UNKNOWN: Item = {"new": {"L": [{"NULL": True}, {"N": "1.5"}]}, "colours": {"SS": ["a"]}}


@pytest.mark.parametrize("kind", [Flat, Wrapped])
def test_unknown_attributes_survive_reading_changing_and_copying(kind: type[Rich]) -> None:
    # A newer program has written them; an older one that drops them destroys its data.
    item = {**rich(kind).to_item(), **UNKNOWN}
    if kind is Wrapped:
        item["Data"] = {"M": {**item["Data"]["M"], **UNKNOWN}}
    entity = kind.from_item(item)
    copies = [
        entity,
        entity.changed(name="other"),
        entity.model_copy(),
        entity.model_copy(update={"name": "other"}),
        copy.copy(entity),
        copy.deepcopy(entity),
        pickle.loads(pickle.dumps(entity)),
    ]
    for each in copies:
        written = each.to_item()
        assert {name: written[name] for name in UNKNOWN} == UNKNOWN
        if kind is Wrapped:
            assert UNKNOWN.items() <= written["Data"]["M"].items()


def test_unknown_members_of_parts_survive_also_as_null() -> None:
    # A part is written as a whole; what was in it must be in it again.
    entity = rich(spot=Spot(must_be_said=1))
    item = entity.to_item()
    item["spot"]["M"]["newThing"] = {"NULL": True}
    item["spot"]["M"]["other"] = {"M": {"deep": {"N": "1"}}}
    again = Flat.from_item(item)
    assert again.to_item()["spot"] == item["spot"]
    assert again.changed(name="x").to_item()["spot"] == item["spot"]


def test_what_is_none_or_empty_is_left_out_unless_that_would_change_it() -> None:
    # Sparse items are small; but a None must not come back as a default.
    item = rich(fallback=None, kept=None, weird=None, words=set()).to_item()
    assert item["fallback"] == item["kept"] == item["mustBeSaid"] == {"NULL": True}
    assert not {"weird:name.with#all", "words", "numbers", "expiresAt", "spot"} & item.keys()


def test_a_field_that_must_be_given_but_may_be_none_is_none_where_an_item_lacks_it() -> None:
    # Items that were written before by other programs.
    item = rich().to_item()
    del item["mustBeSaid"]
    assert Flat.from_item(item).must_be_said is None


def test_an_item_lies_where_its_layout_says() -> None:
    # Envelope, kind, keys, literal names: as a document of the table would show it.
    item = rich(Wrapped, weird="w", expires_at=datetime(2026, 1, 1, tzinfo=UTC)).to_item()
    assert item["PK"] == {"S": "WPLACE#p#2026-01-01"}
    assert item["SK"] == {"S": "001#2026-01-01T00:00:00.000Z#00000000-0000-0000-0000-000000000001"}
    assert item["GPK"] == {"S": "STATE#on"}
    assert item["EntityType"] == {"S": "Wrapped"}
    assert item["expiresAt"] == {"N": "1767225600"}
    assert item["colour"] == {"S": "red"}
    inside = item["Data"]["M"]
    assert inside["weird:name.with#all"] == {"S": "w"}
    assert inside["shout"] == {"S": "N"}
    assert inside["shown"] == {"S": "ON"}
    assert not {"place", "order", "moment"} & (inside.keys() | item.keys())


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"SK": {"S": "1#x"}}, "does not match the key"),
        ({"name": {"N": "5"}}, "valid string"),
        ({"state": {"S": "broken"}}, "'on' or 'off'"),
        ({"EntityType": {"S": "Other"}}, "its EntityType is Other, not Flat"),
        ({"count": {"S": "many"}}, "valid integer"),
        ({"at": {"S": "soon"}}, "Invalid isoformat string"),
    ],
)
def test_an_item_that_does_not_fit_says_what_is_wrong_and_carries_it(
    damage: Item, message: str
) -> None:
    # Somebody has to repair it, and needs to see it.
    item = {**rich().to_item(), **damage}
    with pytest.raises(InvalidItem, match=message) as failed:
        Flat.from_item(item)
    assert failed.value.item == item


def test_an_item_that_does_not_fit_is_reported_with_its_place_and_a_line_for_each_fault() -> None:
    # One of a thousand that a query reads: without its key nobody finds it.
    item = {**rich().to_item(), "name": {"N": "5"}, "state": {"S": "broken"}}
    del item["count"]
    with pytest.raises(InvalidItem) as failed:
        Flat.from_item(item)
    error, layout = failed.value, Flat.__layout__
    assert (error.table, error.key) == (layout.table.name, layout.key_in(item))
    first, *lines = str(error).splitlines()
    assert [line.strip() for line in lines] == error.faults
    assert (
        first
        == f"the item PK={item['PK']['S']!r}, SK={item['SK']['S']!r} of {error.table} is not a valid Flat:"
    )
    assert sorted(error.faults) == [
        "count: Field required",
        "name: Input should be a valid string, not 5",
        "state: Input should be 'on' or 'off', not 'broken'",
    ]


def test_a_missing_attribute_is_reported_by_its_name() -> None:
    # The name in the item, where it is looked for.
    item = rich().to_item()
    del item["count"]
    with pytest.raises(InvalidItem, match="count"):
        Flat.from_item(item)


def test_many_items_are_read_as_each_of_them() -> None:
    # In one go where all are usual; one that is not must not spoil the others.
    items = [rich(order=number).to_item() for number in range(3)]
    items[1]["new"] = {"S": "x"}
    found = Flat.from_items(items)
    assert [each.order for each in found] == [0, 1, 2]
    assert found[1].to_item()["new"] == {"S": "x"}


def test_names_may_be_made_in_any_way() -> None:
    # As the tables of other programs have them.
    class Pascal(Entity, table=Table("Pascal", key=("Id",)), names=pascal):
        id: str
        first_name: str
        last_name: Annotated[str, Field(alias="surname")]

        @key("{Id}")
        def key(*, id: str): ...

    item = {"Id": {"S": "1"}, "FirstName": {"S": "a"}, "surname": {"S": "b"}}
    assert Pascal(id="1", first_name="a", last_name="b").to_item() == item
    assert Pascal.from_item(item).last_name == "b"


def test_settings_of_a_base_hold_for_its_entities() -> None:
    # One line for all kinds of a table; each may say otherwise.
    class Base(
        Entity,
        table=Table("Bases", key=("PK",)),
        envelope="Data",
        archive="#gone",
        unique=["email"],
    ):
        id: KeyOnly[str]
        email: str

    class User(Base, kind="User"):
        @key("USER#{id}")
        def key(*, id: str): ...

    layout = User.__layout__
    assert (layout.envelope, layout.archive, layout.unique) == ("Data", "#gone", (("email",),))


def test_a_part_has_the_names_that_it_is_given() -> None:
    # Parts without a rule keep the names of their fields.
    class Plain(Part):
        first_name: str = "x"

    assert Plain().model_dump(by_alias=True) == {"first_name": "x"}
    assert Spot(must_be_said=1).model_dump(by_alias=True)["firstName"] == ""


def test_the_json_schema_of_a_part_tells_its_fields() -> None:
    # An OpenAPI document is made of it: "some object" would say nothing to whoever reads an answer.
    class Shelf(CamelPart):
        shelf_mark: str
        height_cm: int | None = None

    schema = Shelf.model_json_schema(mode="serialization")
    assert schema["properties"].keys() == {"shelfMark", "heightCm"}
    assert schema["required"] == ["shelfMark"]
    assert Shelf(shelf_mark="A").model_dump(by_alias=True) == {"shelfMark": "A"}
