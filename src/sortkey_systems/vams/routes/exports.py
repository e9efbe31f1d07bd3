"""The export of an asset with the assets below it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from sortkey_systems.vams.exports.values import ExportValues
from sortkey_systems.vams.routes.assets import ASSET, AssetPath
from sortkey_systems.vams.routes.callers import Me
from sortkey_systems.vams.routes.databases import DatabasePath
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams


def router(service: Vams) -> APIRouter:
    """The route of exports."""
    made = APIRouter(route_class=Route, tags=["exports"])

    @made.post(f"{ASSET}/export", summary="Export an asset", responses=ERRORS)
    def export_asset(
        database_id: DatabasePath,
        asset_id: AssetPath,
        me: Me,
        wanted: ExportValues | None = None,
    ) -> dict[str, Any]:
        """The asset and the assets below it. Relationships are on the first page."""
        return service.exports.page(me, database_id, asset_id, wanted or ExportValues())

    _ = export_asset
    return made
