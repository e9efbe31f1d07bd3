"""Values as lists show them: each with what schemas say of its field, in the order of a form.

Fields of schemas that have no value are listed too, so that a form can be drawn from the answer.
"""

from __future__ import annotations

from typing import Any

from sortkey_systems.vams.metadata.expectations import Expectations, Expected, place_of
from sortkey_systems.vams.metadata.owners import Owner
from sortkey_systems.vams.metadata.rules import Value, Values


def entries_of(
    owner: Owner, values: Values, expected: Expectations, *, with_missing: bool = True
) -> list[dict[str, Any]]:
    """The answers for an owner, to be sorted by `position_of`."""
    missing = [field for field in expected.values() if with_missing and field.key not in values]
    return [
        *(_entry(owner, key, value, expected.get(key)) for key, value in values.items()),
        *(
            _entry(owner, field.key, Value(field.default or "", field.value_type), field)
            for field in missing
        ),
    ]


def position_of(expected: Expectations, key: str) -> str:
    """A text that sorts entries by their keys: fields of schemas first, by their place in a form,
    then the others by name.
    """
    if key not in expected:
        return f"1 {key}"
    is_last, place = place_of(expected[key])
    return f"0 {is_last:d} {place:012d} {key}"


def _entry(owner: Owner, key: str, value: Value, field: Expected | None) -> dict[str, Any]:
    return {
        **owner.ids,
        "metadataKey": key,
        "metadataValue": value.text,
        "metadataValueType": value.value_type,
        "metadataSchemaName": ", ".join(field.schema_names) if field else None,
        "metadataSchemaField": field is not None,
        "metadataSchemaRequired": field is not None and field.is_required,
        "metadataSchemaSequence": field.sequence if field else None,
        "metadataSchemaDefaultValue": field.default if field else None,
        "metadataSchemaDependsOn": list(field.depends_on) if field else None,
        "metadataSchemaMultiFieldConflict": field is not None and field.has_conflict,
        "metadataSchemaControlledListKeys": list(field.controlled_list) if field else [],
    }
