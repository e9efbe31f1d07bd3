"""Files of an asset: lists, one file, folders, primary files and previews."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from sortkey_systems.vams.answers import MessageAnswer
from sortkey_systems.vams.files.file_lists import FileQuery
from sortkey_systems.vams.routes.assets import ASSET, AssetPath
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.databases import DatabasePath
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

FilePathText = Annotated[str, Field(min_length=1, max_length=2048)]


class FilesAnswer(BaseModel):
    """A page of files."""

    items: list[dict[str, Any]]
    NextToken: str | None = None


class FileAnswer(BaseModel):
    """A file, with its versions if they were asked for."""

    model_config = ConfigDict(extra="allow")
    fileName: str
    key: str
    relativePath: str
    isFolder: bool


class FolderRequest(BaseModel):
    """A folder to create: its path ends in a slash."""

    relativeKey: FilePathText


class PrimaryFileRequest(BaseModel):
    """The type of a file within its asset. An empty one clears it."""

    filePath: FilePathText
    primaryType: Literal["", "primary", "lod1", "lod2", "lod3", "lod4", "lod5", "other"]
    primaryTypeOther: Annotated[str, Field(max_length=30)] | None = None


class FilePathRequest(BaseModel):
    """A file."""

    filePath: FilePathText


def router(service: Vams) -> APIRouter:
    """The routes of files."""
    made = APIRouter(route_class=Route, tags=["files"])
    _add_lists(made, service)
    _add_details(made, service)
    _add_previews(made, service)
    return made


def _add_lists(made: APIRouter, service: Vams) -> None:
    @made.get(
        f"{ASSET}/listFiles",
        summary="List the files of an asset",
        response_model=FilesAnswer,
        responses=ERRORS,
    )
    def list_files(
        database_id: DatabasePath,
        asset_id: AssetPath,
        me: Me,
        paging: Pages,
        prefix: Annotated[str, Query(max_length=2048)] = "",
        includeArchived: bool = False,
        basic: Annotated[bool, Query(description="Larger pages, with less of each file")] = False,
        assetVersionId: Annotated[str | None, Query(max_length=256)] = None,
    ) -> Any:
        """Previews of files are shown with their files, not among them."""
        wanted = FileQuery(prefix, includeArchived, basic, assetVersionId)
        page = service.file_lists.page(me, database_id, asset_id, wanted, paging)
        return {"items": page.items, "NextToken": page.token}

    @made.get(
        f"{ASSET}/fileInfo", summary="Get a file", response_model=FileAnswer, responses=ERRORS
    )
    def file_info(
        database_id: DatabasePath,
        asset_id: AssetPath,
        me: Me,
        filePath: Annotated[str, Query(min_length=1, max_length=2048)],
        includeVersions: bool = False,
    ) -> Any:
        """Archived files are found too. A version that is a delete marker has `isArchived`."""
        return service.file_lists.info(
            me, database_id, asset_id, filePath, with_versions=includeVersions
        )

    _ = list_files, file_info


def _add_details(made: APIRouter, service: Vams) -> None:
    @made.post(
        f"{ASSET}/createFolder",
        summary="Create a folder",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def create_folder(
        database_id: DatabasePath, asset_id: AssetPath, wanted: FolderRequest, me: Me
    ) -> Any:
        path = service.folders.create(me, database_id, asset_id, wanted.relativeKey)
        return {"message": "Folder created successfully", "relativeKey": path}

    @made.put(
        f"{ASSET}/setPrimaryFile",
        summary="Set the type of a file",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def set_primary_file(
        database_id: DatabasePath, asset_id: AssetPath, wanted: PrimaryFileRequest, me: Me
    ) -> Any:
        value = service.file_values.set_type(
            me,
            database_id,
            asset_id,
            wanted.filePath,
            wanted.primaryType,
            wanted.primaryTypeOther,
        )
        return {
            "success": True,
            "message": "Primary type set" if value else "Primary type removed",
            "filePath": wanted.filePath,
            "primaryType": value,
        }

    _ = create_folder, set_primary_file


def _add_previews(made: APIRouter, service: Vams) -> None:
    @made.delete(
        f"{ASSET}/deleteAssetPreview",
        summary="Delete the preview of an asset",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def delete_asset_preview(database_id: DatabasePath, asset_id: AssetPath, me: Me) -> Any:
        service.previews.delete(me, database_id, asset_id)
        return {"success": True, "message": "Asset preview deleted", "assetId": asset_id}

    @made.delete(
        f"{ASSET}/deleteAuxiliaryPreviewAssetFiles",
        summary="Delete what was generated from a file",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def delete_auxiliary(
        database_id: DatabasePath, asset_id: AssetPath, wanted: FilePathRequest, me: Me
    ) -> Any:
        path, count = service.previews.delete_auxiliary(me, database_id, asset_id, wanted.filePath)
        return {
            "success": True,
            "message": f"{count} auxiliary preview files deleted",
            "filePath": path,
            "deletedCount": count,
        }

    _ = delete_asset_preview, delete_auxiliary
