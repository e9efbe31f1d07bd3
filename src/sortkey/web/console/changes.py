"""Changes: live writes to every table that has a stream or point-in-time recovery."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui

from sortkey.engine.recent import RecentChange
from sortkey.values.attributes import Item
from sortkey.values.table_names import is_own
from sortkey.web.console.name_choice import name_choice
from sortkey.web.console.pieces import Tone, chip_html, code, empty, fold, quiet, repeat
from sortkey.web.console.recorded_tables import is_recorded, unrecorded
from sortkey.web.console.shell import title
from sortkey.web.console.value_display import cell, clock, plain_item, pretty
from sortkey.web.console.workspace import Workspace

SHOWN = 40
SECONDS = 1.0
ALL = "all tables"
NAMED = 5
"""How many tables without a stream are listed."""


def changes_page(workspace: Workspace) -> None:
    title(
        "Changes",
        "Live writes, with each item before and after.",
    )
    if workspace.changes is None:
        empty(
            "The tables are on AWS, where changes are read from their streams.",
            "See docs/how-to/streams.md.",
        )
        return
    tables = [table.name for table in workspace.tables()]
    with ui.element("div").classes("sk-row"):
        choice = name_choice([ALL, *tables], ALL, "Table").style("min-width: 16rem")
        live = ui.switch("live", value=True)
        _unrecorded_note(workspace, tables)

    def pause() -> None:
        live.value = False  # an open change must not move

    @ui.refreshable
    def drawn() -> None:
        _list(workspace, None if choice.value == ALL else choice.value, pause)

    seen = [0]

    def check() -> None:
        newest = _newest(workspace)
        if live.value and newest != seen[0]:
            seen[0] = newest
            drawn.refresh()

    choice.on_value_change(lambda _: drawn.refresh())
    drawn()
    repeat(SECONDS, check)


def _newest(workspace: Workspace) -> int:
    changes = workspace.changes(1, None) if workspace.changes else []
    return changes[0].number if changes else 0


def _list(workspace: Workspace, table: str | None, opened: Callable[[], None]) -> None:
    changes = workspace.changes(SHOWN, table) if workspace.changes else []
    advice = unrecorded(workspace, table) if table is not None else None
    if advice is not None:
        empty(advice.reason, advice.remedy)
    elif not changes:
        empty("Nothing has been written yet.", "Put an item to see it here.")
    with ui.element("div").classes("sk-stack"):
        for change in changes:
            _change(workspace, change, opened)


def _unrecorded_note(workspace: Workspace, tables: Sequence[str]) -> None:
    """Say which tables record no changes."""
    silent = [name for name in tables if not is_own(name) and not is_recorded(workspace, name)]
    if silent:
        more = f" and {len(silent) - NAMED} more" if len(silent) > NAMED else ""
        quiet(f"Not recorded, because they have no stream: {', '.join(silent[:NAMED])}{more}.")


def _change(workspace: Workspace, change: RecentChange, opened: Callable[[], None]) -> None:
    word, tone = _word(change)
    item = change.new or change.old or {}
    key = _key(workspace, change.table, item)

    def head() -> None:
        quiet(clock(change.at)).style("font-variant-numeric: tabular-nums")
        ui.html(chip_html(word, tone), sanitize=False)
        quiet(change.table).classes("sk-line")
        ui.label(key).classes("sk-mono sk-line").props["title"] = key

    def draw() -> None:
        if change.old and change.new:
            for line in _differences(change.old, change.new):
                ui.label(line).classes("sk-mono")
        else:
            code(pretty(plain_item(item)))

    fold(draw, head=head).classes("sk-change").on_value_change(opened)


def _word(change: RecentChange) -> tuple[str, Tone]:
    if change.new is None:
        return ("expired" if change.expired else "deleted"), "bad"
    return ("changed", "note") if change.old else ("new", "good")


def _key(workspace: Workspace, table: str, item: Item) -> str:
    return " / ".join(cell(item.get(name)) for name in workspace.key_names(table))


def _differences(old: Item, new: Item) -> list[str]:
    names = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    return [
        f"{name}: {cell(old.get(name)) or '–'} → {cell(new.get(name)) or '–'}" for name in names
    ]
