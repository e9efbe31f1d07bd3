"""What the schemas of a database and of all databases together expect of one entity.

Two schemas can differ on a field. Then nothing is expected of it but that it may be there, and it
is marked as a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sortkey_systems.vams.metadata.value_types import STRING
from sortkey_systems.vams.model import MetadataSchema, SchemaField

ANY_EXTENSION = ".all"


@dataclass(frozen=True, slots=True)
class Expected:
    """A field that at least one schema names."""

    key: str
    value_type: str
    schema_names: tuple[str, ...]
    is_required: bool = False
    sequence: int | None = None
    depends_on: tuple[str, ...] = ()
    controlled_list: tuple[str, ...] = ()
    default: str | None = None
    has_conflict: bool = False


Expectations = Mapping[str, Expected]


def expectations_of(
    schemas: Iterable[MetadataSchema], file_path: str | None = None
) -> dict[str, Expected]:
    """The fields of those schemas that are enabled and, for a file, made for its extension."""
    merged: dict[str, Expected] = {}
    for schema in schemas:
        if not _applies(schema, file_path):
            continue
        for field in schema.fields:
            known, wanted = merged.get(field.metadata_key), _expected(schema, field)
            merged[wanted.key] = wanted if known is None else _joined(known, wanted)
    return merged


def extension_of(file_path: str) -> str:
    """The extension of a file in lower case, as ".glb"; empty without one."""
    _, dot, extension = file_path.rpartition("/")[2].rpartition(".")
    return f".{extension.lower()}" if dot else ""


def listed_extensions(text: str) -> list[str]:
    """The extensions of ".glb, .OBJ" as [".glb", ".obj"]."""
    return [each.strip().lower() for each in text.split(",") if each.strip()]


def place_of(field: Expected) -> tuple[bool, int]:
    """Sorts fields by their sequence, those without one last."""
    return field.sequence is None, field.sequence or 0


def _applies(schema: MetadataSchema, file_path: str | None) -> bool:
    if schema.enabled is False:
        return False
    extensions = listed_extensions(schema.file_key_type_restriction or "")
    if file_path is None or not extensions or ANY_EXTENSION in extensions:
        return True
    return extension_of(file_path) in extensions


def _expected(schema: MetadataSchema, field: SchemaField) -> Expected:
    name = schema.schema_name or schema.metadata_schema_id
    return Expected(
        key=field.metadata_key,
        value_type=field.metadata_value_type.lower(),
        schema_names=(f"{name} ({schema.database_id})",),
        is_required=bool(field.required),
        sequence=field.sequence,
        depends_on=field.depends_on_field_key_name or (),
        controlled_list=field.controlled_list_keys or (),
        default=field.default_metadata_field_value,
    )


def _joined(known: Expected, other: Expected) -> Expected:
    names = (*known.schema_names, *other.schema_names)
    alike = replace(other, schema_names=known.schema_names, sequence=known.sequence)
    if known.has_conflict or alike != known:
        return Expected(known.key, STRING, names, has_conflict=True)
    places = [each for each in (known.sequence, other.sequence) if each is not None]
    return replace(known, schema_names=names, sequence=min(places, default=None))
