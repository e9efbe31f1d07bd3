"""Home: the systems with their counts, and what happened lately."""

from __future__ import annotations

from nicegui import ui

from sortkey.web.console.pieces import (
    again,
    chip,
    chipped,
    empty,
    figure,
    heading,
    prose,
    quiet,
    table,
)
from sortkey.web.console.request_log import asked
from sortkey.web.console.shell import title
from sortkey.web.console.value_display import clock, size
from sortkey.web.console.workspace import TableFacts, Workspace

SHOWN = 12
SECONDS = 2.0


def home(workspace: Workspace) -> None:
    title(
        "Your data models, running",
        "Each system is one model: its tables, its access patterns, its data.",
    )
    with ui.element("div").classes("sk-grid"):
        _systems(workspace)
    prose(
        "A model of your own is here too when it is named at the start: `sortkey up --model "
        "shop:model`"
    )
    with ui.element("section").classes("sk-card sk-stack"):
        with ui.element("div").classes("sk-row sk-spread"):
            heading("Lately")
            ui.html(
                '<span class="sk-small sk-quiet"><span class="sk-live"></span>live</span>',
                sanitize=False,
            )
        quiet(
            "The newest request of each kind: of programs over the wire or REST, of this console, "
            "of the systems."
        )
        _lately(workspace)


def _systems(workspace: Workspace) -> None:
    facts = workspace.tables()
    for name, told in workspace.told.items():
        own = [each for each in facts if each.system == name]
        with (
            ui.link(target=f"/models/{name}")
            .classes("sk-card sk-stack sk-open")
            .style("gap: 0.75rem")
        ):
            with ui.element("div").classes("sk-row sk-spread"):
                heading(name)
                _health(own, len(told["tables"]))
            prose(told["doc"])
            with ui.element("div").classes("sk-row").style("gap: 1.75rem; margin-top: auto"):
                figure(f"{sum(each.count for each in own):,}", "items")
                figure(str(len(told["tables"])), "table" if len(told["tables"]) == 1 else "tables")
                figure(str(len(told["patterns"])), "access patterns")
            guards = ", guards included" if workspace.has_guards(name) else ""
            quiet(f"{size(sum(each.bytes for each in own))} stored{guards}")


def _health(own: list[TableFacts], wanted: int) -> None:
    ready = sum(each.status == "ACTIVE" for each in own)
    chip("ready", "good") if ready == wanted else chip(f"{ready} of {wanted} tables", "warn")


def _lately(workspace: Workspace) -> None:
    shown: list[int] = [-1]

    @ui.refreshable
    def requests() -> None:
        newest = workspace.log.lately(SHOWN)
        shown[0] = newest[0][0].number if newest else 0
        if not newest:
            empty("Nothing has been asked yet.", "Open a model and run one of its access patterns.")
            return
        table(
            ("time, UTC", "from", "request", "on", "access pattern", "times", "ms", "units"),
            [
                (
                    clock(each.at),
                    each.source,
                    chipped(each.operation, "bad" if each.problem else ""),
                    each.target,
                    asked(each),
                    f"{count:,}",
                    f"{each.milliseconds:.1f}",
                    "" if each.units is None else f"{each.units:g}",
                )
                for each, count in newest
            ],
            numbers=(5, 6, 7),
        )

    requests()
    again(SECONDS, lambda: _refresh(workspace, shown[0], requests))


def _refresh(workspace: Workspace, shown: int, requests: ui.refreshable) -> None:  # pyright: ignore
    newest = workspace.log.asked_by_people(1)
    if newest and newest[0].number != shown:
        requests.refresh()
