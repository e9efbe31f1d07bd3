"""One file of an asset: the viewer, its facts, its versions, its metadata, and what can be done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from html import escape

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.asset_forms import path_of
from sortkey_systems.vams.console.file_forms import (
    archive_file,
    copy_file,
    delete_file,
    move_file,
    revert_file,
    set_primary,
    unarchive_file,
)
from sortkey_systems.vams.console.frame import pairs
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.interface import Refusal
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.metadata import metadata_panel
from sortkey_systems.vams.console.texts import icon_of, kind_of, size_text, when
from sortkey_systems.vams.console.viewer_element import (
    TEXT_BYTES_MAX,
    Viewer,
    draw_text,
    is_shown_by_browser,
)

Refresh = Callable[[], Awaitable[None]]


class FilePanel:
    """A file as it is now, or in a version of the asset."""

    def __init__(
        self, session: Session, asset: Json, entry: Json, version: str, refresh: Refresh
    ) -> None:
        self._session, self._asset, self._entry = session, asset, entry
        self._version, self._refresh = version, refresh
        self._path = str(entry["relativePath"])
        self._size = int(entry.get("size") or 0)

    async def draw(self) -> None:
        self._draw_head()
        is_archived = self._asset.get("status") == "archived"
        if is_archived or (self._entry.get("isArchived") and not self._version):
            self._draw_nothing("This file is archived.", "Unarchive it to see it again.")
        elif not self._asset.get("isDistributable"):
            self._draw_nothing(
                "The files of this asset are not for download.", "That includes the viewer."
            )
        else:
            await self._draw_content()
        await self._draw_facts()
        if not self._version and not self._entry.get("isArchived"):
            self._draw_metadata()

    # -- what can be done

    def _draw_head(self) -> None:
        with ui.element("div").classes("sk-row sk-spread"):
            with ui.element("div").classes("sk-row").style("width: auto; min-width: 0"):
                pieces.heading(self._path.rpartition("/")[2])
                if self._entry.get("primaryType"):
                    pieces.chip(str(self._entry["primaryType"]), "note")
                if self._entry.get("isArchived"):
                    pieces.chip("archived", "warn")
                if self._entry.get("currentAssetVersionFileVersionMismatch"):
                    pieces.chip("changed since the last version", "warn")
            with ui.element("div").classes("va-actions"):
                if self._asset.get("isDistributable") and not self._entry.get("isArchived"):
                    self._draw_download()
                if self._session.can_change and not self._version:
                    self._draw_menu()

    def _draw_download(self) -> None:
        address = f"{self._address()}?download"
        name = escape(self._path.rpartition("/")[2])
        ui.html(
            f'<a class="sk-copy-button" href="{escape(address)}" download="{name}">Download</a>',
            sanitize=False,
        )

    def _draw_menu(self) -> None:
        path, file, refresh = path_of(self._asset), self._path, self._refresh
        button = ui.button(icon="more_vert").props("flat round dense").classes("sk-second")
        button.props["aria-label"] = "Actions on the file"
        with button, ui.menu():
            if self._entry.get("isArchived"):
                act = partial(unarchive_file, self._session, path, file, refresh)
                ui.menu_item("Unarchive", act)
            else:
                act = partial(set_primary, self._session, path, self._entry, refresh)
                ui.menu_item("Primary type", act)
                ui.menu_item(
                    "Move or rename", partial(move_file, self._session, path, file, refresh)
                )
                ui.menu_item("Copy", partial(copy_file, self._session, self._asset, file, refresh))
                ui.menu_item("Archive", partial(archive_file, self._session, path, file, refresh))
            ui.menu_item(
                "Delete for good", partial(delete_file, self._session, path, file, refresh)
            )

    # -- what it shows

    def _address(self, path: str = "") -> str:
        query = {"assetVersionId": self._version} if self._version else None
        ids = str(self._asset["databaseId"]), str(self._asset["assetId"])
        return self._session.file_address(*ids, path or self._path, query)

    async def _draw_content(self) -> None:
        kind = kind_of(self._path)
        if not kind:
            self._draw_other()
        elif not self._size:
            self._draw_nothing("The file is empty.")
        elif is_shown_by_browser(self._path):
            Viewer(self._address(), self._path.rpartition("/")[2], self._size)
        else:
            await self._draw_text()

    def _draw_other(self) -> None:
        """A file without a viewer: the picture that a pipeline or somebody made of it."""
        preview = str(self._entry.get("previewFile") or "")
        if not preview or self._version:
            self._draw_nothing("This kind of file cannot be shown.", size_text(self._size))
            return
        Viewer(self._address(preview), preview.rpartition("/")[2], 0)
        pieces.quiet("A picture of the file, which cannot be shown itself.")

    async def _draw_text(self) -> None:
        query = {"assetVersionId": self._version} if self._version else None
        path = f"{path_of(self._asset)}/download/stream/{self._path.lstrip('/')}"
        interface, identity = self._session.console.interface, self._session.identity
        try:
            content = await interface.read(identity, path, TEXT_BYTES_MAX, query)
        except Refusal as refusal:
            self._draw_nothing("The file cannot be read.", str(refusal))
            return
        draw_text(self._path, content, self._size > len(content))

    def _draw_nothing(self, text: str, below: str = "") -> None:
        with ui.element("div").classes("va-nothing"):
            ui.icon(icon_of(self._path)).props('aria-hidden="true"')
            ui.label(text)
            if below:
                pieces.quiet(below)

    # -- what is known of it

    async def _draw_facts(self) -> None:
        try:
            info = await self._session.get(
                f"{path_of(self._asset)}/fileInfo", filePath=self._path, includeVersions=True
            )
        except Refusal:  # a file of an old version may be gone
            info = self._entry
        exact = f" ({self._size:,} bytes)" if self._size >= 1000 else ""
        with ui.element("section").classes("sk-card sk-stack"):
            pairs(
                {
                    "Path": self._path,
                    "Size": f"{size_text(self._size)}{exact}",
                    "Type": info.get("contentType"),
                    "Changed": when(
                        info.get("lastModified") or info.get("dateCreatedCurrentVersion")
                    ),
                    "Object version": info.get("versionId"),
                }
            )
            versions: list[Json] = info.get("versions") or []
            if len(versions) > 1 and not self._version:
                pieces.fold(partial(self._draw_versions, versions), f"{len(versions)} versions")

    def _draw_versions(self, versions: list[Json]) -> None:
        for each in versions:
            with ui.element("div").classes("sk-row").style("padding: 0.25rem 1rem"):
                ui.html(pieces.copied(str(each["versionId"]), 14), sanitize=False)
                labels = [str(item.get("label")) for item in each.get("assetVersionIds") or ()]
                parts = (size_text(each.get("size")), when(each.get("lastModified")), *labels)
                pieces.quiet(" · ".join(filter(None, parts)))
                if each.get("isLatest"):
                    pieces.chip("newest", "good")
                elif self._session.can_change and not each.get("isArchived"):
                    act = partial(
                        revert_file,
                        self._session,
                        path_of(self._asset),
                        self._path,
                        str(each["versionId"]),
                        self._refresh,
                    )
                    pieces.button("Make it the newest", act, is_main=False).props("dense flat")

    def _draw_metadata(self) -> None:
        path = f"{path_of(self._asset)}/metadata/file"
        for heading, kind in (
            ("Metadata of the file", "metadata"),
            ("Attributes of the file", "attribute"),
        ):
            query = {"filePath": self._path, "type": kind}
            draw = partial(metadata_panel, self._session, path, query)
            pieces.fold(partial(ui.timer, 0.01, draw, once=True), heading)
