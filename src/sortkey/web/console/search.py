"""Search: documents of the models while you type, with filters, sorting and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from nicegui import run, ui
from nicegui.events import ValueChangeEventArguments

from sortkey.connect.searches import ManagedSearch, Searches
from sortkey.errors import SortkeyError
from sortkey.web.console.pieces import button, chip, empty, error_text, quiet, repeat
from sortkey.web.console.search_cards import ResultLinks, choice_id, filter_card, result_card
from sortkey.web.console.search_results import (
    Results,
    SearchRequest,
    run_search,
    sorts_of,
    useful_facets,
)
from sortkey.web.console.search_words import HELP
from sortkey.web.console.shell import title
from sortkey.web.console.workspace import Workspace, refusal

LOOK_SECONDS = 1.0
UNREADABLE = (SortkeyError, OSError)
"""Errors of an index that was never opened or no longer exists."""
CSS = """
.sk-search { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 1rem; align-items: start; width: 100%; }
.sk-search.is-whole { grid-template-columns: minmax(0, 1fr); } .sk-search.is-whole .sk-filters { display: none; }
.sk-filters { display: flex; flex-direction: column; gap: 0.75rem; min-width: 0; }
.sk-filters .sk-card { padding: 0.75rem 0.9rem; }
.sk-filter-row { display: flex; align-items: center; justify-content: space-between; gap: 0.5rem; width: 100%; }
.sk-filter-row .q-checkbox { flex: 1 1 auto; min-width: 0; font-size: var(--text-s); }
.sk-filter-row .q-checkbox__label { overflow: hidden; text-overflow: ellipsis; }
.sk-toggle { display: none !important; }
.sk-result { gap: 0.3rem; }
.sk-result em { font-style: normal; font-weight: 650; background: var(--warn-soft); color: var(--warn);
  border-radius: 3px; padding: 0 0.15em; }
button.sk-title { all: unset; cursor: pointer; color: var(--accent); font-weight: 600; overflow-wrap: anywhere; }
button.sk-title:hover { text-decoration: underline; }
button.sk-title:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
@media (max-width: 900px) { .sk-search { grid-template-columns: minmax(0, 1fr); }
  .sk-toggle { display: inline-flex !important; } .sk-filters:not(.is-open) { display: none; } }
