"""The fields of a metadata form: stored values, and the fields of schemas that have none yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sortkey_systems.vams.console.json_values import Json

LAST = 1_000_000


@dataclass(frozen=True, slots=True)
class MetadataField:
    """A field of the form."""

    name: str
    kind: str = "string"
    value: str = ""
    schema: str = ""
    """The names of its schemas; empty for a value that no schema plans."""
    is_required: bool = False
    choices: tuple[str, ...] = ()
    default: str = ""
    sequence: int = LAST
    depends_on: tuple[str, ...] = ()
    has_conflict: bool = False


def fields_of(items: Iterable[Json]) -> list[MetadataField]:
    """The items of an answer in the order that the schemas say, then by name."""
    fields = [_field(item) for item in items]
    return sorted(fields, key=lambda each: (each.sequence, each.name.lower()))


def _field(item: Json) -> MetadataField:
    value = item.get("metadataValue")
    return MetadataField(
        str(item["metadataKey"]),
        str(item.get("metadataValueType") or "string").lower(),
        "" if value is None else str(value),
        schema=str(item.get("metadataSchemaName") or ""),
        is_required=bool(item.get("metadataSchemaRequired")),
        choices=_texts(item.get("metadataSchemaControlledListKeys")),
        default=str(item.get("metadataSchemaDefaultValue") or ""),
        sequence=_sequence(item.get("metadataSchemaSequence")),
        depends_on=_texts(item.get("metadataSchemaDependsOn")),
        has_conflict=bool(item.get("metadataSchemaMultiFieldConflict")),
    )


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in values or ())


def _sequence(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return LAST
