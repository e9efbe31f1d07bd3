"""The form of a metadata schema, with its fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.forms import field, form
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.json_values import Json, object_of, objects_of
from sortkey_systems.vams.console.metadata import TYPES

ENTITIES = {
    "databaseMetadata": "databases",
    "assetMetadata": "assets",
    "fileMetadata": "files",
    "fileAttribute": "file attributes",
    "assetLinkMetadata": "links",
}
LIST = "inline_controlled_list"


async def schema_form(
    session: Session, refresh: Callable[[], object], known: Json | None = None
) -> None:
    """Make or change a schema."""
    row = known or {}
    databases = [
        "GLOBAL",
        *(str(each["databaseId"]) for each in await session.items_or_none("/database")),
    ]
    with form("Change the schema" if known else "New schema", width="50rem") as dialog:
        name = field(ui.input("Name", value=str(row.get("schemaName") or "")))
        database = field(
            ui.select(databases, value=row.get("databaseId") or "GLOBAL", label="Database")
        )
        start = row.get("metadataSchemaEntityType") or "assetMetadata"
        entity = field(ui.select(ENTITIES, value=start, label="For"))
        for each in (database, entity) if known else ():
            each.disable()
        endings = field(
            ui.input(
                "Only files with these extensions",
                value=str(row.get("fileKeyTypeRestriction") or ""),
                placeholder=".glb,.gltf; empty: all",
            )
        )
        endings.bind_visibility_from(entity, "value", backward=_is_of_files)
        rows = _FieldRows(row)
        rows.draw()
        enabled = ui.switch("Enabled", value=row.get("enabled") is not False)

        async def save() -> None:
            body: Json = {
                "databaseId": database.value,
                "metadataSchemaEntityType": entity.value,
                "schemaName": (name.value or "").strip(),
                "fields": {"fields": rows.read()},
                "enabled": bool(enabled.value),
            }
            if str(entity.value).startswith("file") and (endings.value or "").strip():
                body["fileKeyTypeRestriction"] = endings.value.strip()
            if known:
                await session.put(
                    "/metadataschema", {**body, "metadataSchemaId": row["metadataSchemaId"]}
                )
            else:
                await session.post("/metadataschema", body)
            refresh()

        dialog.buttons("Save", save)


def schema_fields(schema: Json) -> list[Json]:
    """The fields of a schema in an answer."""
    return objects_of(object_of(schema.get("fields")).get("fields"))


def _is_of_files(entity: Any) -> bool:
    return str(entity).startswith("file")


class _FieldRows:
    """The fields of the schema; what the form does not show is kept."""

    def __init__(self, schema: Json) -> None:
        self._rows = [dict(each) for each in schema_fields(schema)] or [_empty_row()]

    def draw(self) -> None:
        @ui.refreshable
        def rows() -> None:
            for at, row in enumerate(self._rows):
                self._draw_row(at, row, rows.refresh)

        with ui.element("div").classes("sk-stack sk-fields"):
            rows()

        def add() -> None:
            self._rows.append(_empty_row())
            rows.refresh()

        pieces.button("Add a field", add, icon="add", is_main=False).props("dense")

    def _draw_row(self, at: int, row: Json, refresh: Callable[[], object]) -> None:
        with ui.element("div").classes("va-rule"):
            name = ui.input("Field", value=row["metadataFieldKeyName"])
            types = [*TYPES, LIST]
            kind = ui.select(types, value=row["metadataFieldValueType"], label="Type")
            choices = ui.input(
                "Choices, with commas", value=",".join(row.get("controlledListKeys") or [])
            )
            choices.bind_visibility_from(kind, "value", value=LIST)
            required = ui.checkbox("required", value=bool(row.get("required")))
            required.bind_visibility_from(kind, "value", backward=lambda value: value != LIST)
            for each in (name, kind, choices):
                each.props("outlined dense")

            def remove() -> None:
                self._rows.pop(at)
                refresh()

            button = ui.button(icon="close", on_click=remove).props("flat round dense")
            button.classes("sk-second").props["aria-label"] = "Remove the field"
        name.on_value_change(_setter(row, "metadataFieldKeyName"))
        kind.on_value_change(_setter(row, "metadataFieldValueType"))
        required.on_value_change(_setter(row, "required"))
        choices.on_value_change(lambda event: row.update(controlledListKeys=_split(event.value)))

    def read(self) -> list[Json]:
        """The fields that have a name, in order."""
        named = [row for row in self._rows if str(row["metadataFieldKeyName"]).strip()]
        return [{**row, "sequence": at + 1} for at, row in enumerate(named)]


def _empty_row() -> Json:
    return {"metadataFieldKeyName": "", "metadataFieldValueType": "string", "required": False}


def _setter(row: Json, name: str) -> Callable[[Any], None]:
    return lambda event: row.update({name: event.value})


def _split(text: Any) -> list[str]:
    return [part.strip() for part in str(text or "").split(",") if part.strip()]
