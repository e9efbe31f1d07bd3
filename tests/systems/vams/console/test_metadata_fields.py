"""The fields of a metadata form."""

from typing import Any

from sortkey_systems.vams.console.metadata_fields import fields_of


def _item(name: str, value: str | None, **more: Any) -> dict[str, Any]:
    return {"metadataKey": name, "metadataValue": value, "metadataValueType": "STRING", **more}


def test_fields_of_schemas_come_in_their_order_and_before_other_values() -> None:
    # The form shows what is expected first, also where nobody has written it yet.
    found = fields_of(
        [
            _item("weight", "7"),
            _item("colour", None, metadataSchemaSequence=2, metadataSchemaName="pumps"),
            _item("serial", "NP-1", metadataSchemaSequence="1", metadataSchemaRequired=True),
        ]
    )
    assert [each.name for each in found] == ["serial", "colour", "weight"]
    serial, colour, weight = found
    assert (serial.kind, serial.value, serial.is_required) == ("string", "NP-1", True)
    assert (colour.value, colour.schema) == ("", "pumps")
    assert (weight.schema, weight.is_required) == ("", False)


def test_a_field_with_a_list_offers_its_values() -> None:
    # The interface refuses others, so a free text would only be an error later.
    keys = ["red", "blue"]
    (field,) = fields_of([_item("colour", "", metadataSchemaControlledListKeys=keys)])
    assert field.choices == ("red", "blue")
