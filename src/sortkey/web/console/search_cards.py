"""The cards of the search page: a result with what leads on from it, and the values of a field to choose from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

from nicegui import run, ui

from sortkey.connect.searches import KeptSearch
from sortkey.model.entity import Entity
from sortkey.runtime.search import Hit
from sortkey.web.console.items import item_dialog
from sortkey.web.console.pieces import button, chip, code, empty, heading, quiet
from sortkey.web.console.search_results import Filter, facts_of, marks_of, snippets_of, title_of
from sortkey.web.console.search_words import label_of
from sortkey.web.console.showing import pretty
from sortkey.web.console.workspace import Workspace

MARKS = 10
Done = Callable[[], Any]


def choice_id(field: str, value: Any) -> str:
    """What a choice is known by on the page, whatever its value holds."""
    return f"{field}-{str(value).encode().hex()}"


def filter_card(shown: Filter, choose: Callable[[str, Any], Any]) -> None:
    """The values of a field with their counts; several may be chosen."""
    with ui.element("section").classes("sk-card sk-stack").style("gap: 0.1rem"):
        heading(label_of(shown.field), 3)
        for each in shown.choices:
            text = ("yes" if each.value else "no") if isinstance(each.value, bool) else str(each.value)
            with ui.element("div").classes("sk-filter-row"):
                box = ui.checkbox(
                    text, value=each.is_chosen, on_change=partial(_chosen, choose, shown.field, each.value)
                )
                box.props(f'dense data-choice="{choice_id(shown.field, each.value)}"').tooltip(text)
                quiet(f"{each.count:,}")


async def _chosen(choose: Callable[[str, Any], Any], field: str, value: Any) -> None:
    await choose(field, value)


def result_card(workspace: Workspace, kept: KeptSearch, hit: Hit, changed: Done) -> None:
    """A result. Its title leads to the item that it stands for."""
    document = kept.search.document
    with ui.element("article").classes("sk-card sk-stack sk-result"):
        with ui.element("button").classes("sk-title").on("click", partial(_open, workspace, kept, hit.id, changed)):
            ui.html(title_of(document, hit), sanitize=False)
        ui.label(hit.id).classes("sk-mono sk-quiet")
        for label, text in snippets_of(document, hit):
            ui.html(f'<span class="sk-quiet">{escape(label)}:</span> {text}', sanitize=False).classes("sk-small")
        with ui.element("div").classes("sk-row").style("gap: 0.4rem"):
            for mark in marks_of(document, hit)[:MARKS]:
                chip(mark, "warn" if mark == "archived" else "")
            for label, value in facts_of(document, hit):
                quiet(f"{label} {value:,}" if isinstance(value, int) else f"{label} {_moment(value)}")
            ui.space()
            made = button("What is indexed", partial(_document_dialog, workspace, kept, hit, changed), is_main=False)
            made.props("dense flat size=sm")


async def _open(workspace: Workspace, kept: KeptSearch, id: str, changed: Done) -> None:
    parts = await run.io_bound(kept.parts, id)
    if not parts:
        ui.notify("This item is gone; the index will know in a moment.", type="warning")
        return
    _item(workspace, parts[0], changed)


def _item(workspace: Workspace, entity: Entity, changed: Done) -> None:
    table = entity.__layout__.table.name
    key = workspace.key_of(table, entity.to_item())
    item_dialog(workspace, table, workspace.item(table, key), changed)


async def _document_dialog(workspace: Workspace, kept: KeptSearch, hit: Hit, changed: Done) -> None:
    """The document as the index has it, and the items that it is made of."""
    parts = await run.io_bound(kept.parts, hit.id) or []
    with ui.dialog(value=True) as dialog, ui.card().style("width: min(60rem, 94vw); max-width: none; gap: 0.9rem"):
        with ui.element("div").classes("sk-row sk-spread"):
            heading(hit.id)
            chip(f"{kept.model}/{kept.search.document.name}")
        code(pretty(hit.fields))
        heading("Made of", 3)
        if not parts:
            empty("The items are gone.")
        for each in parts:
            with ui.element("div").classes("sk-row"):
                name = type(each).__name__
                button(name, partial(_item, workspace, each, changed), is_main=False).props("dense")
                ui.label(_key(workspace, each)).classes("sk-mono sk-quiet")
        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            button("Close", dialog.close, is_main=False)


def _key(workspace: Workspace, entity: Entity) -> str:
    key = workspace.key_of(entity.__layout__.table.name, entity.to_item())
    return " / ".join(str(next(iter(value.values()))) for value in key.values())


def _moment(text: str) -> str:
    return text.removesuffix("Z").partition(".")[0].replace("T", " ")
