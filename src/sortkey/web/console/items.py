"""Items in a table, and the dialog of one item, as fields or JSON, validated by the model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, cast

from nicegui import ui

from sortkey.errors import AlreadyExists, InvalidItem, SortkeyError
from sortkey.model.fields import Updated
from sortkey.values.attributes import Item
from sortkey.web.console import item_edits
from sortkey.web.console.attribute_texts import is_plain, text_of, value_of
from sortkey.web.console.pieces import button, chip, dialog, error_text, heading, quiet
from sortkey.web.console.value_display import cell, pretty
from sortkey.web.console.workspace import Workspace, refusal

COLUMNS = 9
ROWS = 22
"""The most visible lines of a value."""
AT, ID, GUARD = "row:at", "row:id", "row:guard"
"""Extra values of a row, with names that no attribute has."""
FIELDS, JSON = "Fields", "DynamoDB JSON"
"""The two tabs of the editor. The visible one is saved."""
Done = Callable[[], Any]


def items_table(
    workspace: Workspace, table: str, items: Sequence[Item], changed: Done = lambda: None
) -> None:
    """Rows that open an item. The key comes first, then the kind, then the most common attributes.

    Guards come last and add no columns: nobody looks for them.
    """
    items = sorted(items, key=lambda item: workspace.is_guard(table, item))
    shown = [_spread(workspace, table, item) for item in items]
    names = columns(workspace, table, shown)
    heads = [
        {"name": name, "label": name, "field": name, "align": "left", "sortable": True}
        for name in names
    ]
    ids = [_row_id(workspace, table, item) for item in items]
    rows = [
        {
            **{name: cell(item.get(name)) for name in names},
            AT: at,
            ID: ids[at],
            GUARD: workspace.is_guard(table, item),
        }
        for at, item in enumerate(shown)
    ]
    element = ui.table(columns=heads, rows=rows, row_key=AT).props("flat dense").classes("w-full")
    element.add_slot(
        "body",
        rf"""
        <q-tr :props="props" tabindex="0" style="cursor: pointer" :data-back="props.row['{ID}']"
              :class="{{'sk-guard': props.row['{GUARD}']}}"
              @click="() => $parent.$emit('open', props.row['{AT}'])"
              @keydown.enter="() => $parent.$emit('open', props.row['{AT}'])">
          <q-td v-for="col in props.cols" :key="col.name" :props="props" :title="col.value">{{{{ col.value }}}}</q-td>
        </q-tr>
        """,
    )
    element.on(
        "open",
        lambda event: item_dialog(
            workspace, table, items[int(event.args)], changed, back=ids[int(event.args)]
        ),
    )


def _row_id(workspace: Workspace, table: str, item: Item) -> str:
    return " / ".join(cell(item.get(name)) for name in workspace.key_names(table))


def _spread(workspace: Workspace, table: str, item: Item) -> Item:
    """An item with its envelope replaced by the members, and index keys last."""
    entity = workspace.entity_of(table, item)
    envelope = entity.__layout__.envelope if entity else None
    if envelope is None or envelope not in item:
        return item
    inside: Any = item[envelope].get("M", {})
    spread = {f"{envelope}.{name}": value for name, value in inside.items()}
    return {**spread, **{name: value for name, value in item.items() if name != envelope}}


def columns(workspace: Workspace, table: str, items: Sequence[Item]) -> list[str]:
    """The attributes to show: fields before index keys, without secrets."""
    keys = list(workspace.key_names(table))
    declared = workspace.table(table)
    kind = declared.kind_attribute if declared else ""
    of_indexes = (
        [declared.key_attributes(index.name).names for index in declared.indexes]
        if declared
        else []
    )
    places = [
        place
        for entity in (declared.entities if declared else ())
        for place in entity.__layout__.places.values()
    ]
    last = set(chain.from_iterable(of_indexes)) - {place.attribute for place in places}
    # Timestamps are long and seldom interesting.
    last |= {place.attribute for place in places if Updated in place.markers}
    secret = {place.attribute for place in places if not place.info.repr}
    counts: dict[str, int] = {}
    for item in [row for row in items if not workspace.is_guard(table, row)] or items:
        for name in item:
            counts[name] = counts.get(name, 0) + 1
    others = [name for name in counts if name not in keys and name != kind and name not in secret]
    others.sort(key=lambda name: (name in last, -counts[name]))
    return [*keys, *([kind] if kind in counts else []), *others][:COLUMNS]


def item_dialog(
    workspace: Workspace,
    table: str,
    item: Item | None,
    changed: Done = lambda: None,
    back: str = "",
) -> None:
    """Show an item to read, change or delete, or a new one. For `back` see `dialog`."""
    keys = workspace.key_names(table)
    start = {name: (item or {}).get(name, {"S": ""}) for name in keys} | (item or {})
    heading_text = _heading(workspace, table, item)
    with (
        dialog(heading_text, back) as shown,
        ui.card().style("width: min(60rem, 94vw); max-width: none; gap: 0.9rem"),
    ):
        with ui.element("div").classes("sk-row sk-spread"):
            heading(heading_text)
            chip(table)
        if item is not None and workspace.is_guard(table, item):
            quiet(
                "This guard keeps a value unique. Sortkey writes and deletes it together with the "
                "item that has the value."
            )
        with ui.tabs().props("dense align=left no-caps") as tabs:
            ui.tab(FIELDS)
            ui.tab(JSON)
        with (
            ui.tab_panels(tabs, value=FIELDS if item else JSON)
            .classes("w-full")
            .props("animated=false")
        ):
            with ui.tab_panel(FIELDS):
                inputs = _fields(start)
            with ui.tab_panel(JSON):
                editor = ui.textarea("The whole item", value=pretty(start)).props(
                    "outlined rows=18"
                )
                editor.classes("w-full sk-editor")
        problems = ui.element("div").classes("sk-stack")

        def read() -> Item:
            return _parsed(editor.value or "") if tabs.value == JSON else _changed(start, inputs)

        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            if item is not None:
                button(
                    "Delete", lambda: _delete(workspace, table, item, shown, changed), is_main=False
                )
            button("Close", shown.close, is_main=False)
            button("Save", lambda: _save(workspace, table, item, read, problems, shown, changed))


def _heading(workspace: Workspace, table: str, item: Item | None) -> str:
    if item is None:
        return "New item"
    if workspace.is_guard(table, item):
        return "Guard of a unique value"
    entity = workspace.entity_of(table, item)
    return entity.__name__ if entity else "Item"


def _fields(item: Item) -> dict[str, ui.input | ui.textarea]:
    """An input for each attribute: strings and numbers as they are, the rest as JSON."""
    inputs: dict[str, ui.input | ui.textarea] = {}
    with ui.element("div").classes("sk-stack sk-fields"):
        for name, value in item.items():
            shown = text_of(value)
            label = f"{name} ({next(iter(value))})" + (
                "" if is_plain(value) else ", in DynamoDB JSON"
            )
            is_long = len(shown) > 120 or "\n" in shown
            element = ui.textarea(label, value=shown) if is_long else ui.input(label, value=shown)
            element.props("outlined dense stack-label").classes("w-full")
            if is_long:
                element.props(f"rows={min(ROWS, max(3, shown.count(chr(10)) + 1))}").classes(
                    "sk-editor"
                )
            inputs[name] = element
    return inputs


def _changed(item: Item, inputs: dict[str, ui.input | ui.textarea]) -> Item:
    return {name: value_of(inputs[name].value or "", like=value) for name, value in item.items()}


def _parsed(text: str) -> Item:
    """Raises ValueError if the text is not a JSON object."""
    item = json.loads(text)
    if not isinstance(item, dict):
        raise ValueError("An item must be a JSON object: { … }")
    return cast(Item, item)


def _save(
    workspace: Workspace,
    table: str,
    old: Item | None,
    read: Callable[[], Item],
    problems: ui.element,
    shown: ui.dialog,
    changed: Done,
) -> None:
    problems.clear()
    try:
        item_edits.replace(workspace, table, old, read())
    except AlreadyExists as error:
        with problems:
            _offer(workspace, table, error, shown, changed)
    except InvalidItem as error:
        with problems:
            for fault in error.faults:
                error_text(fault)
    except (SortkeyError, ValueError, KeyError) as error:
        with problems:
            error_text(
                f"Not valid JSON: {error}"
                if isinstance(error, json.JSONDecodeError)
                else refusal(error)
            )
    else:
        shown.close()
        ui.notify("Saved", type="positive")
        changed()


def _offer(
    workspace: Workspace, table: str, error: AlreadyExists, shown: ui.dialog, changed: Done
) -> None:
    """Offer to open the item that already has the key."""

    def open_it() -> None:
        shown.close()
        item_dialog(workspace, table, error.item, changed)

    error_text(f"{refusal(error)}. Open it to change it, or give the new item another key.")
    if error.item is not None:  # not deleted meanwhile
        button("Open the existing item", open_it, icon="open_in_new", is_main=False)


def _delete(workspace: Workspace, table: str, item: Item, shown: ui.dialog, changed: Done) -> None:
    with dialog("Delete this item?") as confirmation, ui.card():
        ui.label(f"Delete this item? {item_edits.recovery_note(workspace, table)}")
        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            button("Cancel", confirmation.close, is_main=False)
            button("Delete", lambda: delete()).props("color=negative")

    def delete() -> None:
        item_edits.delete(workspace, table, workspace.key_of(table, item))
        confirmation.close()
        shown.close()
        ui.notify("Deleted")
        changed()
