"""Models that cannot be right are refused when they are imported, with what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import field_serializer, field_validator

from sortkey import (
    GSI,
    LSI,
    Created,
    Entity,
    Follows,
    KeyOnly,
    Named,
    States,
    Table,
    Version,
    camel,
    collection,
    index,
    key,
    query,
)
from sortkey.errors import ModelError


def table(**settings: Any) -> Table:
    indexes = [
        GSI("G", "GPK", "GSK"),
        GSI("One", "one"),
        GSI("Same", "GPK", "SSK"),
        LSI("L", "LSK"),
    ]
    return Table("T", key=("PK", "SK"), indexes=indexes, **settings)


def unknown_slot() -> None:
    class Wrong(Entity, table=table()):
        id: str

        @key("A#{id}", "B#{colour}")
        def key(*, id: str): ...


def slot_by_the_name_of_the_field() -> None:
    class Wrong(Entity, table=table(), names=camel):
        journey_id: str

        @key("A#{journey_id}", "B")
        def key(*, journey_id: str): ...


def unpadded_number() -> None:
    class Wrong(Entity, table=table()):
        number: int

        @key("A", "B#{number}")
        def key(*, number: int): ...


def unpadded_number_that_may_be_missing() -> None:
    class Wrong(Entity, table=table()):
        id: str
        number: Annotated[int, "said of it"] | None = None

        @key("A", "{id}")
        def key(*, id: str): ...

        @index("G", "A", "{number}")
        def by_number(): ...


def fraction_in_a_text() -> None:
    class Wrong(Entity, table=table()):
        price: Decimal

        @key("A", "{price}")
        def key(*, price: Decimal): ...


def padded_text() -> None:
    class Wrong(Entity, table=table()):
        name: str

        @key("A", "{name:03d}")
        def key(*, name: str): ...


def key_only_that_no_key_has() -> None:
    class Wrong(Entity, table=table()):
        id: str
        colour: KeyOnly[str]

        @key("A", "{id}")
        def key(*, id: str): ...

        @index("G", "A", "{colour}")
        def by_colour(): ...


def two_declarations_for_one_index() -> None:
    class Wrong(Entity, table=table()):
        id: str

        @key("A", "{id}")
        def key(*, id: str): ...

        @index("G", "A", "{id}")
        def one(): ...

        @index("G", "B", "{id}")
        def other(): ...


def missing_sort_template() -> None:
    class Wrong(Entity, table=table()):
        id: str

        @key("A#{id}")
        def key(*, id: str): ...


def sort_template_too_many() -> None:
    class Wrong(Entity, table=table()):
        id: str

        @key("A", "{id}")
        def key(*, id: str): ...

        @index("One", "A", "{id}")
        def by_id(): ...


def unknown_index() -> None:
    class Wrong(Entity, table=table()):
        id: str

        @key("A", "{id}")
        def key(*, id: str): ...

        @index("GSI9", "A", "{id}")
        def by_id(): ...


def signature_that_skips() -> None:
    class Wrong(Entity, table=table()):
        a: str
        b: str
        c: str

        @key("{a}", "{b}#{c}")
        def key(*, a: str, b: str, c: str): ...

        @query(key)
        def by_c(*, a: str, c: str): ...


def signature_without_the_partition() -> None:
    class Wrong(Entity, table=table()):
        a: str
        b: str

        @key("{a}", "{b}")
        def key(*, a: str, b: str): ...

        @query(key)
        def everything(): ...


def signature_with_an_unknown_field() -> None:
    class Wrong(Entity, table=table()):
        a: str

        @key("{a}", "X")
        def key(*, a: str): ...

        @query(key)
        def by(*, colour: str): ...


def default_in_a_partition() -> None:
    class Wrong(Entity, table=table()):
        a: str
        b: str

        @key("{a}", "{b}")
        def key(*, a: str, b: str): ...

        @query(key)
        def some(*, a: str | None = None): ...


def default_that_is_a_value() -> None:
    class Wrong(Entity, table=table()):
        a: str
        b: str

        @key("{a}", "{b}")
        def key(*, a: str, b: str): ...

        @query(key)
        def some(*, a: str, b: str = "x"): ...


def key_with_a_default() -> None:
    class Wrong(Entity, table=table()):
        a: str
        b: str

        @key("{a}", "{b}")
        def key(*, a: str, b: str | None = None): ...


def states_that_the_field_cannot_have() -> None:
    class Wrong(Entity, table=table()):
        id: str
        status: Annotated[
            Literal["on", "off"] | None, States({"on": ["off"], "off": ["broken"]})
        ] = None

        @key("A", "{id}")
        def key(*, id: str): ...


def start_that_the_field_cannot_have() -> None:
    class Wrong(Entity, table=table()):
        id: str
        status: Annotated[Literal["on", "off"], States({"on": ["off"]}, start=["new"])] = "on"

        @key("A", "{id}")
        def key(*, id: str): ...


def field_that_hides_a_member_of_entity() -> None:
    class Wrong(Entity, table=table()):
        id: str
        changed: str = ""

        @key("A", "{id}")
        def key(*, id: str): ...


def field_that_hides_a_member_of_pydantic() -> None:
    class Wrong(Entity, table=table()):
        id: str
        json: str = ""

        @key("A", "{id}")
        def key(*, id: str): ...


def field_and_query_of_one_name() -> None:
    class Wrong(Entity, table=table()):
        id: str
        status: str

        @key("A", "{id}")
        def key(*, id: str): ...

        @index("G", "{status}", "{id}")
        def status(*, status: str): ...  # type: ignore[no-redef]


def query_with_the_name_of_an_inherited_field() -> None:
    class Base(Entity, table=table()):
        id: str
        status: str = ""

    class Wrong(Base):
        @key("A", "{id}")
        def key(*, id: str): ...

        @index("G", "S", "{id}")
        def status(): ...


def two_fields_of_one_attribute() -> None:
    class Wrong(Entity, table=table()):
        id: str
        one: Annotated[str, Named("x")] = ""
        other: Annotated[str, Named("x")] = ""

        @key("A", "{id}")
        def key(*, id: str): ...


def field_in_the_attribute_of_a_key() -> None:
    class Wrong(Entity, table=table()):
        id: Annotated[str, Named("SK")]

        @key("A", "B#{SK}")
        def key(*, id: str): ...


def field_in_the_attribute_of_the_kind() -> None:
    class Wrong(Entity, table=table(), kind="Wrong"):
        id: str
        kind: Annotated[str, Named("EntityType")] = ""

        @key("A", "{id}")
        def key(*, id: str): ...


def one_attribute_of_two_templates() -> None:
    class Wrong(Entity, table=table()):
        id: str

        @key("A", "{id}")
        def key(*, id: str): ...

        @index("G", "A", "{id}")
        def one(): ...

        @index("Same", "B", "{id}")
        def other(): ...


def local_index_of_another_partition() -> None:
    class Wrong(Entity, table=table()):
        id: str

        @key("A", "{id}")
        def key(*, id: str): ...

        @index("L", "B", "{id}")
        def local(): ...


def text_around_a_number_key() -> None:
    class Wrong(Entity, table=table(types={"GSK": "N"})):
        id: str
        count: int = 0

        @key("A", "{id}")
        def key(*, id: str): ...

        @index("G", "A", "COUNT#{count:03d}")
        def by_count(): ...


def two_versions() -> None:
    class Wrong(Entity, table=table()):
        id: str
        one: Annotated[int, Version] = 0
        other: Annotated[int, Version] = 0

        @key("A", "{id}")
        def key(*, id: str): ...


def version_that_begins_at_one() -> None:
    class Wrong(Entity, table=table()):
        id: str
        version: Annotated[int, Version] = 1

        @key("A", "{id}")
        def key(*, id: str): ...


def version_in_a_key() -> None:
    class Wrong(Entity, table=table()):
        id: str
        version: Annotated[int, Version] = 0

        @key("A", "{id}#{version:03d}")
        def key(*, id: str, version: int): ...


def two_creations() -> None:
    class Wrong(Entity, table=table()):
        id: str
        one: Annotated[str | None, Created] = None
        other: Annotated[str | None, Created] = None

        @key("A", "{id}")
        def key(*, id: str): ...


def follower_of_nothing() -> None:
    class Wrong(Entity, table=table()):
        id: str
        shown: Annotated[str, Follows("status", {})] = ""

        @key("A", "{id}")
        def key(*, id: str): ...


def follower_before_its_source() -> None:
    class Wrong(Entity, table=table()):
        id: str
        shown: Annotated[str, Follows("status", {"a": "A"})] = ""
        status: str = "a"

        @key("A", "{id}")
        def key(*, id: str): ...


def follower_without_all_values() -> None:
    class Wrong(Entity, table=table()):
        id: str
        status: Literal["a", "b", "c"] = "a"
        shown: Annotated[str, Follows("status", {"a": "A"})] = ""

        @key("A", "{id}")
        def key(*, id: str): ...


def collection_with_two_conditions() -> None:
    class Right(Entity, table=table()):
        id: str

        @key("A", "{id}")
        def key(*, id: str): ...

    @collection(Right, sort_from="A", sort_prefix="B")
    def everything(): ...


def validator_that_updates_would_not_run() -> None:
    class Wrong(Entity, table=table()):
        id: str

        @field_validator("id")
        @classmethod
        def lower(cls, value: str) -> str:
            return value.lower()

        @key("A", "{id}")
        def key(*, id: str): ...


def serializer_that_keys_would_not_run() -> None:
    class Wrong(Entity, table=table()):
        id: str

        @field_serializer("id")
        def lower(self, value: str) -> str:
            return value.lower()

        @key("A", "{id}")
        def key(*, id: str): ...


def unique_field_that_is_none() -> None:
    class Wrong(Entity, table=table(), unique=["email"]):
        id: str

        @key("A", "{id}")
        def key(*, id: str): ...


def unique_in_a_table_of_numbers() -> None:
    class Wrong(Entity, table=table(types={"SK": "N"}), unique=["email"]):
        number: int
        email: str

        @key("A", "{number}")
        def key(*, number: int): ...


def archive_of_numbers() -> None:
    class Wrong(Entity, table=Table("T", key=("PK",), types={"PK": "N"}), archive="#deleted"):
        number: int

        @key("{number}")
        def key(*, number: int): ...


def version_without_upgrades() -> None:
    class Wrong(Entity, table=table(), version=3, upgrades={1: lambda values: values}):
        id: str

        @key("A", "{id}")
        def key(*, id: str): ...


def upgrades_without_a_version() -> None:
    class Wrong(Entity, table=table(), upgrades={1: lambda values: values}):
        id: str

        @key("A", "{id}")
        def key(*, id: str): ...


def shards_without_a_slot() -> None:
    class Wrong(Entity, table=table()):
        id: str

        @key("A", "{id}")
        def key(*, id: str): ...

        @index("G", "ALL", "{id}", shards=4)
        def spread(): ...


def slot_without_shards() -> None:
    class Wrong(Entity, table=table()):
        id: str

        @key("A", "{id}")
        def key(*, id: str): ...

        @index("G", "ALL#{shard}", "{id}")
        def spread(): ...


def collection_of_several_partitions() -> None:
    where = table()

    class One(Entity, table=where):
        id: str

        @key("ONE#{id}", "A")
        def key(*, id: str): ...

    class Other(Entity, table=where):
        id: str

        @key("OTHER#{id}", "B")
        def key(*, id: str): ...

    @collection(One, Other)
    def both(*, id: str): ...


def collection_of_nothing() -> None:
    @collection()
    def none(*, id: str): ...


def two_indexes_of_one_name() -> None:
    Table("T", key=("PK",), indexes=[GSI("G", "a"), GSI("G", "b")])


WRONG: list[tuple[Callable[[], None], str]] = [
    (unknown_slot, "the key needs {colour}, and no field has this attribute"),
    (slot_by_the_name_of_the_field, "write {journeyId} for {journey_id}"),
    (unpadded_number, "{number} is a number: pad it, as {number:02d}"),
    (unpadded_number_that_may_be_missing, "{number} is a number: pad it, as {number:02d}"),
    (fraction_in_a_text, "{price} is a number: a text cannot keep the order of fractions"),
    (padded_text, "Wrong.name is not a whole number"),
    (key_only_that_no_key_has, "Wrong.colour is KeyOnly, but the table's key does not hold colour"),
    (two_declarations_for_one_index, "Wrong.other: the key in G is declared already"),
    (missing_sort_template, "T has a sort key"),
    (sort_template_too_many, "One has no sort key"),
    (unknown_index, "table T has no index 'GSI9'; it has: G, One, Same, L"),
    (signature_that_skips, "Wrong.by_c: takes a, c; its key begins with a, b, c"),
    (signature_without_the_partition, "Wrong.everything: takes ; its key begins with a, b"),
    (signature_with_an_unknown_field, "Wrong has no field 'colour'; it has: a"),
    (default_in_a_partition, "Wrong.some: a cannot have a default"),
    (default_that_is_a_value, "some: the default of b must be None"),
    (key_with_a_default, "Wrong.key: must take all of a, b, without defaults"),
    (states_that_the_field_cannot_have, "States names broken, which the field cannot have"),
    (start_that_the_field_cannot_have, "States names new, which the field cannot have"),
    (field_that_hides_a_member_of_entity, "Wrong.changed hides a member of Entity"),
    (field_that_hides_a_member_of_pydantic, "Wrong.json hides a member of Entity"),
    (field_and_query_of_one_name, "Wrong.status is a field and a key or query"),
    (query_with_the_name_of_an_inherited_field, "Wrong.status is a field and a key or query"),
    (two_fields_of_one_attribute, "one and other have one attribute, x"),
    (field_in_the_attribute_of_a_key, "the attribute SK is written by the store itself"),
    (field_in_the_attribute_of_the_kind, "the attribute EntityType is written by the store itself"),
    (one_attribute_of_two_templates, "GPK is made by two templates, A and B"),
    (local_index_of_another_partition, "PK is made by two templates, A and B"),
    (text_around_a_number_key, "GSK is not text, so its template must be a single field"),
    (two_versions, "one and other are both marked Version"),
    (version_that_begins_at_one, "it needs the default 0"),
    (version_in_a_key, "counts writes, and cannot be part of a key"),
    (two_creations, "one and other are both marked Created"),
    (follower_of_nothing, "shown follows status, which is not a field"),
    (follower_before_its_source, "shown follows status: declare it after that field"),
    (follower_without_all_values, "shown follows status: say what it is for 'b', 'c'"),
    (collection_with_two_conditions, "sort_from or sort_prefix"),
    (validator_that_updates_would_not_run, "Wrong.lower: keys and updates of id would not run it"),
    (serializer_that_keys_would_not_run, "Wrong.lower: keys and updates of id would not run it"),
    (unique_field_that_is_none, "Wrong has no field 'email'"),
    (unique_in_a_table_of_numbers, "unique fields need a table whose keys are text"),
    (archive_of_numbers, "an archive needs a partition key that is text; PK is not"),
    (version_without_upgrades, "has version 3: it needs upgrades from the versions 1, 2"),
    (upgrades_without_a_version, "has version 1: it needs upgrades from the versions none"),
    (shards_without_a_slot, "shards= and a {shard} in the partition template go together"),
    (slot_without_shards, "shards= and a {shard} in the partition template go together"),
    (collection_of_several_partitions, "its partition is not ONE#{id}, as that of the others"),
    (collection_of_nothing, "none: a collection needs its entities"),
    (two_indexes_of_one_name, "table T: two indexes have the same name"),
]


@pytest.mark.filterwarnings("ignore:Field name")  # pydantic's own warning, just before the error
@pytest.mark.parametrize(
    ("declare", "message"), WRONG, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_wrong_model_is_refused_when_it_is_imported(
    declare: Callable[[], None], message: str
) -> None:
    # The first item that such a model writes wrongly is found months later, among all that came
    # after it.
    with pytest.raises(ModelError) as refused:
        declare()
    assert message in str(refused.value)


def test_an_entity_without_a_key_says_so_when_it_is_used() -> None:
    # A base class has fields and no key; stored by mistake it must not end in an AttributeError.
    class Base(Entity, table=table()):
        id: str

    with pytest.raises(ModelError, match="Base is not stored"):
        Base(id="x").to_item()
