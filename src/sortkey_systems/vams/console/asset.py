"""The page of an asset: its files with the viewer, versions, metadata, links, comments and runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from urllib.parse import quote

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.asset_forms import (
    Refresh,
    archive_asset,
    change_asset,
    delete_asset,
    path_of,
    unarchive_asset,
)
from sortkey_systems.vams.console.comments import comments_panel
from sortkey_systems.vams.console.files import files_panel
from sortkey_systems.vams.console.frame import begin, explained
from sortkey_systems.vams.console.identity import Console, Session
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.links import links_panel
from sortkey_systems.vams.console.metadata import metadata_panel
from sortkey_systems.vams.console.preview_form import preview_form
from sortkey_systems.vams.console.runs import runs_panel
from sortkey_systems.vams.console.texts import when
from sortkey_systems.vams.console.versions import versions_panel

Panel = Callable[[], Awaitable[None]]
TABS = (
    ("Files", "folder_open"),
    ("Versions", "history"),
    ("Metadata", "sell"),
    ("Links", "account_tree"),
    ("Comments", "forum"),
    ("Runs", "play_circle"),
)


@explained
async def asset_page(console: Console, database_id: str, asset_id: str) -> None:
    session = console.session()
    path = f"/database/{database_id}/assets/{asset_id}"
    asset = await session.get(path, showArchived=True)
    above = (database_id, f"/vams/databases/{quote(database_id, safe='')}")
    actions = begin(session, str(asset["assetName"]), str(asset.get("description") or ""), above)
    if session.can_change:
        with actions:
            _buttons(session, asset)

    @ui.refreshable
    async def facts() -> None:
        _facts(await session.get(path, showArchived=True))

    await facts()
    _tabs(session, asset, facts.refresh)


def _buttons(session: Session, asset: Json) -> None:
    def reload() -> None:
        ui.navigate.reload()

    is_archived = asset.get("status") == "archived"
    if not is_archived:
        change = partial(change_asset, session, asset, reload)
        pieces.button("Change", change, icon="edit", is_main=False)
    more = ui.button(icon="more_vert").props('flat round dense aria-label="More"')
    with more.classes("sk-second"), ui.menu():
        if is_archived:
            ui.menu_item("Unarchive", partial(unarchive_asset, session, asset, reload))
        else:
            ui.menu_item("Preview picture", partial(preview_form, session, asset, reload))
            ui.menu_item("Archive", partial(archive_asset, session, asset, reload))
        ui.menu_item("Delete for good", partial(delete_asset, session, asset))


def _facts(asset: Json) -> None:
    version: Json = asset.get("currentVersion") or {}
    with ui.element("div").classes("sk-row").style("gap: 0.4rem 0.6rem"):
        if asset.get("status") == "archived":
            pieces.chip("archived", "warn")
        kind = str(asset.get("assetType") or "")
        if kind and kind != "none":
            pieces.chip(kind.lstrip("."), "note")
        for tag in asset.get("tags") or ():
            pieces.chip(str(tag))
        if not asset.get("isDistributable"):
            pieces.chip("not for download", "warn")
        ui.html(pieces.copied(str(asset["assetId"]), 40), sanitize=False)
        alias = f" ({version['versionAlias']})" if version.get("versionAlias") else ""
        number = f"version {version['Version']}{alias}" if version.get("Version") else ""
        pieces.quiet(" · ".join(filter(None, (number, when(version.get("DateModified"))))))
    reason = asset.get("archivedReason")
    if reason:
        pieces.quiet(f"Archived by {asset.get('archivedBy') or 'somebody'}: {reason}")


def _tabs(session: Session, asset: Json, on_change: Refresh) -> None:
    """The panels. `on_change` is called when the type or the current version may have changed."""
    with ui.tabs().props("align=left no-caps dense inline-label mobile-arrows") as tabs:
        for name, icon in TABS:
            ui.tab(name, icon=icon)
    metadata = f"{path_of(asset)}/metadata"
    panels: dict[str, Panel] = {
        "Files": partial(files_panel, session, asset, on_change),
        "Versions": partial(versions_panel, session, asset, on_change),
        "Metadata": partial(metadata_panel, session, metadata),
        "Links": partial(links_panel, session, asset),
        "Comments": partial(comments_panel, session, asset),
        "Runs": partial(runs_panel, session, asset),
    }
    with pieces.tab_panels(tabs).props("keep-alive") as shown:  # an upload goes on meanwhile
        places = {name: ui.tab_panel(name) for name, _ in TABS}
    drawn: set[str] = set()

    async def draw(name: str) -> None:
        """A panel is drawn when it is first opened."""
        if name in drawn or name not in panels:
            return
        drawn.add(name)
        with places[name]:
            await explained(panels[name])()

    shown.on_value_change(lambda event: draw(str(event.value)))
    ui.timer(0.01, lambda: draw(str(shown.value)), once=True)
