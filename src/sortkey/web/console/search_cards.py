"""The cards of the search page: a result with what leads on from it, and the values of a field to
choose from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

from nicegui import run, ui

from sortkey.connect.searches import KeptSearch
from sortkey.model.documents import Document
from sortkey.model.entity import Entity
from sortkey.runtime.search import Hit
from sortkey.values.attributes import Item
from sortkey.web.console.items import item_dialog
from sortkey.web.console.pieces import button, chip, code, dialog, empty, heading, quiet
from sortkey.web.console.search_labels import label_of
from sortkey.web.console.search_results import Filter, facts_of, marks_of, snippets_of, title_of
from sortkey.web.console.value_display import pretty
from sortkey.web.console.workspace import Workspace

MARKS = 10


def choice_id(field: str, value: Any) -> str:
    """What a choice is known by on the page, whatever its value holds."""
    return f"{field}-{str(value).encode().hex()}"


def filter_card(document: Document[Any], shown: Filter, choose: Callable[[str, Any], Any]) -> None:
    """The values of a field with their counts; several may be chosen."""
    with ui.element("section").classes("sk-card sk-stack").style("gap: 0.1rem"):
        label = label_of(document.fields, shown.field)
        with ui.element("div") as head:
            heading(label, 3)
        head.props["title"] = shown.field
        for each in shown.choices:
            text = (
                ("yes" if each.value else "no") if isinstance(each.value, bool) else str(each.value)
            )
            with ui.element("div").classes("sk-filter-row"):
                box = ui.checkbox(
                    text,
                    value=each.is_chosen,
                    on_change=partial(_chosen, choose, shown.field, each.value),
                )
                box.props(f'dense data-choice="{choice_id(shown.field, each.value)}"').tooltip(text)
                box.props["aria-label"] = f"{label}: {text}"
                quiet(f"{each.count:,}")


async def _chosen(choose: Callable[[str, Any], Any], field: str, value: Any) -> None:
    await choose(field, value)


@dataclass(frozen=True)
class Leading:
    """Where results lead to. Dialogs are opened in a place of their own, which no later result
    takes away.
    """

    workspace: Workspace
    kept: KeptSearch
    place: ui.element
    changed: Callable[[], Any]

    async def to_item(self, id: str) -> None:
        """The item that a document stands for."""
        parts = await run.io_bound(self.kept.parts, id)
        if parts:
            self.open(parts[0])
        else:
            with self.place:
                ui.notify("This item is gone; the index will know in a moment.", type="warning")

    def open(self, entity: Entity) -> None:
        table = entity.__layout__.table.name
        with self.place:
            item_dialog(
                self.workspace, table, self.workspace.item(table, self.key(entity)), self.changed
            )

    def key(self, entity: Entity) -> Item:
        return self.workspace.key_of(entity.__layout__.table.name, entity.to_item())

    async def to_document(self, hit: Hit) -> None:
        """The document as the index has it, and the items that it is made of."""
        parts = await run.io_bound(self.kept.parts, hit.id) or []
        wide = "width: min(60rem, 94vw); max-width: none; gap: 0.9rem"
        with self.place, dialog("What is indexed") as shown, ui.card().style(wide):
            with ui.element("div").classes("sk-row sk-spread"):
                heading(hit.id)
                chip(f"{self.kept.model}/{self.kept.search.document.name}")
            code(pretty(hit.fields))
            heading("Made of", 3)
            for each in parts:
                self._part(each)
            if not parts:
                empty("The items are gone.")
            with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
                button("Close", shown.close, is_main=False)

    def _part(self, entity: Entity) -> None:
        key = " / ".join(str(next(iter(value.values()))) for value in self.key(entity).values())
        with ui.element("div").classes("sk-row"):
            button(type(entity).__name__, partial(self.open, entity), is_main=False).props("dense")
            ui.label(key).classes("sk-mono sk-quiet")


def result_card(leading: Leading, hit: Hit) -> None:
    """A result. Its title leads to the item that it stands for."""
    document = leading.kept.search.document
    with ui.element("article").classes("sk-card sk-stack sk-result"):
        with ui.element("button").classes("sk-title").on("click", partial(leading.to_item, hit.id)):
            ui.html(title_of(document, hit), sanitize=False)
        ui.label(hit.id).classes("sk-mono sk-quiet")
        for label, text in snippets_of(document, hit):
            ui.html(
                f'<span class="sk-quiet">{escape(label)}:</span> {text}', sanitize=False
            ).classes("sk-small")
        with ui.element("div").classes("sk-row").style("gap: 0.4rem"):
            for mark in marks_of(document, hit)[:MARKS]:
                chip(mark, "warn" if mark == "archived" else "")
            for label, value in facts_of(document, hit):
                quiet(
                    f"{label} {value:,}"
                    if isinstance(value, (int, float))
                    else f"{label} {_moment(value)}"
                )
            ui.space()
            shown = button("What is indexed", partial(leading.to_document, hit), is_main=False)
            shown.props("dense flat size=sm")


def _moment(text: str) -> str:
    return text.removesuffix("Z").partition(".")[0].replace("T", " ")
