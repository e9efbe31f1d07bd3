"""Requests: the latest ones with time and capacity, and the most expensive access patterns."""

from __future__ import annotations

from nicegui import ui

from sortkey.web.console.pieces import chipped, empty, heading, quiet, repeat, table
from sortkey.web.console.request_log import subject
from sortkey.web.console.shell import title
from sortkey.web.console.value_display import clock
from sortkey.web.console.workspace import Workspace

SHOWN = 60
SECONDS = 2.0


def requests_page(workspace: Workspace) -> None:
    title(
        "Requests",
        "Requests of programs over DynamoDB's protocol and REST, of the console and the systems.",
    )

    @ui.refreshable
    def drawn() -> None:
        _costliest(workspace)
        _latest(workspace)

    seen = [0]

    def check() -> None:
        newest = workspace.log.without_workers(1)
        if newest and newest[0].number != seen[0]:
            seen[0] = newest[0].number
            drawn.refresh()

    drawn()
    repeat(SECONDS, check)


def _costliest(workspace: Workspace) -> None:
    spent = workspace.log.costliest("milliseconds")[:10]
    with ui.element("section").classes("sk-card sk-stack"):
        heading("Slowest and most expensive since the start")
        if not spent:
            empty("There are no requests yet.", "Open a model and run one of its access patterns.")
            return
        rows = [
            (
                entry.name,
                f"{entry.requests:,}",
                f"{entry.units:,.1f}",
                f"{entry.milliseconds / entry.requests:.2f}",
                f"{entry.slowest:.1f}",
            )
            for entry in spent
        ]
        columns = (
            "access pattern or operation",
            "requests",
            "units",
            "ms on average",
            "ms at most",
        )
        table(columns, rows, numbers=(1, 2, 3, 4))


def _latest(workspace: Workspace) -> None:
    newest = workspace.log.without_workers(SHOWN)
    with ui.element("section").classes("sk-card sk-stack"):
        heading("Latest requests")
        quiet("Without those of workers, which look for jobs every second.")
        rows = [
            (
                clock(entry.at),
                entry.source,
                chipped(entry.operation, "bad" if entry.problem else ""),
                entry.target,
                subject(entry) or entry.problem[:120],
                f"{entry.milliseconds:.1f}",
                "" if entry.units is None else f"{entry.units:g}",
            )
            for entry in newest
        ]
        table(
            ("time, UTC", "from", "operation", "on", "access pattern or error", "ms", "units"),
            rows,
            numbers=(5, 6),
        )
