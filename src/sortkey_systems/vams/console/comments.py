"""The comments on the versions of an asset."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.forms import attempt, field, form
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.json_values import Json, objects_of
from sortkey_systems.vams.console.texts import when

KEY = "assetVersionId:commentId"


async def comments_panel(session: Session, asset: Json) -> None:
    asset_id, database_id = str(asset["assetId"]), str(asset["databaseId"])
    current: Json = asset.get("currentVersion") or {}
    version = str(current.get("Version") or "0")

    @ui.refreshable
    async def listed() -> None:
        answer = await session.get(f"/comments/assets/{asset_id}", databaseId=database_id)
        found = objects_of(answer.get("message"))
        if not found:
            pieces.empty("Nobody has commented yet.")
        for each in sorted(found, key=lambda row: str(row.get("dateCreated")), reverse=True):
            _draw(session, asset_id, each, listed.refresh)

    with ui.element("div").classes("sk-stack").style("gap: 1rem; max-width: 48rem"):
        if session.can_change:
            text = ui.textarea(placeholder=f"A comment on version {version}")
            text.props('outlined autogrow aria-label="Comment"').classes("w-full")

            async def send() -> None:
                async def act() -> None:
                    body = {"commentBody": (text.value or "").strip(), "databaseId": database_id}
                    await session.post(_path(asset_id, f"{version}:x{uuid.uuid4()}"), body)

                if await attempt(act):
                    text.value = ""
                    listed.refresh()

            with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
                pieces.button("Comment", send)
        await listed()


def _path(asset_id: str, key: str) -> str:
    return f"/comments/assets/{asset_id}/assetVersionId:commentId/{key}"


def _draw(session: Session, asset_id: str, comment: Json, refresh: Callable[[], object]) -> None:
    key = str(comment[KEY])
    owner = str(comment.get("commentOwnerUsername") or comment.get("commentOwnerID") or "Somebody")
    is_own = comment.get("commentOwnerID") == session.identity.user_id
    with ui.element("article").classes("va-comment"):
        ui.label(owner[:1].upper()).classes("va-face").props('aria-hidden="true"')
        with ui.element("div").classes("sk-stack").style("gap: 0.1rem"):
            with ui.element("div").classes("sk-row").style("gap: 0.4rem"):
                ui.label(owner).classes("va-name")
                pieces.quiet(when(comment.get("dateCreated")))
                pieces.chip(f"v{key.partition(':')[0]}")
                if comment.get("dateEdited") not in (None, "", comment.get("dateCreated")):
                    pieces.quiet("edited")
            ui.label(str(comment.get("commentBody") or "")).style("white-space: pre-wrap")
            if is_own and session.can_change:
                with ui.element("div").classes("sk-row").style("gap: 0"):
                    edit = partial(_edit, session, asset_id, comment, refresh)
                    pieces.button("Edit", edit, is_main=False).props("flat dense")
                    delete = partial(_delete, session, asset_id, key, refresh)
                    pieces.button("Delete", delete, is_main=False).props("flat dense")


def _edit(session: Session, asset_id: str, comment: Json, refresh: Callable[[], object]) -> None:
    with form("Edit the comment") as dialog:
        text = field(ui.textarea("Comment", value=str(comment.get("commentBody") or "")))

        async def save() -> None:
            body = {"commentBody": (text.value or "").strip()}
            await session.put(_path(asset_id, str(comment[KEY])), body)
            refresh()

        dialog.buttons("Save", save)


async def _delete(session: Session, asset_id: str, key: str, refresh: Callable[[], object]) -> None:
    async def act() -> None:
        await session.delete(_path(asset_id, key))

    if await attempt(act, "The comment is deleted"):
        refresh()
