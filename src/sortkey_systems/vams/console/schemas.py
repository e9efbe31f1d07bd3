"""Metadata schemas, tags and tag types: the words that an installation agrees on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.forms import attempt, confirm, field, form
from sortkey_systems.vams.console.frame import begin, explained
from sortkey_systems.vams.console.identity import Console, Session
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.schema_form import ENTITIES, schema_fields, schema_form

Refresh = Callable[[], object]


@explained
async def schemas_page(console: Console) -> None:
    session = console.session()
    text = "Schemas say which metadata is expected; tags group assets across databases."
    begin(session, "Schemas and tags", text)
    with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
        ui.tab("Schemas", icon="rule")
        ui.tab("Tags", icon="sell")
    with pieces.tab_panels(tabs):
        with ui.tab_panel("Schemas"):
            await _schemas(session)
        with ui.tab_panel("Tags"):
            await _tags(session)


# -- schemas


async def _schemas(session: Session) -> None:
    @ui.refreshable
    async def listed() -> None:
        found = await session.items_or_none("/metadataschema")
        if not found:
            pieces.empty("There are no schemas.")
        with ui.element("div").classes("sk-grid"):
            for each in sorted(found, key=lambda row: str(row.get("schemaName")).lower()):
                _schema(session, each, listed.refresh)

    if session.can_change:
        with ui.element("div").classes("sk-row").style("margin: 0.25rem 0 0.75rem"):
            new = partial(schema_form, session, listed.refresh)
            pieces.button("New schema", new, icon="add")
    await listed()


def _schema(session: Session, row: Json, refresh: Refresh) -> None:
    with ui.element("article").classes("sk-card sk-stack"):
        with ui.element("div").classes("sk-row sk-spread").style("flex-wrap: nowrap"):
            pieces.heading(str(row.get("schemaName")))
            if session.can_change:
                _schema_menu(session, row, refresh)
        with ui.element("div").classes("sk-row").style("gap: 0.35rem"):
            kind = str(row.get("metadataSchemaEntityType") or "")
            pieces.chip(ENTITIES.get(kind, kind), "note")
            pieces.chip(str(row["databaseId"]))
            if row.get("fileKeyTypeRestriction"):
                pieces.chip(str(row["fileKeyTypeRestriction"]))
            if row.get("enabled") is False:
                pieces.chip("disabled", "warn")
        rows = [_field_row(each) for each in schema_fields(row)]
        if rows:
            pieces.table(("field", "type", ""), rows)


def _field_row(row: Json) -> tuple[str, ...]:
    kind = str(row.get("metadataFieldValueType") or "")
    return (
        str(row.get("metadataFieldKeyName")),
        kind,
        pieces.chipped("required", "warn") if row.get("required") else "",
    )


def _schema_menu(session: Session, row: Json, refresh: Refresh) -> None:
    name = str(row.get("schemaName"))
    button = ui.button(icon="more_vert").props("flat round dense").classes("sk-second")
    button.props["aria-label"] = f"Actions on {name}"

    async def delete() -> None:
        path = f"/database/{row['databaseId']}/metadataSchema/{row['metadataSchemaId']}"
        await session.delete(path, {"confirmDelete": True})
        refresh()

    with button, ui.menu():
        ui.menu_item("Change", partial(schema_form, session, refresh, row))
        text = "Values that were written stay."
        ui.menu_item("Delete", partial(confirm, f"Delete {name}?", text, "Delete", delete))


# -- tags


async def _tags(session: Session) -> None:
    @ui.refreshable
    async def listed() -> None:
        types = await session.items_or_none("/tag-types")
        tags = await session.items_or_none("/tags")
        if not types and not tags:
            pieces.empty("There are no tags.", "Make a type first, then its tags.")
        with ui.element("div").classes("sk-grid"):
            for each in types:
                own = [tag for tag in tags if _type_of(tag) == each["tagTypeName"]]
                _tag_type(session, each, own, listed.refresh)

    if session.can_change:
        with ui.element("div").classes("sk-row").style("margin: 0.25rem 0 0.75rem"):
            new = partial(_tag_form, session, listed.refresh)
            pieces.button("New tag", new, icon="add")
            type_form = partial(_type_form, session, listed.refresh)
            pieces.button("New type", type_form, icon="add", is_main=False)
    await listed()


def _type_of(tag: Json) -> str:
    return str(tag.get("tagTypeName") or "").removesuffix(" [R]")


def _tag_type(session: Session, row: Json, tags: list[Json], refresh: Refresh) -> None:
    name = str(row["tagTypeName"])
    with ui.element("article").classes("sk-card sk-stack"):
        with ui.element("div").classes("sk-row sk-spread"):
            pieces.heading(name)
            if str(row.get("required")) == "True":
                pieces.chip("required on assets", "warn")
        pieces.quiet(str(row.get("description") or ""))
        for tag in tags:
            with ui.element("div").classes("sk-row").style("gap: 0.4rem"):
                pieces.chip(str(tag["tagName"]), "note")
                pieces.quiet(str(tag.get("description") or ""))
                if session.can_change:
                    ui.space()
                    _delete_button(session, f"/tags/{tag['tagName']}", str(tag["tagName"]), refresh)
        if not tags:
            pieces.quiet("It has no tags.")
            if session.can_change:
                _delete_button(session, f"/tag-types/{name}", name, refresh)


def _delete_button(session: Session, path: str, name: str, refresh: Refresh) -> None:
    async def delete() -> None:
        async def act() -> None:
            await session.delete(path)

        if await attempt(act, f"{name} is deleted"):
            refresh()

    button = ui.button(icon="delete", on_click=delete).props("flat round dense size=sm")
    button.classes("sk-second").props["aria-label"] = f"Delete {name}"


async def _tag_form(session: Session, refresh: Refresh) -> None:
    types = [str(row["tagTypeName"]) for row in await session.items_or_none("/tag-types")]
    with form("New tag", width="28rem") as dialog:
        if not types:
            pieces.empty("Make a type first.")
            return
        name = field(ui.input("Name")).props("autofocus")
        about = field(ui.input("Description"))
        kind = field(ui.select(types, value=types[0], label="Type"))

        async def create() -> None:
            tag = {
                "tagName": (name.value or "").strip(),
                "description": (about.value or "").strip(),
                "tagTypeName": kind.value,
            }
            await session.post("/tags", tag)
            refresh()

        dialog.buttons("Create", create)


def _type_form(session: Session, refresh: Refresh) -> None:
    with form("New tag type", width="28rem") as dialog:
        name = field(ui.input("Name")).props("autofocus")
        about = field(ui.input("Description"))
        required = ui.switch("Each asset needs a tag of this type")

        async def create() -> None:
            row = {
                "tagTypeName": (name.value or "").strip(),
                "description": (about.value or "").strip(),
                "required": "True" if required.value else "False",
            }
            await session.post("/tag-types", row)
            refresh()

        dialog.buttons("Create", create)
