"""/assets, /database/{id}/assets, and the archive and deletion of an asset."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.answers import (
    ItemsAnswer,
    MessageAnswer,
    OperationAnswer,
    items,
    operation,
)
from sortkey_systems.vams.assets.values import AssetChange, NewAsset, Reason
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.pages import Page, Paging
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.databases import DatabasePath
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

ASSET = "/database/{database_id}/assets/{asset_id}"
AssetPath = Annotated[str, Path(max_length=256, examples=["pump-p101"])]
ShowArchived = Annotated[bool, Query(description="Archived ones too")]


class ArchiveRequest(BaseModel):
    """Why an asset is archived. The confirmation is not needed."""

    confirmArchive: bool | None = None
    reason: Reason | None = None


class UnarchiveRequest(BaseModel):
    """The way back must be confirmed."""

    confirmUnarchive: bool = False
    reason: Reason | None = None


class DeleteRequest(BaseModel):
    """A permanent deletion must be confirmed."""

    confirmPermanentDelete: bool = False
    reason: Reason | None = None


def router(service: Vams) -> APIRouter:
    """The routes of assets."""
    made = APIRouter(route_class=Route, tags=["assets"])
    _add_lists(made, service)
    _add_asset(made, service)
    _add_archive(made, service)
    return made


def _add_lists(made: APIRouter, service: Vams) -> None:
    def answer(me: Caller, paging: Paging, **about: Any) -> dict[str, Any]:
        page = service.assets.page(me, paging, **about)
        return items(Page(service.assets.answers(page.items), page.token))

    @made.get(
        "/assets",
        summary="List assets of all databases",
        response_model=ItemsAnswer,
        responses=ERRORS,
    )
    def list_assets(me: Me, paging: Pages, showArchived: ShowArchived = False) -> Any:
        return answer(me, paging, show_archived=showArchived)

    @made.get(
        "/database/{database_id}/assets",
        summary="List assets of a database",
        response_model=ItemsAnswer,
        responses=ERRORS,
    )
    def list_assets_of_database(
        database_id: DatabasePath, me: Me, paging: Pages, showArchived: ShowArchived = False
    ) -> Any:
        return answer(me, paging, database_id=database_id, show_archived=showArchived)

    _ = list_assets, list_assets_of_database


def _add_asset(made: APIRouter, service: Vams) -> None:
    @made.post("/assets", summary="Create an asset", response_model=MessageAnswer, responses=ERRORS)
    def create_asset(wanted: NewAsset, me: Me) -> Any:
        """Without an `assetId` one is made. The asset begins with the empty version 0."""
        asset = service.assets.create(me, wanted)
        return {"assetId": asset.asset_id, "message": "Asset created successfully"}

    @made.get(ASSET, summary="Get an asset", responses=ERRORS)
    def get_asset(
        database_id: DatabasePath, asset_id: AssetPath, me: Me, showArchived: ShowArchived = False
    ) -> dict[str, Any]:
        asset = service.assets.get(me, database_id, asset_id, archived=showArchived)
        return service.assets.answers([asset])[0]

    @made.put(ASSET, summary="Change an asset", response_model=OperationAnswer, responses=ERRORS)
    def change_asset(
        database_id: DatabasePath, asset_id: AssetPath, wanted: AssetChange, me: Me
    ) -> Any:
        """What is not given stays; tags are replaced."""
        service.assets.change(me, database_id, asset_id, wanted)
        return operation("update", "Asset updated successfully", assetId=asset_id)

    _ = create_asset, get_asset, change_asset


def _add_archive(made: APIRouter, service: Vams) -> None:
    @made.delete(
        f"{ASSET}/archiveAsset",
        summary="Archive an asset",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def archive_asset(
        database_id: DatabasePath,
        asset_id: AssetPath,
        me: Me,
        wanted: ArchiveRequest | None = None,
    ) -> Any:
        """The asset leaves the lists, and its files get delete markers."""
        service.archive.archive(me, database_id, asset_id, wanted.reason if wanted else None)
        return operation("archive", "Asset archived successfully", assetId=asset_id)

    @made.put(
        f"{ASSET}/unarchiveAsset",
        summary="Bring an archived asset back",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def unarchive_asset(
        database_id: DatabasePath,
        asset_id: AssetPath,
        me: Me,
        wanted: UnarchiveRequest | None = None,
    ) -> Any:
        """Files that were archived on their own stay so."""
        if wanted is None or not wanted.confirmUnarchive:
            service.assets.get(me, database_id, asset_id, "PUT", archived=True)
            raise Invalid("confirmUnarchive must be true")
        service.archive.unarchive(me, database_id, asset_id, wanted.reason)
        return operation("unarchive", "Asset unarchived successfully", assetId=asset_id)

    @made.delete(
        f"{ASSET}/deleteAsset",
        summary="Delete an asset for good",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def delete_asset(
        database_id: DatabasePath,
        asset_id: AssetPath,
        me: Me,
        wanted: DeleteRequest | None = None,
    ) -> Any:
        """Active or archived, with its files, versions, metadata, links, comments and runs."""
        if wanted is None or not wanted.confirmPermanentDelete:
            service.assets.get(me, database_id, asset_id, "DELETE", archived=True)
            raise Invalid("confirmPermanentDelete must be true")
        service.removal.delete(me, database_id, asset_id, wanted.reason)
        return operation("delete", "Asset deleted permanently", assetId=asset_id)

    _ = archive_asset, unarchive_asset, delete_asset
