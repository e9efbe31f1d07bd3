"""The form of an asset's preview picture, which stands for it in lists."""

from __future__ import annotations

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.asset_forms import Refresh, path_of
from sortkey_systems.vams.console.forms import attempt, form
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.upload_element import DropZone, Result


def preview_form(session: Session, asset: Json, refresh: Refresh) -> None:
    """Upload a picture, or remove the one that is there."""
    below = "PNG, JPEG, GIF or SVG, at most 5 MB."
    with form("Preview picture", below, width="30rem") as opened:

        async def done(result: Result) -> None:
            if result.problems:
                opened.show(result.text)
                return
            opened.dialog.close()
            refresh()

        zone = DropZone(session, str(asset["databaseId"]), str(asset["assetId"]), done)
        zone.upload_type = "assetPreview"

        async def remove() -> None:
            async def act() -> None:
                await session.delete(f"{path_of(asset)}/deleteAssetPreview")

            if await attempt(act, "The preview is removed"):
                opened.dialog.close()
                refresh()

        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            if asset.get("previewLocation"):
                pieces.button("Remove it", remove, is_main=False)
            pieces.button("Close", opened.dialog.close, is_main=False)
