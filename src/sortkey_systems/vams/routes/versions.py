"""Versions of an asset: create, list, read, compare, revert, change and archive."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel

from sortkey_systems.vams.answers import OperationAnswer
from sortkey_systems.vams.routes.assets import ASSET, AssetPath, ShowArchived
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.databases import DatabasePath
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams
from sortkey_systems.vams.versions.answers import (
    changed_answer,
    comparison_answer,
    created_answer,
    details_answer,
    listed_answer,
)
from sortkey_systems.vams.versions.values import (
    ArchiveChoice,
    RevertValues,
    VersionChange,
    VersionValues,
)

VersionPath = Annotated[str, Path(max_length=64, examples=["3"])]


class VersionsAnswer(BaseModel):
    """A page of versions, newest first."""

    versions: list[dict[str, Any]]
    NextToken: str | None = None


def router(service: Vams) -> APIRouter:
    """The routes of versions."""
    made = APIRouter(route_class=Route, tags=["versions"])
    _add_reads(made, service)
    _add_creation(made, service)
    _add_changes(made, service)
    return made


def _add_reads(made: APIRouter, service: Vams) -> None:
    @made.get(
        f"{ASSET}/getVersions",
        summary="List versions of an asset",
        response_model=VersionsAnswer,
        responses=ERRORS,
    )
    def list_versions(
        database_id: DatabasePath,
        asset_id: AssetPath,
        me: Me,
        paging: Pages,
        showArchived: ShowArchived = False,
    ) -> Any:
        """Newest first, by number."""
        page = service.versions.page(me, database_id, asset_id, paging, show_archived=showArchived)
        return {"versions": [listed_answer(each) for each in page.items], "NextToken": page.token}

    @made.get(f"{ASSET}/getVersion/{{version}}", summary="Get a version", responses=ERRORS)
    def get_version(
        database_id: DatabasePath, asset_id: AssetPath, version: VersionPath, me: Me
    ) -> dict[str, Any]:
        """A version by its id or alias, with its files and metadata."""
        return details_answer(service.versions.get(me, database_id, asset_id, version))

    @made.get(
        f"{ASSET}/compareVersions/{{version}}/{{other}}",
        summary="Compare two versions",
        responses=ERRORS,
    )
    def compare_versions(
        database_id: DatabasePath,
        asset_id: AssetPath,
        version: VersionPath,
        other: VersionPath,
        me: Me,
    ) -> dict[str, Any]:
        """Files by their bytes and metadata by their values, from one version to the other."""
        found = service.versions.compare(me, database_id, asset_id, version, other)
        return comparison_answer(found)

    _ = list_versions, get_version, compare_versions


def _add_creation(made: APIRouter, service: Vams) -> None:
    @made.post(
        f"{ASSET}/createVersion",
        summary="Create a version",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def create_version(
        database_id: DatabasePath, asset_id: AssetPath, wanted: VersionValues, me: Me
    ) -> Any:
        """Of the latest files, or of the object versions in `files`. No bytes are copied."""
        created = service.versions.create(me, database_id, asset_id, wanted)
        message = f"Version {created.version.asset_version_id} created successfully"
        return created_answer("create", message, created)

    @made.post(
        f"{ASSET}/revertAssetVersion/{{version}}",
        summary="Revert to a version",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def revert_version(
        database_id: DatabasePath,
        asset_id: AssetPath,
        version: VersionPath,
        me: Me,
        wanted: RevertValues | None = None,
    ) -> Any:
        """Makes a new version. Files that the version does not have stay."""
        how = wanted or RevertValues()
        created = service.versions.revert(me, database_id, asset_id, version, how)
        message = f"Reverted to version {version} as version {created.version.asset_version_id}"
        return created_answer("revert", message, created)

    _ = create_version, revert_version


def _add_changes(made: APIRouter, service: Vams) -> None:
    path = f"{ASSET}/assetversions/{{version}}"

    @made.put(path, summary="Change a version", response_model=OperationAnswer, responses=ERRORS)
    def change_version(
        database_id: DatabasePath,
        asset_id: AssetPath,
        version: VersionPath,
        wanted: VersionChange,
        me: Me,
    ) -> Any:
        """Comment and alias. What is not given stays; an empty alias is removed."""
        changed = service.versions.change(me, database_id, asset_id, version, wanted)
        return changed_answer("update", "Version updated successfully", changed)

    @made.post(
        f"{path}/archive",
        summary="Archive a version",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def archive_version(
        database_id: DatabasePath,
        asset_id: AssetPath,
        version: VersionPath,
        me: Me,
        wanted: ArchiveChoice | None = None,
    ) -> Any:
        """The current version can only be archived `withAsset`."""
        with_asset = bool(wanted and wanted.withAsset)
        ids = database_id, asset_id, version
        changed = service.versions.archive(me, *ids, with_asset=with_asset)
        return changed_answer("archive", "Version archived successfully", changed)

    @made.post(
        f"{path}/unarchive",
        summary="Unarchive a version",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def unarchive_version(
        database_id: DatabasePath,
        asset_id: AssetPath,
        version: VersionPath,
        me: Me,
        wanted: ArchiveChoice | None = None,
    ) -> Any:
        """With `withAsset` the asset is unarchived first."""
        with_asset = bool(wanted and wanted.withAsset)
        ids = database_id, asset_id, version
        changed = service.versions.unarchive(me, *ids, with_asset=with_asset)
        return changed_answer("unarchive", "Version unarchived successfully", changed)

    _ = change_version, archive_version, unarchive_version
