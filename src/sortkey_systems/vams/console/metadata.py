"""Metadata as a form: the fields of schemas with their types, and values that nobody planned."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.web.console import pieces
from sortkey_systems.vams.console.forms import attempt, field, form
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.json_values import Json, object_of
from sortkey_systems.vams.console.metadata_fields import MetadataField, fields_of

TYPES = (
    "string",
    "multiline_string",
    "number",
    "boolean",
    "date",
    "xyz",
    "wxyz",
    "lla",
    "geopoint",
    "geojson",
    "matrix4x4",
    "json",
)
PARTS = {"xyz": ("x", "y", "z"), "wxyz": ("w", "x", "y", "z"), "lla": ("lat", "long", "alt")}
"""Types that are edited as several numbers."""
LONG = {"multiline_string", "matrix4x4", "geopoint", "geojson", "json"}
Read = Callable[[], str]


async def metadata_panel(
    session: Session, path: str, query: Mapping[str, str] | None = None
) -> None:
    """The form of one entity. `query` names the file, and whether its metadata or attributes."""
    await _Metadata(session, path, dict(query or {})).draw()


class _Metadata:
    def __init__(self, session: Session, path: str, query: dict[str, str]) -> None:
        self._session, self._path, self._query = session, path, query
        self._readers: dict[str, Read] = {}
        self._fields: dict[str, MetadataField] = {}

    async def draw(self) -> None:
        @ui.refreshable
        async def content() -> None:
            await self._draw_content()

        self._refresh: Callable[[], object] = content.refresh
        with ui.element("section").classes("sk-card sk-stack"):
            await content()

    async def _draw_content(self) -> None:
        answer = await self._session.get(self._path, **self._query)
        is_strict = bool(answer.get("restrictMetadataOutsideSchemas"))
        found: list[Json] = answer.get("metadata") or []
        fields = fields_of(found)
        self._fields = {each.name: each for each in fields}
        self._readers = {}
        if not fields:
            pieces.quiet("There is no metadata, and no schema asks for any.")
        with ui.element("div").classes("sk-stack").style("gap: 0"):
            for each in fields:
                self._draw_field(each)
        if self._session.can_change:
            with ui.element("div").classes("sk-row").style("margin-top: 0.5rem"):
                if fields:
                    pieces.button("Save", self._save)
                if not is_strict:
                    pieces.button("Add a value", self._add, icon="add", is_main=False)

    # -- fields

    def _draw_field(self, each: MetadataField) -> None:
        with ui.element("div").classes("va-value"):
            with ui.element("div").classes("va-value-name"):
                ui.label(each.name + (" *" if each.is_required else "")).classes("va-name")
                about = ", ".join(filter(None, (each.kind, each.schema)))
                pieces.quiet(about)
                if each.has_conflict:
                    pieces.chip("schemas differ", "warn")
            with ui.element("div"):
                self._readers[each.name] = draw_editor(each, is_fixed=not self._session.can_change)
            if self._session.can_change and each.value and not each.is_required:
                remove = ui.button(icon="delete", on_click=self._remover(each.name))
                remove.props("flat round dense").classes("sk-second")
                remove.props["aria-label"] = f"Delete {each.name}"

    def _remover(self, name: str) -> Callable[[], Any]:
        async def remove() -> None:
            async def act() -> None:
                body = {"metadataKeys": [name], **self._query}
                _raise_failed(await self._session.delete(self._path, body))

            if await attempt(act, f"{name} is deleted"):
                self._refresh()

        return remove

    async def _save(self) -> None:
        async def act() -> None:
            changed = [
                {
                    "metadataKey": name,
                    "metadataValue": value,
                    "metadataValueType": self._fields[name].kind,
                }
                for name, read in self._readers.items()
                if (value := read()) != self._fields[name].value
            ]
            if changed:
                await self._write(changed)

        if await attempt(act, "Saved"):
            self._refresh()

    async def _write(self, items: list[Json]) -> None:
        body = {"metadata": items, "updateType": "update", **self._query}
        _raise_failed(await self._session.put(self._path, body))

    def _add(self) -> None:
        with form("Add a value") as dialog:
            name = field(ui.input("Name", placeholder="manufacturer")).props("autofocus")
            is_attribute = self._query.get("type") == "attribute"
            types = ["string"] if is_attribute else list(TYPES)
            kind = field(ui.select(types, value="string", label="Type"))
            readers: list[Read] = []

            @ui.refreshable
            def editor() -> None:
                readers[:] = [draw_editor(MetadataField("Value", str(kind.value)))]

            editor()
            kind.on_value_change(lambda: editor.refresh())

            async def add() -> None:
                key = (name.value or "").strip()
                item = {
                    "metadataKey": key,
                    "metadataValue": readers[0](),
                    "metadataValueType": kind.value,
                }
                await self._write([item])
                self._refresh()

            dialog.buttons("Add", add)


def _raise_failed(answer: Json) -> None:
    """A write may fail for some keys only."""
    failed: list[Json] = answer.get("failedItems") or []
    if failed:
        texts = (f"{each.get('key')}: {each.get('error')}" for each in failed[:3])
        raise SortkeyError("; ".join(texts))


# -- editors


def draw_editor(each: MetadataField, *, is_fixed: bool = False) -> Read:
    """The editor of a value by its type; what it gives reads the value as text."""
    if each.kind in PARTS:
        return _draw_numbers(each, is_fixed)
    editor = _editor(each)
    editor.props("outlined dense").classes("w-full")
    editor.props["aria-label"] = each.name
    if is_fixed:
        editor.props("readonly")
    return lambda: "" if editor.value is None else str(editor.value)


def _editor(each: MetadataField) -> Any:
    if each.choices:
        options = ["", *each.choices]
        known = each.value if each.value in options else ""
        return ui.select(options, value=known)
    if each.kind == "boolean":
        known = each.value if each.value in ("true", "false") else ""
        return ui.select({"": "", "true": "yes", "false": "no"}, value=known)
    if each.kind in LONG:
        return ui.textarea(value=each.value).props("autogrow")
    if each.kind == "number":
        return ui.input(value=each.value).props("inputmode=decimal")
    if each.kind == "date" and len(each.value) in (0, 10):
        return ui.input(value=each.value).props("type=date")
    return ui.input(value=each.value, placeholder=each.default)


def _draw_numbers(each: MetadataField, is_fixed: bool) -> Read:
    names = PARTS[each.kind]
    try:
        loaded: Any = json.loads(each.value) if each.value else {}
    except ValueError:
        loaded = {}
    known = object_of(loaded)
    boxes: dict[str, ui.input] = {}
    with ui.element("div").classes("va-numbers"):
        for name in names:
            value = known.get(name)
            box = ui.input(name, value="" if value is None else str(value))
            box.props("outlined dense inputmode=decimal")
            box.props["aria-label"] = f"{each.name} {name}"
            if is_fixed:
                box.props("readonly")
            boxes[name] = box

    def read() -> str:
        texts = {name: (box.value or "").strip() for name, box in boxes.items()}
        if not any(texts.values()):
            return ""
        numbers = {name: _number(each.name, text) for name, text in texts.items()}
        return each.value if numbers == known else json.dumps(numbers)

    return read


def _number(name: str, text: str) -> float | int:
    try:
        value = float(text or 0)
    except ValueError:
        raise SortkeyError(f"{name}: {text!r} is not a number") from None
    return int(value) if value.is_integer() else value