"""


async def search_page(workspace: Workspace, of: str = "", q: str = "") -> None:
    title("Search", "Find items by words and values. Results appear while you type.")
    searches = workspace.search
    if searches is None or not searches.declared:
        empty(
            "No model declares a search document.",
            "Use `model.searchable(document)`: see docs/how-to/search.md.",
        )
    elif searches.address is None:
        empty(
            f"Search needs the address of an OpenSearch: {', '.join(searches.declared)} can be "
            "searched there.",
            '`sortkey up --aws <region> --search "https://<host>?region=<region>"`',
        )
    else:
        ui.add_css(CSS)
        await _Page(
            workspace, searches, of if of in searches.declared else searches.declared[0], q
        ).show()


class _Page:
    """The search request and its results. A new request replaces one that is still running."""

    def __init__(self, workspace: Workspace, searches: Searches, of: str, words: str) -> None:
        self.workspace, self.searches, self.of = workspace, searches, of
        self.request = SearchRequest(words)
        self.before: list[str | None] = []
        self.turn = 0
        self.client = ui.context.client
        self.seen: tuple[Any, ...] = ()
        self.fields: list[str] = []
        self.learned_for = ("", 0)

    async def show(self) -> None:
        with ui.element("div").classes("sk-card sk-stack").style("gap: 0.6rem"):
            with ui.element("div").classes("sk-row"):
                self._box()
                self._choices()
            quiet(HELP)
        self.state = ui.element("div").classes("sk-row").props('role="status"')
        with ui.element("div").classes("sk-search") as self.columns:
            self.filters = ui.element("aside").classes("sk-filters").props('aria-label="Filters"')
            self.results = ui.element("div").classes("sk-stack").style("gap: 0.75rem")
            self.results.props('role="region" aria-label="Results"')
        self.dialogs = ui.element(
            "div"
        )  # outside the results, which may change while a dialog is open
        await self.draw()
        repeat(LOOK_SECONDS, self._look)

    def _box(self) -> None:
        box = ui.input("Search", value=self.request.words, on_change=self._typed)
        box.props("outlined dense clearable autofocus debounce=150 type=search autocomplete=off")
        box.style("flex: 4 1 18rem").on("keydown.enter", self.draw)
        with box.add_slot("prepend"):
            ui.icon("search").props('aria-hidden="true"')

    @ui.refreshable_method
    def _choices(self) -> None:
        if len(self.searches.declared) > 1:
            ui.select(
                self.searches.declared, value=self.of, label="Search in", on_change=self._other
            ).props("outlined dense").style("flex: 1 1 10rem")
        if self.of in self.searches:
            orders = sorts_of(self.searches[self.of].search.document)
            ui.select(orders, value=self.request.sort, label="Order", on_change=self._sorted).props(
                "outlined dense"
            ).style("flex: 1 1 12rem")

    # -- user actions

    async def _typed(self, event: ValueChangeEventArguments[str | None]) -> None:
        await self._search(replace(self.request, words=event.value or ""))

    async def _other(self, event: ValueChangeEventArguments[str]) -> None:
        self.of, self.request = event.value, SearchRequest(self.request.words)
        self._choices.refresh()
        await self._search(self.request)

    async def _sorted(self, event: ValueChangeEventArguments[str]) -> None:
        await self._search(replace(self.request, sort=event.value))

    async def _choose(self, field: str, value: Any) -> None:
        now = self.request.chosen.get(field, frozenset())
        await self._search(
            replace(self.request, chosen={**self.request.chosen, field: now ^ {value}})
        )
        self.client.run_javascript(
            f"document.querySelector('[data-choice=\"{choice_id(field, value)}\"]')?.focus()"
        )

    async def _without_filters(self) -> None:
        await self._search(replace(self.request, chosen={}))

    async def _turn_to(self, cursor: str | None, before: list[str | None]) -> None:
        self.before = before
        self.request = replace(self.request, cursor=cursor)
        await self.draw()
        self.client.run_javascript("window.scrollTo({top: 0})")

    async def _search(self, request: SearchRequest) -> None:
        self.before, self.request = [], replace(request, cursor=None)
        await self.draw()
        there = urlencode({"of": self.of, "q": self.request.words})
        self.client.run_javascript(f"history.replaceState(history.state, '', '?{there}')")

    async def _look(self) -> None:
        """Show what was indexed meanwhile."""
        if await self._pulse() != self.seen:
            self._choices.refresh()
            await self.draw()

    # -- display

    @property
    def _kept(self) -> ManagedSearch | None:
        return self.searches.get(self.of)

    async def draw(self) -> None:
        self.turn += 1
        turn, kept = self.turn, self._kept
        results: Results | Exception | None = None
        self.seen = await self._pulse()
        if kept is not None:
            await self._learn(kept)
            results = await run.io_bound(_run_search, kept, self.request, self.fields)
        if turn != self.turn:
            return
        for element in (self.state, self.filters, self.results):
            element.clear()
        with self.state:
            self._state(kept, results if isinstance(results, Results) else None)
        is_whole = not isinstance(results, Results) or not results.filters
        self.columns.classes(
            add="is-whole" if is_whole else "", remove="" if is_whole else "is-whole"
        )
        if kept is None or results is None:
            return
        with self.results:
            if isinstance(results, Exception):
                if kept.state != "failed":  # the state says why
                    error_text(refusal(results))
                return
            self._results(kept, results)
        with self.filters:
            for field_filter in results.filters:
                filter_card(kept.search.document, field_filter, self._choose)

    async def _pulse(self) -> tuple[Any, ...]:
        """A value that changes when something is new. Its last element is the document count."""
        kept = self._kept
        pulse = None if kept is None else await run.io_bound(_pulse, kept)
        return pulse or (self.searches.problem, 0)  # also while the server stops

    async def _learn(self, kept: ManagedSearch) -> None:
        """Find the fields to filter by. Repeat when the number of documents has doubled."""
        of, count = self.learned_for
        now: int = self.seen[-1]
        if of != self.of or now > 2 * count:
            self.fields = await run.io_bound(_useful_facets, kept) or []
            self.learned_for = self.of, now

    def _state(self, kept: ManagedSearch | None, results: Results | None) -> None:
        if kept is None and self.searches.problem:
            error_text(self.searches.problem)
        elif kept is None or kept.state == "waiting":
            chip("The index is being opened …", "note")
        elif kept.state == "building":
            chip(f"The index is being built: {kept.written:,} documents so far", "note")
        elif kept.state == "failed":
            chip("The index cannot be updated; retrying", "bad")
            quiet(kept.problem)
        if results is not None and kept is not None:
            chip(f"{results.page.total:,} found", "note")
            chip(f"{self.seen[-1]:,} in {kept.model}/{kept.search.document.name}")
            chip(f"{results.milliseconds:.1f} ms")
            if results.filters:
                toggle = button(
                    "Filters",
                    lambda: self.filters.classes(toggle="is-open"),
                    icon="tune",
                    is_main=False,
                )
                toggle.classes("sk-toggle").props("dense")
            if any(self.request.chosen.values()):
                button(
                    "Clear filters", self._without_filters, icon="filter_alt_off", is_main=False
                ).props("dense")

    def _results(self, kept: ManagedSearch, results: Results) -> None:
        if not results.page.hits:
            self._nothing(kept)
            return
        if results.are_similar:
            quiet("No exact matches. These have similar words:")
        for hit in results.page.hits:
            result_card(ResultLinks(self.workspace, kept, self.dialogs, self.draw), hit)
        with ui.element("div").classes("sk-row"):
            if self.before:
                *before, last = self.before
                button(
                    "Back", partial(self._turn_to, last, before), icon="arrow_back", is_main=False
                )
            if results.page.cursor is not None:
                further = partial(
                    self._turn_to, results.page.cursor, [*self.before, self.request.cursor]
                )
                button("Next", further, icon="arrow_forward", is_main=False)

    def _nothing(self, kept: ManagedSearch) -> None:
        if not self.seen[-1]:
            if kept.state == "ready":
                empty("The index is empty.", "Put an item: you can find it a moment later.")
        elif any(self.request.chosen.values()):
            empty("Nothing matches these words and filters.", "Remove filters.")
        else:
            empty("Nothing was found.", "Use fewer words, or only their beginnings.")


def _useful_facets(kept: ManagedSearch) -> list[str]:
    try:
        return useful_facets(kept.search)
    except UNREADABLE:
        return []


def _run_search(
    kept: ManagedSearch, request: SearchRequest, fields: Sequence[str]
) -> Results | Exception | None:
    """The results, or None if the index is not ready."""
    if kept.state == "waiting":
        return None
    try:
        return run_search(kept.search, request, fields)
    except UNREADABLE as error:
        return error


def _pulse(kept: ManagedSearch) -> tuple[Any, ...]:
    try:
        count = kept.search.count() if kept.state != "waiting" else 0
    except UNREADABLE:
        count = 0
    return kept.state, kept.written, kept.followed, count
