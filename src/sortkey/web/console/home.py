"""Home: the systems with their counts, and recent activity."""

from __future__ import annotations

from nicegui import ui

from sortkey.web.console.pieces import (
    chip,
    chipped,
    empty,
    figure,
    heading,
    prose,
    quiet,
    repeat,
    table,
)
from sortkey.web.console.request_log import subject
from sortkey.web.console.shell import title
from sortkey.web.console.value_display import clock, size
from sortkey.web.console.workspace import TableFacts, Workspace

SHOWN = 12
SECONDS = 2.0


def home(workspace: Workspace) -> None:
    title(
        "Your data models, running",
        "Each system is a model with its tables, access patterns and data.",
    )
    with ui.element("div").classes("sk-grid"):
        _systems(workspace)
    prose("To add your own model, start with `sortkey up --model shop:model`.")
    with ui.element("section").classes("sk-card sk-stack"):
        with ui.element("div").classes("sk-row sk-spread"):
            heading("Recent activity")
            ui.html(
                '<span class="sk-small sk-quiet"><span class="sk-live"></span>live</span>',
                sanitize=False,
            )
        quiet(
            "The latest request of each kind: from programs over DynamoDB's protocol or REST, "
            "from this console, and from the systems."
        )
        _activity(workspace)


def _systems(workspace: Workspace) -> None:
    facts = workspace.tables()
    for name, description in workspace.descriptions.items():
        own = [fact for fact in facts if fact.system == name]
        with (
            ui.link(target=f"/models/{name}")
            .classes("sk-card sk-stack sk-open")
            .style("gap: 0.75rem")
        ):
            with ui.element("div").classes("sk-row sk-spread"):
                heading(name)
                _health(own, len(description["tables"]))
            prose(description["doc"])
            with ui.element("div").classes("sk-row").style("gap: 1.75rem; margin-top: auto"):
                figure(f"{sum(fact.count for fact in own):,}", "items")
                figure(
                    str(len(description["tables"])),
                    "table" if len(description["tables"]) == 1 else "tables",
                )
                figure(str(len(description["patterns"])), "access patterns")
            guards = ", guards included" if workspace.has_guards(name) else ""
            quiet(f"{size(sum(fact.bytes for fact in own))} stored{guards}")


def _health(own: list[TableFacts], wanted: int) -> None:
    ready = sum(table.status == "ACTIVE" for table in own)
    chip("ready", "good") if ready == wanted else chip(f"{ready} of {wanted} tables", "warn")


def _activity(workspace: Workspace) -> None:
    shown: list[int] = [-1]

    @ui.refreshable
    def requests() -> None:
        newest = workspace.log.recent_kinds(SHOWN)
        shown[0] = newest[0][0].number if newest else 0
        if not newest:
            empty("There are no requests yet.", "Open a model and run one of its access patterns.")
            return
        table(
            ("time, UTC", "from", "request", "on", "access pattern", "times", "ms", "units"),
            [
                (
                    clock(request.at),
                    request.source,
                    chipped(request.operation, "bad" if request.problem else ""),
                    request.target,
                    subject(request),
                    f"{count:,}",
                    f"{request.milliseconds:.1f}",
                    "" if request.units is None else f"{request.units:g}",
                )
                for request, count in newest
            ],
            numbers=(5, 6, 7),
        )

    requests()
    repeat(SECONDS, lambda: _refresh(workspace, shown[0], requests))


def _refresh(workspace: Workspace, shown: int, requests: ui.refreshable) -> None:  # pyright: ignore
    newest = workspace.log.without_workers(1)
    if newest and newest[0].number != shown:
        requests.refresh()
