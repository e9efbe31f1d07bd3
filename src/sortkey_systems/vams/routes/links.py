"""/asset-links, and the links of an asset."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from sortkey_systems.vams.answers import MessageAnswer
from sortkey_systems.vams.links.answers import link_answer, view_answer
from sortkey_systems.vams.links.values import LinkChange, LinkValues
from sortkey_systems.vams.routes.assets import ASSET, AssetPath
from sortkey_systems.vams.routes.callers import Me
from sortkey_systems.vams.routes.databases import DatabasePath
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

LinkPath = Annotated[str, Path(max_length=256, examples=["link-1"])]
AsTree = Annotated[bool, Query(description="Children with their children")]


def router(service: Vams) -> APIRouter:
    """The routes of links."""
    made = APIRouter(route_class=Route, tags=["asset links"])
    _add_reads(made, service)
    _add_writes(made, service)
    return made


def _add_reads(made: APIRouter, service: Vams) -> None:
    @made.get(
        "/asset-links/single/{asset_link_id}",
        summary="Get a link",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def get_link(asset_link_id: LinkPath, me: Me) -> Any:
        link = service.links.get(me, asset_link_id)
        return {"assetLink": link_answer(link), "message": "Success"}

    @made.get(
        f"{ASSET}/asset-links",
        summary="List the links of an asset",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def links_of_asset(
        database_id: DatabasePath, asset_id: AssetPath, me: Me, childTreeView: AsTree = False
    ) -> Any:
        """Assets that the caller may not see are counted only."""
        view = service.links.of_asset(me, database_id, asset_id, as_tree=childTreeView)
        return view_answer(view)

    _ = get_link, links_of_asset


def _add_writes(made: APIRouter, service: Vams) -> None:
    @made.post(
        "/asset-links", summary="Link two assets", response_model=MessageAnswer, responses=ERRORS
    )
    def create_link(wanted: LinkValues, me: Me) -> Any:
        """From a parent to its child, or between related assets. Cycles are refused."""
        link = service.links.create(me, wanted)
        message = "Asset link created successfully"
        return {"assetLinkId": link.asset_link_id, "message": message}

    @made.put(
        "/asset-links/{asset_link_id}",
        summary="Change a link",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def change_link(asset_link_id: LinkPath, wanted: LinkChange, me: Me) -> Any:
        """Alias and tags. What is not given stays; an empty alias is removed."""
        service.links.change(me, asset_link_id, wanted)
        return {"message": "Asset link updated successfully"}

    @made.delete(
        "/asset-links/{asset_link_id}",
        summary="Delete a link",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def delete_link(asset_link_id: LinkPath, me: Me) -> Any:
        """Also when one of its assets is gone."""
        service.links.delete(me, asset_link_id)
        return {"message": "Asset link deleted successfully"}

    _ = create_link, change_link, delete_link
