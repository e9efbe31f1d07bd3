"""Metadata of databases, assets, links and files, and attributes of files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel, ConfigDict, Field, field_validator

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.objects import Verb
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.metadata.entries import entries_of, position_of
from sortkey_systems.vams.metadata.owners import FileKind, FileOwner, Owner
from sortkey_systems.vams.metadata.values import VALUES_MAX, MetadataItem
from sortkey_systems.vams.pages import Paging, page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

DatabasePath = Annotated[str, Path(max_length=256, examples=["plant-rotterdam"])]
AssetPath = Annotated[str, Path(max_length=256, examples=["pump-p101"])]
LinkPath = Annotated[str, Path(max_length=256, examples=["link-1"])]
FilePath = Annotated[str, Field(max_length=1024, examples=["/model/p101.glb"])]
FileQuery = Annotated[str, Query(max_length=1024, examples=["/model/p101.glb"])]
AssetVersion = Annotated[
    str | None, Query(max_length=256, description="The values as they were in this version")
]
OF_ASSET = "/database/{database_id}/assets/{asset_id}"
Find = Callable[[Caller, Sequence[Verb]], Owner]
REPLACE_VERBS: Sequence[Verb] = ("PUT", "POST", "DELETE")


class NewValues(BaseModel):
    """Values to store."""

    metadata: Annotated[list[MetadataItem], Field(min_length=1, max_length=VALUES_MAX)]


class ChangedValues(NewValues):
    """Values to store; with replace_all, all others are deleted."""

    updateType: Literal["update", "replace_all"] = "update"

    @field_validator("updateType", mode="before")
    @classmethod
    def _in_lower_case(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value

    @property
    def is_replacement(self) -> bool:
        return self.updateType == "replace_all"

    @property
    def verbs(self) -> Sequence[Verb]:
        return REPLACE_VERBS if self.is_replacement else ("PUT",)


class DeletedValues(BaseModel):
    """Keys to delete."""

    metadataKeys: Annotated[
        list[Annotated[str, Field(max_length=256)]], Field(min_length=1, max_length=VALUES_MAX)
    ]


class OfFile(BaseModel):
    """Which file, and whether its metadata or its attributes."""

    filePath: FilePath
    type: FileKind = "metadata"


class NewFileValues(NewValues, OfFile):
    """Values of a file to store."""


class ChangedFileValues(ChangedValues, OfFile):
    """Values of a file to store."""


class DeletedFileValues(DeletedValues, OfFile):
    """Keys of a file to delete."""


class MetadataAnswer(BaseModel):
    """A page of values, with what schemas say of their fields."""

    model_config = ConfigDict(extra="allow")
    metadata: list[dict[str, Any]]
    restrictMetadataOutsideSchemas: bool
    NextToken: str | None = None
    message: str = "Success"


class WriteAnswer(BaseModel):
    """What a write did, key by key."""

    success: bool
    totalItems: int
    successCount: int
    failureCount: int
    successfulItems: list[str]
    failedItems: list[dict[str, str]]
    message: str
    timestamp: str


def router(service: Vams) -> APIRouter:
    """The routes of metadata."""
    made = APIRouter(route_class=Route, tags=["metadata"])
    owners = service.metadata.owners

    def of_database(database_id: DatabasePath) -> Find:
        return lambda me, verbs: owners.database(me, database_id, verbs)

    def of_asset(database_id: DatabasePath, asset_id: AssetPath) -> Find:
        return lambda me, verbs: owners.asset(me, database_id, asset_id, verbs)

    def of_link(asset_link_id: LinkPath) -> Find:
        return lambda me, verbs: owners.link(me, asset_link_id, verbs)

    for path, what, find in (
        ("/database/{database_id}/metadata", "a database", of_database),
        (f"{OF_ASSET}/metadata", "an asset", of_asset),
        ("/asset-links/{asset_link_id}/metadata", "a link", of_link),
    ):
        _add_read(made, service, path, what, find)
        _add_writes(made, service, path, what, find)
    _add_file_read(made, service)
    _add_file_writes(made, service)
    return made


def _add_read(
    made: APIRouter, service: Vams, path: str, what: str, finder: Callable[..., Find]
) -> None:
    found = Depends(finder)

    @made.get(path, summary=f"Metadata of {what}", response_model=MetadataAnswer, responses=ERRORS)
    def read(me: Me, paging: Pages, assetVersionId: AssetVersion = None, find: Find = found) -> Any:
        return _listed(service, find(me, ("GET",)), paging, assetVersionId)

    _ = read


def _add_writes(
    made: APIRouter, service: Vams, path: str, what: str, finder: Callable[..., Find]
) -> None:
    found, metadata = Depends(finder), service.metadata
    options: dict[str, Any] = {"response_model": WriteAnswer, "responses": ERRORS}

    @made.post(path, summary=f"Add metadata to {what}", **options)
    def add(wanted: NewValues, me: Me, find: Find = found) -> Any:
        """A key that exists gets the given value."""
        return _written(metadata.write(me, find(me, ("POST",)), wanted.metadata))

    @made.put(path, summary=f"Change metadata of {what}", **options)
    def change(wanted: ChangedValues, me: Me, find: Find = found) -> Any:
        """With replace_all, all other values are deleted."""
        owner = find(me, wanted.verbs)
        keys = metadata.write(me, owner, wanted.metadata, replace=wanted.is_replacement)
        return _written(keys)

    @made.delete(path, summary=f"Delete metadata of {what}", **options)
    def delete(wanted: DeletedValues, me: Me, find: Find = found) -> Any:
        return _deleted(service, me, find(me, ("DELETE",)), wanted.metadataKeys)

    _ = add, change, delete


def _add_file_read(made: APIRouter, service: Vams) -> None:
    @made.get(
        f"{OF_ASSET}/metadata/file",
        summary="Metadata or attributes of a file",
        response_model=MetadataAnswer,
        responses=ERRORS,
    )
    def read_of_file(
        database_id: DatabasePath,
        asset_id: AssetPath,
        filePath: FileQuery,
        me: Me,
        paging: Pages,
        type: Annotated[FileKind, Query()] = "metadata",
        assetVersionId: AssetVersion = None,
    ) -> Any:
        owner = service.metadata.owners.file(me, database_id, asset_id, filePath, type)
        answer = _listed(service, owner, paging, assetVersionId)
        return {**answer, "filePath": owner.path}

    _ = read_of_file


def _add_file_writes(made: APIRouter, service: Vams) -> None:
    path, metadata = f"{OF_ASSET}/metadata/file", service.metadata
    options: dict[str, Any] = {"response_model": WriteAnswer, "responses": ERRORS}

    def owner_of(
        me: Caller, ids: tuple[str, str], wanted: OfFile, verbs: Sequence[Verb]
    ) -> FileOwner:
        return metadata.owners.file(me, *ids, wanted.filePath, wanted.type, verbs)

    @made.post(path, summary="Add metadata or attributes to a file", **options)
    def add_to_file(
        database_id: DatabasePath, asset_id: AssetPath, wanted: NewFileValues, me: Me
    ) -> Any:
        """The file must exist. A key that exists gets the given value."""
        owner = owner_of(me, (database_id, asset_id), wanted, ("POST",))
        return _written(metadata.write(me, owner, wanted.metadata))

    @made.put(path, summary="Change metadata or attributes of a file", **options)
    def change_of_file(
        database_id: DatabasePath, asset_id: AssetPath, wanted: ChangedFileValues, me: Me
    ) -> Any:
        """The file must exist. With replace_all, all other values are deleted."""
        owner = owner_of(me, (database_id, asset_id), wanted, wanted.verbs)
        keys = metadata.write(me, owner, wanted.metadata, replace=wanted.is_replacement)
        return _written(keys)

    @made.delete(path, summary="Delete metadata or attributes of a file", **options)
    def delete_of_file(
        database_id: DatabasePath, asset_id: AssetPath, wanted: DeletedFileValues, me: Me
    ) -> Any:
        owner = owner_of(me, (database_id, asset_id), wanted, ("DELETE",))
        return _deleted(service, me, owner, wanted.metadataKeys)

    _ = add_to_file, change_of_file, delete_of_file


def _listed(service: Vams, owner: Owner, paging: Paging, version_id: str | None) -> dict[str, Any]:
    metadata = service.metadata
    expected = metadata.expected(owner)
    if version_id is not None and isinstance(owner, FileOwner):
        values = metadata.in_version(owner, version_id)
        rows = entries_of(owner, values, expected, with_missing=False)
    else:
        rows = entries_of(owner, metadata.values(owner), expected)
    page = page_of_list(
        f"metadata of {owner.name}",
        rows,
        paging,
        position=lambda row: position_of(expected, row["metadataKey"]),
    )
    return {
        "metadata": page.items,
        "restrictMetadataOutsideSchemas": bool(expected) and metadata.is_restricted(owner),
        "NextToken": page.token,
        "message": "Success",
    }


def _written(keys: Sequence[str]) -> dict[str, Any]:
    return _answer(keys, [], f"Stored {len(keys)} of {len(keys)} metadata items")


def _deleted(service: Vams, me: Caller, owner: Owner, keys: Sequence[str]) -> dict[str, Any]:
    outcome = service.metadata.delete(me, owner, keys)
    failed = [{"key": key, "error": "not found"} for key in outcome.missing]
    total = len(outcome.deleted) + len(failed)
    message = f"Deleted {len(outcome.deleted)} of {total} metadata items"
    return _answer(outcome.deleted, failed, message)


def _answer(done: Sequence[str], failed: Sequence[dict[str, str]], message: str) -> dict[str, Any]:
    return {
        "success": bool(done),
        "totalItems": len(done) + len(failed),
        "successCount": len(done),
        "failureCount": len(failed),
        "successfulItems": list(done),
        "failedItems": list(failed),
        "message": message,
        "timestamp": now_text(),
    }
