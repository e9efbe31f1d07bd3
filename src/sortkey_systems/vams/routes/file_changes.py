"""Moving, copying, archiving, deleting and reverting files. All ask for POST on the asset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel

from sortkey_systems.vams.answers import MessageAnswer
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.routes.assets import ASSET, AssetPath
from sortkey_systems.vams.routes.callers import Me
from sortkey_systems.vams.routes.databases import DatabasePath
from sortkey_systems.vams.routes.error_shape import Route, errors_for
from sortkey_systems.vams.routes.files import FilePathRequest, FilePathText
from sortkey_systems.vams.service import Vams

ERRORS = errors_for(404, 410)
VersionPath = Annotated[str, Path(max_length=1024)]


class MoveRequest(BaseModel):
    """From where to where."""

    sourcePath: FilePathText
    destinationPath: FilePathText


class CopyRequest(MoveRequest):
    """Perhaps into another asset."""

    destinationAssetId: str | None = None
    destinationDatabaseId: str | None = None


class PrefixRequest(FilePathRequest):
    """A file, or with `isPrefix` all whose paths begin so."""

    isPrefix: bool = False


class FileDeleteRequest(PrefixRequest):
    """A permanent deletion must be confirmed."""

    confirmPermanentDelete: bool = False


def router(service: Vams) -> APIRouter:
    """The routes that change files."""
    made = APIRouter(route_class=Route, tags=["files"])
    _add_copies(made, service)
    _add_archive(made, service)
    return made


def _done(message: str, paths: Sequence[str]) -> dict[str, Any]:
    return {"success": True, "message": message, "affectedFiles": list(paths)}


def _add_copies(made: APIRouter, service: Vams) -> None:
    @made.post(
        f"{ASSET}/moveFile", summary="Move a file", response_model=MessageAnswer, responses=ERRORS
    )
    def move_file(
        database_id: DatabasePath, asset_id: AssetPath, wanted: MoveRequest, me: Me
    ) -> Any:
        """Metadata, attributes and previews follow. A folder is moved with all in it."""
        paths = service.file_copies.move(
            me, database_id, asset_id, wanted.sourcePath, wanted.destinationPath
        )
        return _done("File moved successfully", paths)

    @made.post(
        f"{ASSET}/copyFile", summary="Copy a file", response_model=MessageAnswer, responses=ERRORS
    )
    def copy_file(
        database_id: DatabasePath, asset_id: AssetPath, wanted: CopyRequest, me: Me
    ) -> Any:
        """Perhaps into another asset, also of another database."""
        paths = service.file_copies.copy(
            me,
            database_id,
            asset_id,
            wanted.sourcePath,
            wanted.destinationPath,
            target_database_id=wanted.destinationDatabaseId,
            target_asset_id=wanted.destinationAssetId,
        )
        return _done("File copied successfully", paths)

    @made.post(
        f"{ASSET}/revertFileVersion/{{version_id}}",
        summary="Revert a file to a version",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def revert_file(
        database_id: DatabasePath,
        asset_id: AssetPath,
        version_id: VersionPath,
        wanted: FilePathRequest,
        me: Me,
    ) -> Any:
        """A copy of the version becomes the newest one."""
        values = service.file_copies.revert(me, database_id, asset_id, wanted.filePath, version_id)
        return {"success": True, "message": "File reverted successfully", **values}

    _ = move_file, copy_file, revert_file


def _add_archive(made: APIRouter, service: Vams) -> None:
    @made.delete(
        f"{ASSET}/archiveFile",
        summary="Archive a file",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def archive_file(
        database_id: DatabasePath, asset_id: AssetPath, wanted: PrefixRequest, me: Me
    ) -> Any:
        paths = service.file_archive.archive(
            me, database_id, asset_id, wanted.filePath, is_prefix=wanted.isPrefix
        )
        return _done("File archived successfully", paths)

    @made.post(
        f"{ASSET}/unarchiveFile",
        summary="Bring an archived file back",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def unarchive_file(
        database_id: DatabasePath, asset_id: AssetPath, wanted: FilePathRequest, me: Me
    ) -> Any:
        paths = service.file_archive.unarchive(me, database_id, asset_id, wanted.filePath)
        return _done("File unarchived successfully", paths)

    @made.delete(
        f"{ASSET}/deleteFile",
        summary="Delete a file for good",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def delete_file(
        database_id: DatabasePath, asset_id: AssetPath, wanted: FileDeleteRequest, me: Me
    ) -> Any:
        """With all of its versions, previews and metadata."""
        if not wanted.confirmPermanentDelete:
            service.assets.get(me, database_id, asset_id, "POST")
            raise Invalid("confirmPermanentDelete must be true")
        paths = service.file_archive.delete(
            me, database_id, asset_id, wanted.filePath, is_prefix=wanted.isPrefix
        )
        return _done("File deleted permanently", paths)

    _ = archive_file, unarchive_file, delete_file
