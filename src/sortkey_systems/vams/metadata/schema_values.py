"""Schemas as clients write and read them, and what a schema must be like."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, cast, get_args

from pydantic import BaseModel, Field, field_validator, model_validator

from sortkey_systems.vams.metadata.expectations import listed_extensions
from sortkey_systems.vams.metadata.owners import EntityType
from sortkey_systems.vams.metadata.value_types import (
    CONTROLLED_LIST,
    STRING,
    VALUE_TYPES,
    problem_of,
)
from sortkey_systems.vams.metadata.values import VALUE_CHARACTERS_MAX, VALUES_MAX, MetadataKey
from sortkey_systems.vams.model import MetadataSchema, SchemaField

LIST_MAX = 1000
ENTITY_TYPES: Final[Mapping[str, str]] = {name.lower(): name for name in get_args(EntityType)}
OF_FILES = ("fileMetadata", "fileAttribute")
_EXTENSION = re.compile(r"\.[^./\\\s]+")

Keys = Annotated[list[MetadataKey], Field(max_length=VALUES_MAX)]
ListKey = Annotated[str, Field(min_length=1, max_length=256)]
Name = Annotated[str, Field(pattern=r"^[\w\-. ]+$", min_length=1, max_length=256)]
Restriction = Annotated[str, Field(max_length=1024)]


class FieldValues(BaseModel):
    """A field of a schema."""

    metadataFieldKeyName: MetadataKey
    metadataFieldValueType: str = STRING
    required: bool = False
    sequence: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    dependsOnFieldKeyName: Keys | None = None
    controlledListKeys: Annotated[list[ListKey], Field(max_length=LIST_MAX)] | None = None
    defaultMetadataFieldValue: Annotated[str, Field(max_length=VALUE_CHARACTERS_MAX)] | None = None

    @field_validator("metadataFieldValueType")
    @classmethod
    def _known(cls, value: str) -> str:
        if value.lower() not in VALUE_TYPES:
            raise ValueError(f"use one of {', '.join(VALUE_TYPES)}")
        return value.lower()

    @field_validator("dependsOnFieldKeyName", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) and value else value or None

    @model_validator(mode="after")
    def _consistent(self) -> FieldValues:
        keys, default = self.controlledListKeys or [], self.defaultMetadataFieldValue
        if bool(keys) != (self.metadataFieldValueType == CONTROLLED_LIST):
            raise ValueError(f"controlledListKeys are for {CONTROLLED_LIST}, which needs them")
        problem = problem_of(default or "", self.metadataFieldValueType)
        if problem is not None:
            raise ValueError(f"defaultMetadataFieldValue {problem}")
        if keys and default and default not in keys:
            raise ValueError("defaultMetadataFieldValue must be one of controlledListKeys")
        return self

    def stored(self) -> SchemaField:
        """The field as it is stored."""
        return SchemaField(
            metadata_key=self.metadataFieldKeyName,
            metadata_value_type=self.metadataFieldValueType,
            required=self.required,
            sequence=self.sequence,
            depends_on_field_key_name=tuple(self.dependsOnFieldKeyName or ()) or None,
            controlled_list_keys=tuple(self.controlledListKeys or ()) or None,
            default_metadata_field_value=self.defaultMetadataFieldValue,
        )


class FieldList(BaseModel):
    """The fields of a schema."""

    fields: Annotated[list[FieldValues], Field(min_length=1, max_length=VALUES_MAX)]

    @model_validator(mode="after")
    def _consistent(self) -> FieldList:
        names = [field.metadataFieldKeyName for field in self.fields]
        if len(set(names)) < len(names):
            raise ValueError("two fields have the same metadataFieldKeyName")
        if circle := _circle(self.fields):
            raise ValueError(f"fields depend on each other: {', '.join(circle)}")
        return self


class SchemaChange(BaseModel):
    """What changes of a schema. What is not given stays."""

    metadataSchemaId: Annotated[str, Field(min_length=3, max_length=63, pattern="^[^:#]+$")]
    schemaName: Name | None = None
    fileKeyTypeRestriction: Restriction | None = None
    fields: FieldList | None = None
    enabled: bool | None = None

    @field_validator("fields", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return _field_list(value)


class NewSchema(BaseModel):
    """A schema."""

    databaseId: Annotated[str, Field(min_length=4, max_length=63, pattern=r"^[A-Za-z0-9_-]+$")]
    metadataSchemaEntityType: EntityType
    schemaName: Name
    fields: FieldList
    fileKeyTypeRestriction: Restriction | None = None
    enabled: bool = True

    @field_validator("metadataSchemaEntityType", mode="before")
    @classmethod
    def _in_any_case(cls, value: Any) -> Any:
        return ENTITY_TYPES.get(value.lower(), value) if isinstance(value, str) else value

    @field_validator("fields", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return _field_list(value)


def _field_list(value: Any) -> Any:
    """A bare list of fields as the object that clients send."""
    return {"fields": cast("list[Any]", value)} if isinstance(value, list) else value


def problem_of_schema(schema: MetadataSchema) -> str | None:
    """Why a schema does not suit its entity type; None if it does."""
    kind, restriction = schema.metadata_entity_type, schema.file_key_type_restriction
    if restriction and kind not in OF_FILES:
        return f"fileKeyTypeRestriction is for {' and '.join(OF_FILES)}"
    if any(not _EXTENSION.fullmatch(each) for each in listed_extensions(restriction or "")):
        return 'write fileKeyTypeRestriction as ".glb,.obj", or ".all" for any file'
    types = {field.metadata_value_type for field in schema.fields}
    if kind == "fileAttribute" and types - {STRING}:
        return "fields of a fileAttribute schema are of the type string"
    return None


def schema_answer(schema: MetadataSchema) -> dict[str, Any]:
    """A schema as lists show it."""
    return {
        "metadataSchemaId": schema.metadata_schema_id,
        "databaseId": schema.database_id,
        "metadataSchemaEntityType": schema.metadata_entity_type,
        "schemaName": schema.schema_name or schema.metadata_schema_id,
        "fileKeyTypeRestriction": schema.file_key_type_restriction,
        "fields": {"fields": [_field_answer(field) for field in schema.fields]},
        "enabled": schema.enabled is not False,
        "dateCreated": schema.date_created or "",
        "dateModified": schema.date_modified or "",
        "createdBy": schema.created_by or "",
        "modifiedBy": schema.modified_by or "",
    }


def _field_answer(field: SchemaField) -> dict[str, Any]:
    return {
        "metadataFieldKeyName": field.metadata_key,
        "metadataFieldValueType": field.metadata_value_type,
        "required": bool(field.required),
        "sequence": field.sequence,
        "dependsOnFieldKeyName": list(field.depends_on_field_key_name or ()),
        "controlledListKeys": list(field.controlled_list_keys or ()),
        "defaultMetadataFieldValue": field.default_metadata_field_value,
    }


def _circle(fields: Sequence[FieldValues]) -> list[str]:
    """Fields that depend on each other, so that none of them could ever get a value."""
    left = {field.metadataFieldKeyName: set(field.dependsOnFieldKeyName or ()) for field in fields}
    while free := [name for name, needed in left.items() if not needed & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)
