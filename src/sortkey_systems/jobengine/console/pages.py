"""The job engine in the console: its journeys, and a form that starts a new one."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, cast

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.web.console import ConsolePage, pieces, title
from sortkey_systems.jobengine.console.job import job_page
from sortkey_systems.jobengine.console.journey import journey_page
from sortkey_systems.jobengine.console.live import follow
from sortkey_systems.jobengine.journeys.new_journey import start_journey
from sortkey_systems.jobengine.model import Journey
from sortkey_systems.jobengine.parts import PRIORITIES, Priority
from sortkey_systems.jobengine.service import JobEngine
from sortkey_systems.jobengine.stages.default_stages import title_of

CONSOLE = "console"
"""The creator of journeys that are started here."""


def pages(service: JobEngine, base: str) -> list[ConsolePage]:
    group, icon = "Job engine", "timeline"
    one, job = partial(journey_page, service, base), partial(job_page, service)
    return [
        ConsolePage("/jobengine", "Journeys", icon, partial(journeys_page, service, base), group),
        ConsolePage("/jobengine/{journey_id}", "Journey", icon, one, group, in_menu=False),
        ConsolePage(
            "/jobengine/{journey_id}/jobs/{job_id}", "Job", icon, job, group, in_menu=False
        ),
    ]


def journeys_page(service: JobEngine, base: str) -> None:
    with ui.element("div").classes("sk-row sk-spread"):
        with ui.element("div").style("flex: 1 1 20rem"):
            title(
                "Journeys",
                "A journey takes a database through six stages into TM Forum resources, and proves "
                "it.",
            )
        pieces.button("New journey", lambda: _new_journey(service), icon="add")

    @ui.refreshable
    def listed() -> None:
        journeys = service.journeys.list()
        if not journeys:
            pieces.empty(
                "There are no journeys yet.",
                "New journey starts one, with the sample shop or a file of yours.",
            )
            return
        with ui.element("section").classes("sk-card"):
            columns = (
                "name",
                "status",
                "progress",
                "stage",
                "priority",
                "jobs",
                "errors",
                "started, UTC",
                "id",
            )
            pieces.table(
                columns, [_row(journey, base) for journey in reversed(journeys)], numbers=(2, 5, 6)
            )

    listed()
    follow(service.journeys.list, listed.refresh)


def _row(journey: Journey, base: str) -> tuple[Any, ...]:
    stage = journey.current_stage_id if journey.status != "completed" else None
    return (
        pieces.link(journey.name, f"{base}/jobengine/{journey.journey_id}"),
        pieces.chipped(journey.status),
        f"{journey.overall_progress} %",
        title_of(stage) if stage else "",
        journey.priority,
        f"{journey.aggregates.total_jobs:,}",
        f"{journey.aggregates.total_errors:,}",
        f"{journey.created_at:%Y-%m-%d %H:%M:%S}" if journey.created_at else "",
        pieces.copied(journey.journey_id, 16),
    )


# -- a new one


def _new_journey(service: JobEngine) -> None:
    is_at_this_machine = pieces.is_at_this_machine()
    with (
        pieces.dialog("New journey") as dialog,
        ui.card().style("width: min(34rem, 94vw); max-width: none; gap: 1rem"),
    ):
        pieces.heading("New journey")
        name = (
            ui.input("Name", placeholder="Our shop, to TM Forum")
            .props("outlined autofocus")
            .classes("w-full")
        )
        kinds = {
            "sample": "The sample shop",
            "file": "A file on this machine" if is_at_this_machine else "A file of the server",
        }
        source = ui.toggle(kinds, value="sample").props('no-caps unelevated aria-label="Source"')
        pieces.quiet(
            "A shop's database of 22 tables, with fifteen years of flaws."
        ).bind_visibility_from(source, "value", value="sample")
        path = ui.input("Path of a SQLite file or a SQL dump", placeholder="~/shop.sqlite").props(
            "outlined"
        )
        path.classes("w-full").bind_visibility_from(source, "value", value="file")
        priority = (
            ui.select(list(PRIORITIES), value="medium", label="Priority")
            .props("outlined")
            .classes("w-full")
        )
        wrong = ui.element("div").classes("w-full")

        async def start() -> None:
            wrong.clear()
            begin.props("loading")
            try:
                file = path.value or "" if source.value == "file" else None
                chosen_priority = cast(Priority, priority.value)
                journey = await asyncio.to_thread(
                    start_journey,
                    service,
                    name=name.value or "",
                    path=file,
                    priority=chosen_priority,
                    created_by=CONSOLE,
                    is_at_this_machine=is_at_this_machine,
                )
            except SortkeyError as error:
                begin.props(remove="loading")
                with wrong:
                    pieces.error_text(str(error))
                return
            dialog.close()
            ui.navigate.to(f"/jobengine/{journey.journey_id}")

        for control in (name, path):
            control.on("keydown.enter", start)
        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            pieces.button("Close", dialog.close, is_main=False)
            begin = pieces.button("Start", start, icon="play_arrow")
