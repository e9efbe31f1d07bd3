"""Data: tables and indexes by key, page by page, with a summary by sort key prefix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from sortkey.errors import SortkeyError
from sortkey.values.attributes import Item
from sortkey.web.console.items import item_dialog, items_table
from sortkey.web.console.name_choice import name_choice
from sortkey.web.console.pieces import button, chip, empty, error_text, heading
from sortkey.web.console.shell import title
from sortkey.web.console.stored_items import ItemPage, browse
from sortkey.web.console.value_display import size
from sortkey.web.console.workspace import TableFacts, Workspace, refusal

TABLE_ITSELF = "the table itself"
WIDE = "min-width: 14rem; flex: 1 1 14rem"


def data_page(
    workspace: Workspace, table: str = "", index: str = "", partition: str = "", sort: str = ""
) -> None:
    facts = {table_facts.name: table_facts for table_facts in workspace.tables()}
    if table and table not in facts:
        _lost("table", f"There is no table {table}.")
    elif index and facts and index not in facts[table or _fullest(facts)].indexes:
        _lost("index", f"{table or _fullest(facts)} has no index {index}.")
    else:
        title(
            "Data",
            "Browse a table or an index. With a partition key this is a query, without one a scan.",
        )
        if facts:
            _Browser(workspace, facts, table or _fullest(facts), index, partition, sort).show()
        else:
            empty("There are no tables yet.", "`sortkey up --model shop:model`")


def _lost(kind: str, message: str) -> None:
    title(f"{kind.capitalize()} not found", above=("Data", "/data"))
    empty(f"{message} Ctrl K jumps to any table.", link=("All data", "/data"))


class _Browser:
    """The choices on the page, and the items that they select."""

    def __init__(
        self,
        workspace: Workspace,
        facts: dict[str, TableFacts],
        table: str,
        index: str,
        partition: str,
        sort: str,
    ) -> None:
        self.workspace, self.facts = workspace, facts
        self.table, self.index, self.partition, self.sort = table, index, partition, sort
        self.starts: list[Item | None] = [None]

    def show(self) -> None:
        with ui.element("div").classes("sk-card sk-row"):
            # Not refreshed with the rest, so that it keeps the keyboard focus.
            name_choice(sorted(self.facts), self.table, "Table", self._other_table).style(WIDE)
            self._choices()
            button("Run", self._from_the_start, icon="search")
            button(
                "New item",
                lambda: item_dialog(self.workspace, self.table, None, self.draw),
                is_main=False,
            )
        self.results = ui.element("div").classes("sk-stack").style("gap: 1rem")
        self.draw()

    @ui.refreshable_method
    def _choices(self) -> None:
        fact = self.facts[self.table]
        keys = self.workspace.key_names(self.table, self.index or None)
        indexes = [TABLE_ITSELF, *fact.indexes]
        ui.select(
            indexes, label="Index", value=self.index or TABLE_ITSELF, on_change=self._other_index
        ).props("outlined dense").style(WIDE)
        self._text(f"{keys[0]} is", "partition").style(WIDE)
        if len(keys) > 1:
            self._text(f"{keys[1]} begins with", "sort").style(WIDE)

    def _text(self, label: str, name: str) -> ui.input:
        field = ui.input(
            label,
            value=getattr(self, name),
            on_change=lambda event: setattr(self, name, event.value or ""),
        )
        return field.props("outlined dense").on("keydown.enter", self._from_the_start)

    def _other_table(self, event: ValueChangeEventArguments[str]) -> None:
        self.table, self.index, self.partition, self.sort = event.value, "", "", ""
        self._choices.refresh()
        self._from_the_start()

    def _other_index(self, event: ValueChangeEventArguments[str]) -> None:
        self.index, self.partition, self.sort = (
            "" if event.value == TABLE_ITSELF else event.value,
            "",
            "",
        )
        self._choices.refresh()
        self._from_the_start()

    def _from_the_start(self) -> None:
        self.starts = [None]
        self.draw()

    def draw(self) -> None:
        self.results.clear()
        with self.results:
            try:
                page = browse(
                    self.workspace,
                    self.table,
                    self.index or None,
                    self.partition,
                    self.sort,
                    self.starts[-1],
                )
            except SortkeyError as error:
                error_text(refusal(error))
                return
            self._summary(page)
            if not page.items:
                empty("There are no items here.", "Choose another key, or create an item.")
                return
            if self.partition and not self.index:
                _collection(self.workspace.key_names(self.table), page.items)
            items_table(self.workspace, self.table, page.items, self.draw)
            self._turning(page)

    def _summary(self, page: ItemPage) -> None:
        fact = self.facts[self.table]
        with ui.element("div").classes("sk-row"):
            chip(f"{_count(len(page.items))} on this page", "note")
            if guards := sum(self.workspace.is_guard(self.table, item) for item in page.items):
                chip(f"including {_count(guards, 'guard')} of unique values, at the end")
            chip(f"{fact.count:,} in the table, {size(fact.bytes)}")
            chip(f"{page.units:g} read units")
            chip(f"{page.milliseconds:.1f} ms")

    def _turning(self, page: ItemPage) -> None:
        with ui.element("div").classes("sk-row"):
            if len(self.starts) > 1:
                button("Back", self._back, icon="arrow_back", is_main=False)
            if page.next is not None:
                button("Next", lambda: self._on(page.next), icon="arrow_forward", is_main=False)

    def _on(self, start: Item | None) -> None:
        self.starts.append(start)
        self.draw()

    def _back(self) -> None:
        self.starts.pop()
        self.draw()


def _collection(keys: Sequence[str], items: Sequence[Item]) -> None:
    """Count the items of a partition by the prefix of their sort key."""
    if len(keys) < 2:
        return
    prefixes = Counter(str(next(iter(item[keys[1]].values()))).split("#")[0] for item in items)
    most = max(prefixes.values())
    with ui.element("section").classes("sk-card sk-stack"):
        heading("This item collection, by sort key prefix", 3)
        for name, count in prefixes.items():
            with ui.element("div").classes("sk-row").style("flex-wrap: nowrap"):
                ui.label(name).classes("sk-mono").style("width: 10rem; flex: none")
                ui.element("div").style(
                    "height: 0.7rem; border-radius: 4px; background: var(--accent); width: "
                    f"{70 * count / most:.1f}%"
                )
                ui.label(str(count)).classes("sk-small sk-quiet")


def _count(number: int, noun: str = "item") -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _fullest(facts: dict[str, TableFacts]) -> str:
    """The table with the most items, which is shown first."""
    return max(facts.values(), key=lambda table: table.count).name
