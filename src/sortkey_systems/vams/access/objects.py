"""The objects that permissions speak of: one class per object type, with the fields that criteria
can name. Field names are those of constraints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, Final, Literal

Verb = Literal["GET", "PUT", "POST", "DELETE"]
VERBS: Final[tuple[Verb, ...]] = ("GET", "PUT", "POST", "DELETE")
Value = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AccessObject:
    """What a permission is asked for."""

    object_type: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class ApiObject(AccessObject):
    """A route of the interface."""

    object_type = "api"
    route__path: str


@dataclass(frozen=True, slots=True)
class WebObject(AccessObject):
    """A page of the web application."""

    object_type = "web"
    route__path: str


@dataclass(frozen=True, slots=True)
class DatabaseObject(AccessObject):
    object_type = "database"
    databaseId: str


@dataclass(frozen=True, slots=True)
class AssetObject(AccessObject):
    object_type = "asset"
    databaseId: str
    assetName: str = ""
    assetType: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PipelineObject(AccessObject):
    object_type = "pipeline"
    databaseId: str
    pipelineId: str = ""
    pipelineType: str = ""
    pipelineExecutionType: str = ""


@dataclass(frozen=True, slots=True)
class WorkflowObject(AccessObject):
    object_type = "workflow"
    databaseId: str
    workflowId: str = ""


@dataclass(frozen=True, slots=True)
class MetadataSchemaObject(AccessObject):
    object_type = "metadataSchema"
    databaseId: str
    metadataSchemaName: str = ""
    metadataSchemaEntityType: str = ""


@dataclass(frozen=True, slots=True)
class TagObject(AccessObject):
    object_type = "tag"
    tagName: str


@dataclass(frozen=True, slots=True)
class TagTypeObject(AccessObject):
    object_type = "tagType"
    tagTypeName: str


@dataclass(frozen=True, slots=True)
class RoleObject(AccessObject):
    object_type = "role"
    roleName: str


@dataclass(frozen=True, slots=True)
class UserRoleObject(AccessObject):
    object_type = "userRole"
    roleName: str
    userId: str = ""


OBJECT_CLASSES: Final[Mapping[str, type[AccessObject]]] = {
    kind.object_type: kind
    for kind in (
        ApiObject,
        WebObject,
        DatabaseObject,
        AssetObject,
        PipelineObject,
        WorkflowObject,
        MetadataSchemaObject,
        TagObject,
        TagTypeObject,
        RoleObject,
        UserRoleObject,
    )
}

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    name: tuple(field.name for field in fields(kind)) for name, kind in OBJECT_CLASSES.items()
}
"""The fields that criteria can name, by object type."""
