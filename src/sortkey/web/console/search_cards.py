"""The cards of the search page: results with links to their items, and filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

from nicegui import run, ui

from sortkey.connect.searches import ManagedSearch
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
    """The id of a choice on the page, safe for any value."""
    return f"{field}-{str(value).encode().hex()}"


def filter_card(document: Document[Any], shown: Filter, choose: Callable[[str, Any], Any]) -> None:
    """The values of a field with their counts. Several can be chosen."""
    with ui.element("section").classes("sk-card sk-stack").style("gap: 0.1rem"):
        label = label_of(document.fields, shown.field)
        with ui.element("div") as head:
            heading(label, 3)
        head.props["title"] = shown.field
        for choice in shown.choices:
            text = _choice_text(choice.value)
            with ui.element("div").classes("sk-filter-row"):
                box = ui.checkbox(
                    text,
                    value=choice.is_chosen,
                    on_change=partial(_chosen, choose, shown.field, choice.value),
                )
                box.props(f'dense data-choice="{choice_id(shown.field, choice.value)}"').tooltip(
                    text
                )
                box.props["aria-label"] = f"{label}: {text}"
                quiet(f"{choice.count:,}")


def _choice_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


async def _chosen(choose: Callable[[str, Any], Any], field: str, value: Any) -> None:
    await choose(field, value)


@dataclass(frozen=True)
class ResultLinks:
    """Opens the items of results. Dialogs are opened in `place`, which later results do not
    replace.
    """

    workspace: Workspace
    kept: ManagedSearch
    place: ui.element
    changed: Callable[[], Any]

    async def to_item(self, id: str) -> None:
        """Open the item of a document."""
        parts = await run.io_bound(self.kept.parts, id)
        if parts:
            self.open(parts[0])
        else:
            with self.place:
                ui.notify(
                    "This item has been deleted. The index will be updated in a moment.",
                    type="warning",
                )

    def open(self, entity: Entity) -> None:
        table = entity.__layout__.table.name
        with self.place:
            item_dialog(
                self.workspace, table, self.workspace.item(table, self.key(entity)), self.changed
            )

    def key(self, entity: Entity) -> Item:
        return self.workspace.key_of(entity.__layout__.table.name, entity.to_item())

    async def to_document(self, hit: Hit) -> None:
        """Show the indexed document, and the items that it is built from."""
        parts = await run.io_bound(self.kept.parts, hit.id) or []
        wide = "width: min(60rem, 94vw); max-width: none; gap: 0.9rem"
        with self.place, dialog("Indexed document") as shown, ui.card().style(wide):
            with ui.element("div").classes("sk-row sk-spread"):
                heading(hit.id)
                chip(f"{self.kept.model}/{self.kept.search.document.name}")
            code(pretty(hit.fields))
            heading("Built from", 3)
            for part in parts:
                self._part(part)
            if not parts:
                empty("The items have been deleted.")
            with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
                button("Close", shown.close, is_main=False)

    def _part(self, entity: Entity) -> None:
        key = " / ".join(str(next(iter(value.values()))) for value in self.key(entity).values())
        with ui.element("div").classes("sk-row"):
            button(type(entity).__name__, partial(self.open, entity), is_main=False).props("dense")
            ui.label(key).classes("sk-mono sk-quiet")


def result_card(links: ResultLinks, hit: Hit) -> None:
    """A result. Its title opens the item."""
    document = links.kept.search.document
    with ui.element("article").classes("sk-card sk-stack sk-result"):
        with ui.element("button").classes("sk-title").on("click", partial(links.to_item, hit.id)):
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
            shown = button("Indexed document", partial(links.to_document, hit), is_main=False)
            shown.props("dense flat size=sm")


def _moment(text: str) -> str:
    return text.removesuffix("Z").partition(".")[0].replace("T", " ")
