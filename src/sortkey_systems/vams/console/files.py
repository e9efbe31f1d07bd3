"""The files of an asset: a tree, a place to drop more, and the viewer with what is known of one."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.asset_forms import Refresh, path_of
from sortkey_systems.vams.console.file import FilePanel
from sortkey_systems.vams.console.file_forms import new_folder
from sortkey_systems.vams.console.file_tree import first_shown, folders_of, nodes_of
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.texts import counted, size_text
from sortkey_systems.vams.console.upload_element import DropZone, Result

EXPANDED_MAX = 60
"""Files and folders of a tree that is shown open."""
LIVE = ""
"""The choice of the files as they are now, not of a version."""


async def files_panel(session: Session, asset: Json, on_change: Refresh) -> None:
    """`on_change` is called after uploads."""
    await _Files(session, asset, on_change).draw()


class _Files:
    """The tree and the file that is chosen in it."""

    def __init__(self, session: Session, asset: Json, on_change: Refresh) -> None:
        self._session, self._asset, self._on_change = session, asset, on_change
        self._path = path_of(asset)
        parameters = ui.context.client.request.query_params
        self._chosen = parameters.get("file", "")
        self._version = parameters.get("version", LIVE)
        self._is_archived_shown = asset.get("status") == "archived"
        self._entries: dict[str, Json] = {}
        self._zone: DropZone | None = None

    async def draw(self) -> None:
        with ui.element("div").classes("va-files"):
            with ui.element("div").classes("va-side"):
                await self._draw_choices()
                side = ui.element("div").classes("va-side")
                self._draw_upload()
            self._detail = ui.element("div").classes("va-detail")
        self._side = side
        await self._load()

    async def _draw_choices(self) -> None:
        answer = await self._session.get(f"{self._path}/getVersions")
        versions: list[Json] = answer.get("versions") or []
        options = {LIVE: "Files as they are now"}
        for each in versions:
            alias = f" ({each['versionAlias']})" if each.get("versionAlias") else ""
            options[str(each["Version"])] = f"Version {each['Version']}{alias}"
        if self._version not in options:
            self._version = LIVE
        select = ui.select(options, value=self._version, label="Show")
        select.props("outlined dense options-dense").classes("w-full")
        select.on_value_change(lambda event: self._set_version(str(event.value or LIVE)))

    def _draw_upload(self) -> None:
        if not self._session.can_change or self._asset.get("status") == "archived":
            return
        ids = str(self._asset["databaseId"]), str(self._asset["assetId"])
        self._zone = DropZone(self._session, *ids, self._uploaded)
        with ui.element("div").classes("sk-row"):
            pieces.button("New folder", self._new_folder, is_main=False).props("dense")
            archived = ui.switch("Archived too", value=self._is_archived_shown)
        archived.on_value_change(lambda event: self._show_archived(bool(event.value)))

    def _new_folder(self) -> None:
        new_folder(self._session, self._path, self._folder(), self._load)

    def _folder(self) -> str:
        """Where new files go: the chosen folder, or the one of the chosen file."""
        if self._chosen.endswith("/"):
            return self._chosen
        return self._chosen.rpartition("/")[0] + "/"

    async def _uploaded(self, result: Result) -> None:
        kind = "negative" if result.problems else "positive"
        ui.notify(result.text, type=kind, multi_line=True, timeout=8000)
        self._on_change()
        await self._load()

    async def _set_version(self, version: str) -> None:
        self._version = version
        await self._load()

    async def _show_archived(self, is_shown: bool) -> None:
        self._is_archived_shown = is_shown
        await self._load()

    async def _load(self) -> None:
        """Read the files and draw the tree, and the chosen file if it is still there."""
        query: dict[str, Any] = {"pageSize": 1000}
        if self._version:
            query["assetVersionId"] = self._version
        if self._is_archived_shown:
            query["includeArchived"] = True
        found = await self._session.items(f"{self._path}/listFiles", "items", **query)
        self._entries = {str(each["relativePath"]): each for each in found}
        if self._chosen not in self._entries and self._chosen not in folders_of(self._entries):
            self._chosen = first_shown(self._entries)
        self._side.clear()
        with self._side:
            self._draw_tree()
        await self._draw_detail()

    def _draw_tree(self) -> None:
        files = [each for each in self._entries.values() if not each.get("isFolder")]
        if not self._entries:
            pieces.empty("There are no files.", "Drop some below." if not self._version else "")
            return
        total = sum(int(each.get("size") or 0) for each in files)
        pieces.quiet(f"{counted(len(files), 'file')}, {size_text(total)}")
        with ui.element("div").classes("va-tree"):
            nodes = nodes_of(self._entries)
            tree = ui.tree(nodes, on_select=lambda event: self._choose(event.value))
            tree.props('no-connectors dense selected-color=primary aria-label="Files"')
            tree.props["no-selection-unset"] = True
            if len(self._entries) <= EXPANDED_MAX:
                tree.expand()
            tree.select(self._chosen)

    async def _choose(self, path: Any) -> None:
        if not path or path == self._chosen:
            return
        self._chosen = str(path)
        await self._draw_detail()

    async def _draw_detail(self) -> None:
        if self._zone is not None:
            self._zone.folder = self._folder()
        self._detail.clear()
        entry = self._entries.get(self._chosen)
        with self._detail:
            if entry is None or entry.get("isFolder"):
                _draw_folder(self._chosen, self._entries)
                return
            panel = FilePanel(self._session, self._asset, entry, self._version, self._load)
            await panel.draw()


def _draw_folder(path: str, entries: dict[str, Json]) -> None:
    inside = [
        each
        for name, each in entries.items()
        if name.startswith(path or "/") and not each.get("isFolder")
    ]
    with ui.element("div").classes("va-nothing"):
        ui.icon("folder_open" if entries else "cloud_upload").props('aria-hidden="true"')
        if not entries:
            ui.label("Drop a model, pictures or a whole folder to begin.")
            return
        size = sum(int(each.get("size") or 0) for each in inside)
        ui.label(path or "/").classes("va-name")
        ui.label(f"{counted(len(inside), 'file')}, {size_text(size)}")
