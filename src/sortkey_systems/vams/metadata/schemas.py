"""`Schemas`: which metadata is expected, per database or GLOBAL, and the seeds of an installation.

An update asks for POST, as clients of this interface expect.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from sortkey import attr
from sortkey.errors import ConditionFailed, KeyValueError
from sortkey_systems.vams.access.callers import SYSTEM_USER, Caller
from sortkey_systems.vams.access.objects import MetadataSchemaObject
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.metadata.owners import GLOBAL, EntityType
from sortkey_systems.vams.metadata.schema_values import (
    ENTITY_TYPES,
    NewSchema,
    SchemaChange,
    problem_of_schema,
)
from sortkey_systems.vams.model import AuthEntity, MetadataSchema, SchemaField

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

_MARK = AuthEntity.key(entity_type="installation", sk="schemas")
_NAMESPACE = uuid.UUID("6f9f1a54-5b1e-4c52-9a55-2f3f1f0b7d11")
SEEDS: tuple[tuple[str, EntityType, dict[str, str], str | None], ...] = (
    (
        "defaultAssetLinks",
        "assetLinkMetadata",
        {"Translation": "xyz", "Rotation": "wxyz", "Scale": "xyz", "Matrix": "matrix4x4"},
        None,
    ),
    ("defaultDatabase", "databaseMetadata", {"Location": "lla"}, None),
    ("defaultAsset", "assetMetadata", {"Location": "lla"}, None),
    (
        "defaultAssetFile3dModel",
        "fileMetadata",
        {"Polygon_Count": "string"},
        ".glb,.usd,.obj,.fbx,.gltf,.stl,.usdz",
    ),
)
"""Name, entity type, fields with their types, and extensions: for all databases."""


class Schemas:
    """The schemas of an installation."""

    def __init__(self, service: Vams) -> None:
        self._service = service
        self._store, self._access = service.store, service.access

    def ensure_seeds(self) -> None:
        """Write the schemas of a new installation, once: what is deleted later stays deleted."""
        if self._store.find(_MARK, consistent=True) is not None:
            return
        self._store.batch_write([*_seeds()])
        self._store.put(AuthEntity(entity_type="installation", sk="schemas"))

    # -- reads

    def all(
        self, caller: Caller, database_id: str | None = None, entity_type: str | None = None
    ) -> list[MetadataSchema]:
        """The schemas that the caller may see, of a database and an entity type if given."""
        is_visible = self._access.filter(caller)
        found = self._of(database_id, entity_type)
        return [schema for schema in found if is_visible(schema_object(schema))]

    def get(self, caller: Caller, database_id: str, schema_id: str) -> MetadataSchema:
        """A schema of a database. Raises NotThere and Denied."""
        found = self._find(schema_id)
        if found.database_id != database_id:
            raise NotThere("Metadata schema not found")
        self._access.require(caller, "GET", schema_object(found))
        return found

    # -- writes

    def create(self, caller: Caller, wanted: NewSchema) -> MetadataSchema:
        """A new schema, of a database or GLOBAL."""
        now = now_text()
        schema = MetadataSchema(
            metadata_schema_id=str(uuid.uuid4()),
            database_id=wanted.databaseId,
            metadata_entity_type=wanted.metadataSchemaEntityType,
            fields=tuple(field.stored() for field in wanted.fields.fields),
            schema_name=wanted.schemaName,
            file_key_type_restriction=wanted.fileKeyTypeRestriction or None,
            enabled=wanted.enabled,
            date_created=now,
            date_modified=now,
            created_by=caller.user_id,
            modified_by=caller.user_id,
        )
        self._access.require(caller, "POST", schema_object(schema))
        if wanted.databaseId != GLOBAL and not self._service.databases.find(wanted.databaseId):
            raise NotThere("Database not found")
        _check(schema)
        self._store.create(schema)
        self._record(caller, "create", schema)
        return schema

    def change(self, caller: Caller, wanted: SchemaChange) -> MetadataSchema:
        """Change a schema. What is not given stays."""
        schema = self._find(wanted.metadataSchemaId)
        self._access.require(caller, "POST", schema_object(schema))
        fields = wanted.fields and tuple(field.stored() for field in wanted.fields.fields)
        given = {"schema_name": wanted.schemaName, "fields": fields, "enabled": wanted.enabled}
        changes: dict[str, Any] = {
            name: value for name, value in given.items() if value is not None
        }
        if wanted.fileKeyTypeRestriction is not None:
            changes["file_key_type_restriction"] = wanted.fileKeyTypeRestriction or None
        if not changes:
            raise Invalid("nothing to change: give schemaName, fields, enabled or extensions")
        stamp = {"date_modified": now_text(), "modified_by": caller.user_id}
        changed = schema.changed(**changes, **stamp)
        self._access.require(caller, "POST", schema_object(changed))
        _check(changed)
        try:
            self._store.put(changed, when=attr(MetadataSchema.metadata_schema_id).exists())
        except ConditionFailed:
            raise NotThere("Metadata schema not found") from None
        self._record(caller, "update", changed)
        return changed

    def delete(self, caller: Caller, database_id: str, schema_id: str) -> None:
        """Delete a schema. Values that followed it stay."""
        found = self._find(schema_id)
        if found.database_id != database_id:
            raise NotThere("Metadata schema not found")
        self._access.require(caller, "DELETE", schema_object(found))
        self._store.delete(found)
        self._record(caller, "delete", found)

    # --

    def _find(self, schema_id: str) -> MetadataSchema:
        try:
            query = MetadataSchema.by_id(metadata_schema_id=schema_id).consistent()
            found = self._store.first(query)
        except KeyValueError:  # an id that no schema can have
            found = None
        if found is None:
            raise NotThere("Metadata schema not found")
        return found

    def _of(self, database_id: str | None, entity_type: str | None) -> list[MetadataSchema]:
        kind = entity_type and ENTITY_TYPES.get(entity_type.lower())
        if entity_type and not kind:
            raise Invalid(f"metadataEntityType must be one of {', '.join(ENTITY_TYPES.values())}")
        if database_id and kind:
            query = MetadataSchema.of_entity_type_in_database(
                database_id=database_id, metadata_entity_type=kind
            )
        elif database_id:
            query = MetadataSchema.of_database(database_id=database_id)
        elif kind:
            query = MetadataSchema.of_entity_type(metadata_entity_type=kind)
        else:
            return self._store.scan(MetadataSchema)
        return self._store.query(query)

    def _record(self, caller: Caller, action: str, schema: MetadataSchema) -> None:
        subject = f"metadataSchema/{schema.database_id}/{schema.metadata_schema_id}"
        self._service.audit.record("ACTIONS", caller, f"schema.{action}", subject)


def schema_object(schema: MetadataSchema) -> MetadataSchemaObject:
    """What permissions say of a schema."""
    name = schema.schema_name or schema.metadata_schema_id
    return MetadataSchemaObject(schema.database_id, name, schema.metadata_entity_type)


def _check(schema: MetadataSchema) -> None:
    problem = problem_of_schema(schema)
    if problem is not None:
        raise Invalid(problem)


def _seeds() -> list[MetadataSchema]:
    """Their ids follow from their names, so that seeds written twice are written once."""
    now = now_text()
    return [
        MetadataSchema(
            metadata_schema_id=str(uuid.uuid5(_NAMESPACE, name)),
            database_id=GLOBAL,
            metadata_entity_type=entity_type,
            fields=tuple(
                SchemaField(
                    metadata_key=key,
                    metadata_value_type=value_type,
                    required=False,
                    sequence=number,
                )
                for number, (key, value_type) in enumerate(fields.items())
            ),
            schema_name=name,
            file_key_type_restriction=extensions,
            enabled=True,
            date_created=now,
            date_modified=now,
            created_by=SYSTEM_USER,
            modified_by=SYSTEM_USER,
        )
        for name, entity_type, fields, extensions in SEEDS
    ]
