"""The databases: cards that lead to their assets, and the forms that make and change them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import quote

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.forms import confirm, field, form
from sortkey_systems.vams.console.frame import begin, explained
from sortkey_systems.vams.console.identity import Console, Session
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.metadata import metadata_panel
from sortkey_systems.vams.console.texts import counted

Refresh = Callable[[], object]


def database_path(database_id: str) -> str:
    """The page with the assets of a database."""
    return f"/vams/databases/{quote(database_id, safe='')}"


@explained
async def databases_page(console: Console) -> None:
    session = console.session()
    actions = begin(session, "Databases", "Assets are kept in databases; permissions name them.")

    @ui.refreshable
    async def cards() -> None:
        found = await session.items("/database")
        if not found:
            pieces.empty(
                "There is no database yet." if session.can_change else "None that they may see.",
                "New database makes one." if session.can_change else "",
            )
            return
        with ui.element("section").classes("sk-grid").props('aria-label="Databases"'):
            for each in sorted(found, key=lambda row: str(row["databaseId"]).lower()):
                _card(session, each, cards.refresh)

    if session.can_change:
        with actions:
            pieces.button("New database", lambda: _new(session, cards.refresh), icon="add")
    await cards()


def _card(session: Session, database: Json, refresh: Refresh) -> None:
    database_id = str(database["databaseId"])
    with ui.element("article").classes("sk-card sk-stack").style("gap: 0.5rem"):
        with ui.element("div").classes("sk-row sk-spread").style("flex-wrap: nowrap"):
            with ui.link(target=database_path(database_id)).style("min-width: 0"):
                pieces.heading(database_id)
            if session.can_change:
                _menu(session, database, refresh)
        ui.label(str(database.get("description") or "No description"))
        with ui.element("div").classes("sk-row").style("gap: 0.4rem"):
            pieces.chip(counted(int(database.get("assetCount") or 0), "asset"), "note")
            limits = str(database.get("restrictFileUploadsToExtensions") or "")
            if limits and limits != ".all":
                pieces.chip(f"only {limits}")
            if database.get("restrictMetadataOutsideSchemas"):
                pieces.chip("metadata by schemas only")
        if database.get("bucketName"):
            prefix = str(database.get("baseAssetsPrefix") or "").strip("/")
            place = "/".join(filter(None, (str(database["bucketName"]), prefix)))
            pieces.quiet(f"in the bucket {place}")


def _menu(session: Session, database: Json, refresh: Refresh) -> None:
    database_id = str(database["databaseId"])
    button = ui.button(icon="more_vert").props("flat round dense").classes("sk-second")
    button.props["aria-label"] = f"Actions on {database_id}"
    with button, ui.menu():
        ui.menu_item("Change", lambda: _change(session, database, refresh))
        ui.menu_item("Metadata", lambda: _metadata(session, database_id))
        ui.menu_item("Delete", lambda: _delete(session, database_id, refresh))


def _new(session: Session, refresh: Refresh) -> None:
    with form("New database") as dialog:
        name = field(ui.input("Id", placeholder="plant-rotterdam"))
        name.props("autofocus")
        ask = _fields(session)

        async def create() -> None:
            body = {"databaseId": (name.value or "").strip(), **ask()}
            await session.post("/database", body)
            refresh()

        dialog.buttons("Create", create)


def _change(session: Session, database: Json, refresh: Refresh) -> None:
    database_id = str(database["databaseId"])
    with form(f"Change {database_id}") as dialog:
        ask = _fields(session, database)

        async def change() -> None:
            await session.put(f"/database/{database_id}", ask())
            refresh()

        dialog.buttons("Save", change)


def _fields(session: Session, known: Json | None = None) -> Callable[[], Json]:
    """The fields of both forms; what it gives reads them."""
    known = known or {}
    description = field(ui.input("Description", value=str(known.get("description") or "")))
    bucket = field(ui.select(dict[str, str](), label="Bucket"))
    limits = field(
        ui.input(
            "Only files with these extensions",
            value=str(known.get("restrictFileUploadsToExtensions") or "").replace(".all", ""),
            placeholder="any; or .glb,.gltf",
        )
    )
    strict = ui.switch(
        "Metadata by schemas only", value=bool(known.get("restrictMetadataOutsideSchemas"))
    )

    async def fill() -> None:
        rows = await session.items("/buckets")
        bucket.options = {
            row["bucketId"]: f"{row['bucketName']}{row.get('baseAssetsPrefix') or ''}"
            for row in rows
        }
        wanted = known.get("defaultBucketId")
        bucket.value = wanted if wanted in bucket.options else next(iter(bucket.options), None)
        bucket.update()

    ui.timer(0.01, fill, once=True)

    def values() -> Json:
        return {
            "description": (description.value or "").strip(),
            "defaultBucketId": bucket.value,
            "restrictFileUploadsToExtensions": (limits.value or "").strip(),
            "restrictMetadataOutsideSchemas": bool(strict.value),
        }

    return values


def _metadata(session: Session, database_id: str) -> None:
    with form(f"Metadata of {database_id}", width="52rem"):
        path = f"/database/{database_id}/metadata"
        panel = partial(metadata_panel, session, path)
        ui.timer(0.01, panel, once=True)


def _delete(session: Session, database_id: str, refresh: Refresh) -> None:
    async def delete() -> None:
        await session.delete(f"/database/{database_id}")
        refresh()

    text = "It must have no assets, workflows and pipelines. Its id can be used again."
    confirm(f"Delete {database_id}?", text, "Delete", delete)
