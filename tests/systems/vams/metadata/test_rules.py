"""What schemas expect of values, several schemas together."""

from __future__ import annotations

from typing import Any

from sortkey_systems.vams.metadata.expectations import expectations_of, extension_of
from sortkey_systems.vams.metadata.rules import (
    Value,
    problems_of,
    problems_of_deletion,
    with_defaults,
)
from sortkey_systems.vams.model import MetadataSchema, SchemaField


def schema(name: str, *fields: dict[str, Any], **more: Any) -> MetadataSchema:
    return MetadataSchema(
        metadata_schema_id=name,
        database_id="plant",
        metadata_entity_type="fileMetadata",
        fields=tuple(SchemaField(**field) for field in fields),
        schema_name=name,
        **more,
    )


def string(text: str) -> Value:
    return Value(text, "string")


OWNER = {"metadata_key": "owner", "required": True}
PHONE = {"metadata_key": "phone", "depends_on_field_key_name": ("owner",)}
COLOUR = {
    "metadata_key": "colour",
    "metadata_value_type": "inline_controlled_list",
    "controlled_list_keys": ("red", "green"),
    "default_metadata_field_value": "red",
}


def test_a_schema_counts_if_it_is_enabled_and_made_for_the_extension() -> None:
    # A point cloud has no polygons.
    models = schema("models", OWNER, file_key_type_restriction=".glb, .OBJ")
    everything = schema("all", PHONE, file_key_type_restriction=".all")
    switched_off = schema("off", COLOUR, enabled=False)
    schemas = [models, everything, switched_off]
    assert set(expectations_of(schemas, "/a/pump.GLB")) == {"owner", "phone"}
    assert set(expectations_of(schemas, "/a.glb/pump.e57")) == {"phone"}
    assert set(expectations_of(schemas, "/a.glb/pump")) == {"phone"}
    assert extension_of("/a.glb/pump") == ""


def test_two_schemas_that_differ_on_a_field_expect_nothing_of_it() -> None:
    # Neither can be right for both, and nobody could write the field.
    number = {"metadata_key": "owner", "metadata_value_type": "number"}
    merged = expectations_of([schema("one", OWNER), schema("two", number)])
    assert merged["owner"].has_conflict
    assert merged["owner"].schema_names == ("one (plant)", "two (plant)")
    for value in (Value("7", "number"), string("Ada")):
        assert problems_of(merged, {"owner": value}, ["owner"], is_restricted=True) == []
    assert problems_of(merged, {}, [], is_restricted=True) == []


def test_two_schemas_that_agree_on_a_field_are_one_with_the_earlier_place() -> None:
    # The place in a form is not a matter of rules.
    first, second = ({**OWNER, "sequence": 4}, {**OWNER, "sequence": 2})
    merged = expectations_of([schema("one", first), schema("two", second)])
    assert not merged["owner"].has_conflict
    assert (merged["owner"].sequence, merged["owner"].is_required) == (2, True)


def test_required_listed_and_dependent_fields_are_checked_on_the_result() -> None:
    # Not on the request: what is stored already counts.
    merged = expectations_of([schema("one", OWNER, PHONE, COLOUR)])
    result = {"phone": string("+49"), "colour": Value("blue", "inline_controlled_list")}
    problems = problems_of(merged, result, ["phone"], is_restricted=False)
    assert len(problems) == 3
    assert "'owner' is required" in problems[0]
    assert "depends on 'owner'" in problems[1]
    assert "red, green" in problems[2]
    assert problems_of(merged, {"owner": string("Ada")}, ["owner"], is_restricted=True) == []


def test_an_empty_field_stops_no_check_of_the_others() -> None:
    # The original ends at the first empty optional field.
    merged = expectations_of([schema("one", PHONE, OWNER, COLOUR)])
    result = {
        "phone": string(""),
        "owner": string(""),
        "colour": Value("", "inline_controlled_list"),
    }
    assert problems_of(merged, result, [], is_restricted=False) == [
        "'owner' is required and needs a value"
    ]


def test_a_restricted_database_takes_only_fields_of_schemas() -> None:
    # Where no schema is made for the entity, everything is allowed, as in the original.
    merged = expectations_of([schema("one", PHONE)])
    result = {"weight": string("7")}
    assert problems_of(merged, result, ["weight"], is_restricted=True)
    assert problems_of(merged, result, ["weight"], is_restricted=False) == []
    assert problems_of(merged, result, [], is_restricted=True) == []
    assert problems_of({}, result, ["weight"], is_restricted=True) == []


def test_a_default_fills_a_missing_field_once_its_dependencies_have_values() -> None:
    # Otherwise the default itself would break the rules.
    size = {
        "metadata_key": "size",
        "depends_on_field_key_name": ("colour",),
        "default_metadata_field_value": "L",
    }
    label = {
        "metadata_key": "label",
        "depends_on_field_key_name": ("owner",),
        "default_metadata_field_value": "x",
    }
    merged = expectations_of([schema("one", label, size, COLOUR)])
    filled = with_defaults(merged, {})
    assert {key: value.text for key, value in filled.items()} == {"colour": "red", "size": "L"}
    given = with_defaults(merged, {"colour": Value("", "inline_controlled_list")})
    assert set(given) == {"colour"}


def test_what_is_required_or_needed_by_others_cannot_be_deleted() -> None:
    # The result would break the rules.
    merged = expectations_of([schema("one", OWNER, PHONE)])
    assert problems_of_deletion(merged, {"phone": string("+49")}, ["owner"]) == [
        "'owner' is required and cannot be deleted",
        "'owner' cannot be deleted: phone depends on it",
    ]
    assert problems_of_deletion(merged, {"owner": string("Ada")}, ["phone", "other"]) == []
