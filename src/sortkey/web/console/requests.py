"""Requests: the last ones with their time and capacity, and which access patterns cost the most."""

from __future__ import annotations

from nicegui import ui

from sortkey.web.console.pieces import again, chipped, empty, heading, quiet, table
from sortkey.web.console.request_log import asked
from sortkey.web.console.shell import title
from sortkey.web.console.value_display import clock
from sortkey.web.console.workspace import Workspace

SHOWN = 60
SECONDS = 2.0


def requests_page(workspace: Workspace) -> None:
    title(
        "Requests",
        "What programs ask over the wire and over REST, what the console asks, what the systems do "
        "by themselves.",
    )

    @ui.refreshable
    def drawn() -> None:
        _costliest(workspace)
        _latest(workspace)

    seen = [0]

    def look() -> None:
        newest = workspace.log.asked_by_people(1)
        if newest and newest[0].number != seen[0]:
            seen[0] = newest[0].number
            drawn.refresh()

    drawn()
    again(SECONDS, look)


def _costliest(workspace: Workspace) -> None:
    spent = workspace.log.costliest("milliseconds")[:10]
    with ui.element("section").classes("sk-card sk-stack"):
        heading("Slowest and costliest since the start")
        if not spent:
            empty("Nothing has been asked yet.", "Open a model and run one of its access patterns.")
            return
        rows = [
            (
                each.name,
                f"{each.requests:,}",
                f"{each.units:,.1f}",
                f"{each.milliseconds / each.requests:.2f}",
                f"{each.slowest:.1f}",
            )
            for each in spent
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
    newest = workspace.log.asked_by_people(SHOWN)
    with ui.element("section").classes("sk-card sk-stack"):
        heading("The last requests")
        quiet("Without those of the workers, which look for jobs every second.")
        rows = [
            (
                clock(each.at),
                each.source,
                chipped(each.operation, "bad" if each.problem else ""),
                each.target,
                asked(each) or each.problem[:120],
                f"{each.milliseconds:.1f}",
                "" if each.units is None else f"{each.units:g}",
            )
            for each in newest
        ]
        table(
            ("time, UTC", "from", "operation", "on", "access pattern or refusal", "ms", "units"),
            rows,
            numbers=(5, 6),
        )
