"""Search: the documents of the models, found while one types; narrowed by values, ordered, page by
page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from nicegui import run, ui
from nicegui.events import ValueChangeEventArguments

from sortkey.connect.searches import KeptSearch, Searches
from sortkey.errors import SortkeyError
from sortkey.web.console.pieces import again, button, chip, empty, quiet, refused
from sortkey.web.console.search_cards import Leading, choice_id, filter_card, result_card
from sortkey.web.console.search_results import Asked, Results, ask, sorts_of, telling_fields
from sortkey.web.console.search_words import HELP
from sortkey.web.console.shell import title
from sortkey.web.console.workspace import Workspace, refusal

LOOK_SECONDS = 1.0
UNREADABLE = (SortkeyError, OSError)
"""What an index may answer with that was never opened, or is gone."""
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
    title("Search", "Find items by words and values. Results come while you type.")
    searches = workspace.search
    if searches is None or not searches.declared:
        empty(
            "No model declares what is searchable.",
            "`model.searchable(document)` does: see docs/how-to/search.md.",
        )
    elif searches.address is None:
        empty(
            f"Search needs an address: {', '.join(searches.declared)} can be searched on "
            "OpenSearch.",
            '`sortkey up --aws <region> --search "https://<host>?region=<region>"`',
        )
    else:
        ui.add_css(CSS)
        await _Page(
            workspace, searches, of if of in searches.declared else searches.declared[0], q
        ).show()


class _Page:
    """What is asked for, and what is found. A later question overtakes an earlier one that is still
    under way.
    """

    def __init__(self, workspace: Workspace, searches: Searches, of: str, words: str) -> None:
        self.workspace, self.searches, self.of = workspace, searches, of
        self.asked = Asked(words)
        self.before: list[str | None] = []
        self.turn = 0
        self.client = ui.context.client
        self.seen: tuple[Any, ...] = ()
        self.fields: list[str] = []
        self.learnt_of = ("", 0)

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
        self.dialogs = ui.element("div")  # beside the results: these may change while one is open
        await self.draw()
        again(LOOK_SECONDS, self._look)

    def _box(self) -> None:
        box = ui.input("Search", value=self.asked.words, on_change=self._typed)
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
            ui.select(orders, value=self.asked.sort, label="Order", on_change=self._sorted).props(
                "outlined dense"
            ).style("flex: 1 1 12rem")

    # -- what somebody does

    async def _typed(self, event: ValueChangeEventArguments[str | None]) -> None:
        await self._ask(replace(self.asked, words=event.value or ""))

    async def _other(self, event: ValueChangeEventArguments[str]) -> None:
        self.of, self.asked = event.value, Asked(self.asked.words)
        self._choices.refresh()
        await self._ask(self.asked)

    async def _sorted(self, event: ValueChangeEventArguments[str]) -> None:
        await self._ask(replace(self.asked, sort=event.value))

    async def _choose(self, field: str, value: Any) -> None:
        now = self.asked.chosen.get(field, frozenset())
        await self._ask(replace(self.asked, chosen={**self.asked.chosen, field: now ^ {value}}))
        self.client.run_javascript(
            f"document.querySelector('[data-choice=\"{choice_id(field, value)}\"]')?.focus()"
        )

    async def _without_filters(self) -> None:
        await self._ask(replace(self.asked, chosen={}))

    async def _turn_to(self, cursor: str | None, before: list[str | None]) -> None:
        self.before = before
        self.asked = replace(self.asked, cursor=cursor)
        await self.draw()
        self.client.run_javascript("window.scrollTo({top: 0})")

    async def _ask(self, asked: Asked) -> None:
        self.before, self.asked = [], replace(asked, cursor=None)
        await self.draw()
        there = urlencode({"of": self.of, "q": self.asked.words})
        self.client.run_javascript(f"history.replaceState(history.state, '', '?{there}')")

    async def _look(self) -> None:
        """What was indexed meanwhile shows by itself."""
        if await self._pulse() != self.seen:
            self._choices.refresh()
            await self.draw()

    # -- what is shown

    @property
    def _kept(self) -> KeptSearch | None:
        return self.searches.get(self.of)

    async def draw(self) -> None:
        self.turn += 1
        turn, kept = self.turn, self._kept
        found: Results | Exception | None = None
        self.seen = await self._pulse()
        if kept is not None:
            await self._learn(kept)
            found = await run.io_bound(_found, kept, self.asked, self.fields)
        if turn != self.turn:
            return
        for each in (self.state, self.filters, self.results):
            each.clear()
        with self.state:
            self._state(kept, found if isinstance(found, Results) else None)
        is_whole = not isinstance(found, Results) or not found.filters
        self.columns.classes(
            add="is-whole" if is_whole else "", remove="" if is_whole else "is-whole"
        )
        if kept is None or found is None:
            return
        with self.results:
            if isinstance(found, Exception):
                if kept.state != "failed":  # it has said why
                    refused(refusal(found))
                return
            self._results(kept, found)
        with self.filters:
            for each in found.filters:
                filter_card(kept.search.document, each, self._choose)

    async def _pulse(self) -> tuple[Any, ...]:
        """Another one whenever there is something new to show. The last is how many documents there
        are.
        """
        kept = self._kept
        told = None if kept is None else await run.io_bound(_pulse, kept)
        return told or (self.searches.problem, 0)  # also while the server stops

    async def _learn(self, kept: KeptSearch) -> None:
        """By which fields results can be narrowed: again when there are twice as many documents."""
        of, count = self.learnt_of
        now: int = self.seen[-1]
        if of != self.of or now > 2 * count:
            self.fields = await run.io_bound(_telling, kept) or []
            self.learnt_of = self.of, now

    def _state(self, kept: KeptSearch | None, found: Results | None) -> None:
        if kept is None and self.searches.problem:
            refused(self.searches.problem)
        elif kept is None or kept.state == "waiting":
            chip("The index is being opened …", "note")
        elif kept.state == "building":
            chip(f"The index is being built: {kept.written:,} documents so far", "note")
        elif kept.state == "failed":
            chip("The index cannot be kept in step; trying again", "bad")
            quiet(kept.problem)
        if found is not None and kept is not None:
            chip(f"{found.page.total:,} found", "note")
            chip(f"{self.seen[-1]:,} in {kept.model}/{kept.search.document.name}")
            chip(f"{found.milliseconds:.1f} ms")
            if found.filters:
                toggle = button(
                    "Filters",
                    lambda: self.filters.classes(toggle="is-open"),
                    icon="tune",
                    is_main=False,
                )
                toggle.classes("sk-toggle").props("dense")
            if any(self.asked.chosen.values()):
                button(
                    "Without filters", self._without_filters, icon="filter_alt_off", is_main=False
                ).props("dense")

    def _results(self, kept: KeptSearch, found: Results) -> None:
        if not found.page.hits:
            self._nothing(kept)
            return
        if found.are_similar:
            quiet("Nothing has exactly these words. These have similar ones:")
        for hit in found.page.hits:
            result_card(Leading(self.workspace, kept, self.dialogs, self.draw), hit)
        with ui.element("div").classes("sk-row"):
            if self.before:
                *before, last = self.before
                button(
                    "Back", partial(self._turn_to, last, before), icon="arrow_back", is_main=False
                )
            if found.page.cursor is not None:
                further = partial(
                    self._turn_to, found.page.cursor, [*self.before, self.asked.cursor]
                )
                button("Next", further, icon="arrow_forward", is_main=False)

    def _nothing(self, kept: KeptSearch) -> None:
        if not self.seen[-1]:
            if kept.state == "ready":
                empty("The index is empty.", "Put an item: it is found a moment later.")
        elif any(self.asked.chosen.values()):
            empty("Nothing has these words and these values.", "Take filters away.")
        else:
            empty("Nothing was found.", "Write fewer words, or only how they begin.")


def _telling(kept: KeptSearch) -> list[str]:
    try:
        return telling_fields(kept.search)
    except UNREADABLE:
        return []


def _found(kept: KeptSearch, asked: Asked, fields: Sequence[str]) -> Results | Exception | None:
    """None where there is nothing to ask yet."""
    if kept.state == "waiting":
        return None
    try:
        return ask(kept.search, asked, fields)
    except UNREADABLE as error:
        return error


def _pulse(kept: KeptSearch) -> tuple[Any, ...]:
    try:
        count = kept.search.count() if kept.state != "waiting" else 0
    except UNREADABLE:
        count = 0
    return kept.state, kept.written, kept.followed, count
