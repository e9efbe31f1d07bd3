"""The versions of an asset: make one, compare two, revert to one, name or archive one."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.asset_forms import Refresh, path_of
from sortkey_systems.vams.console.forms import attempt, field, form
from sortkey_systems.vams.console.identity import Session, asset_path
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.texts import counted, size_text, when
from sortkey_systems.vams.console.version_differences import (
    Difference,
    Differences,
    differences,
)

TONES: dict[str, pieces.Tone] = {"added": "good", "removed": "bad", "changed": "warn"}


async def versions_panel(session: Session, asset: Json, on_change: Refresh) -> None:
    """`on_change` is called when another version is the current one."""
    await _Versions(session, asset, on_change).draw()


class _Versions:
    def __init__(self, session: Session, asset: Json, on_change: Refresh) -> None:
        self._on_change = on_change
        self._session, self._asset, self._path = session, asset, path_of(asset)
        self._can_change = session.can_change and asset.get("status") != "archived"
        self._is_archived_shown = False

    async def draw(self) -> None:
        with ui.element("div").classes("sk-row").style("margin: 0.25rem 0 0.75rem"):
            if self._can_change:
                pieces.button("New version", self._new, icon="add")
            ui.space()
            archived = ui.switch("Archived too")

        @ui.refreshable
        async def content() -> None:
            await self._draw_content()

        self._content = content
        archived.on_value_change(lambda event: self._show_archived(bool(event.value)))
        await content()

    def _show_archived(self, is_shown: bool) -> None:
        self._is_archived_shown = is_shown
        self._content.refresh()

    async def _draw_content(self) -> None:
        found = await self._session.items(
            f"{self._path}/getVersions", "versions", showArchived=self._is_archived_shown
        )
        with ui.element("div").classes("sk-stack").style("gap: 1.25rem"):
            with ui.element("section").classes("sk-card").props('aria-label="Versions"'):
                for each in found:
                    self._draw_version(each)
            if len(found) > 1:
                self._draw_comparison(found)

    def _draw_version(self, version: Json) -> None:
        number = str(version["Version"])
        with ui.element("div").classes("va-version"):
            badge = ui.label(f"v{number}").classes("va-number")
            if version.get("isCurrent"):
                badge.classes("va-now")
            with ui.element("div").classes("sk-stack").style("gap: 0.1rem; flex: 1"):
                with ui.element("div").classes("sk-row").style("gap: 0.4rem"):
                    ui.label(str(version.get("Comment") or "No comment")).classes("va-name")
                    if version.get("versionAlias"):
                        pieces.chip(str(version["versionAlias"]), "note")
                    if version.get("isCurrent"):
                        pieces.chip("current", "good")
                    if version.get("isArchived"):
                        pieces.chip("archived", "warn")
                parts = (
                    str(version.get("createdBy") or ""),
                    when(version.get("DateModified")),
                    counted(int(version.get("fileCount") or 0), "file"),
                )
                pieces.quiet(" · ".join(filter(None, parts)))
            self._draw_actions(version, number)

    def _draw_actions(self, version: Json, number: str) -> None:
        page = asset_path(str(self._asset["databaseId"]), str(self._asset["assetId"]))
        button = ui.button(icon="more_vert").props("flat round dense").classes("sk-second")
        button.props["aria-label"] = f"Actions on version {number}"
        with button, ui.menu():
            if not version.get("isArchived"):
                see = f"{page}?tab=Files&version={number}"
                ui.menu_item("See its files", partial(ui.navigate.to, see))
            if not self._can_change:
                return
            ui.menu_item("Revert to it", partial(self._revert, number))
            ui.menu_item("Comment and name", partial(self._describe, version))
            if version.get("isArchived"):
                ui.menu_item("Unarchive", partial(self._archive, number, "unarchive"))
            elif not version.get("isCurrent"):
                ui.menu_item("Archive", partial(self._archive, number, "archive"))

    # -- changes

    def _new(self) -> None:
        text = "It holds the files as they are now, and all metadata. No bytes are copied."
        with form("New version", text) as dialog:
            comment = field(ui.input("Comment", placeholder="What changed")).props("autofocus")
            alias = field(ui.input("Name, if it has one", placeholder="as built"))

            async def create() -> None:
                body: Json = {"comment": (comment.value or "").strip(), "useLatestFiles": True}
                if (alias.value or "").strip():
                    body["versionAlias"] = alias.value.strip()
                answer = await self._session.post(f"{self._path}/createVersion", body)
                ui.notify(f"Version {answer.get('assetVersionId')} is made", type="positive")
                self._changed()

            dialog.buttons("Create", create)

    def _revert(self, number: str) -> None:
        text = "A new version is made, whose files have the bytes of the old one."
        with form(f"Revert to version {number}?", text) as dialog:
            comment = field(ui.input("Comment"))
            metadata = ui.switch("Metadata and attributes too")

            async def revert() -> None:
                body: Json = {"revertMetadata": bool(metadata.value)}
                if (comment.value or "").strip():
                    body["comment"] = comment.value.strip()
                path = f"{self._path}/revertAssetVersion/{number}"
                answer = await self._session.post(path, body)
                skipped: list[object] = answer.get("skippedFiles") or []
                note = f", without {counted(len(skipped), 'file')}" if skipped else ""
                ui.notify(f"Version {answer.get('assetVersionId')} is made{note}", type="positive")
                self._changed()

            dialog.buttons("Revert", revert)

    def _describe(self, version: Json) -> None:
        number = str(version["Version"])
        with form(f"Version {number}") as dialog:
            comment = field(ui.input("Comment", value=str(version.get("Comment") or "")))
            alias = field(ui.input("Name", value=str(version.get("versionAlias") or "")))

            async def save() -> None:
                body = {
                    "comment": (comment.value or "").strip(),
                    "versionAlias": (alias.value or "").strip(),
                }
                await self._session.put(f"{self._path}/assetversions/{number}", body)
                self._content.refresh()

            dialog.buttons("Save", save)

    async def _archive(self, number: str, action: str) -> None:
        async def act() -> None:
            await self._session.post(f"{self._path}/assetversions/{number}/{action}")

        if await attempt(act, f"Version {number}: {action}d"):
            self._content.refresh()

    def _changed(self) -> None:
        self._content.refresh()
        self._on_change()

    # -- comparison

    def _draw_comparison(self, versions: list[Json]) -> None:
        numbers = {str(each["Version"]): f"Version {each['Version']}" for each in versions}
        newest, before = list(numbers)[:2]
        with ui.element("section").classes("sk-card sk-stack").style("gap: 0.75rem"):
            with ui.element("div").classes("sk-row"):
                pieces.heading("Compare")
                ui.space()
                old = ui.select(numbers, value=before, label="From").props("outlined dense")
                new = ui.select(numbers, value=newest, label="To").props("outlined dense")
            result = ui.element("div").classes("sk-stack").style("gap: 0.75rem")

        async def compare() -> None:
            path = f"{self._path}/compareVersions/{old.value}/{new.value}"
            compared = await self._session.get(path)
            result.clear()
            with result:
                _draw_differences(differences(compared))

        old.on_value_change(compare)
        new.on_value_change(compare)
        ui.timer(0.01, compare, once=True)


def _draw_differences(found: Differences) -> None:
    if not found.files and not found.metadata:
        pieces.quiet("Nothing differs.")
    if found.files:
        pieces.table(("file", "", "before", "after"), [_file_row(each) for each in found.files])
    if found.metadata:
        rows = [(each.subject, _chip(each), each.before, each.after) for each in found.metadata]
        pieces.table(("metadata", "", "before", "after"), rows)
    if found.unchanged_files:
        pieces.quiet(f"{counted(found.unchanged_files, 'file')} unchanged.")


def _file_row(each: Difference) -> tuple[str, ...]:
    sizes = [size_text(int(text)) if text else "" for text in (each.before, each.after)]
    return (each.subject, _chip(each), *sizes)


def _chip(each: Difference) -> pieces.Markup:
    return pieces.chipped(each.change, TONES[each.change])
