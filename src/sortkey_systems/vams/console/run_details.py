"""What is known of one run: its steps and its log, and the buttons to stop or repeat it."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.area import Area
from sortkey_systems.vams.console.forms import attempt
from sortkey_systems.vams.console.frame import pairs
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.interface import Refusal
from sortkey_systems.vams.console.json_values import Json, object_of, objects_of
from sortkey_systems.vams.console.texts import instant_of

OPEN = ("NEW", "RUNNING")
SECONDS = 2.0
LINES_MAX = 400
TONES: dict[str, pieces.Tone] = {
    "NEW": "",
    "RUNNING": "note",
    "WAITING": "note",
    "SUCCEEDED": "good",
    "FAILED": "bad",
    "TIMED_OUT": "bad",
    "ABORTED": "warn",
}


async def draw_details(session: Session, path: str, run: Json) -> None:
    """The content of a run's line, followed while it goes. `path` is the asset's."""
    one = f"{path}/workflows/executions/{run['workflowId']}/{run['executionId']}"

    async def load() -> tuple[Json, list[Json]]:
        answer = await session.get(one)
        return object_of(answer.get("message")) or run, await _lines(session, one)

    area = Area(load, lambda found: _draw(session, one, *found))
    await area.update()
    if run.get("executionStatus") in OPEN:  # the line is drawn again when it ends
        pieces.repeat(SECONDS, area.update)


def _draw(session: Session, one: str, run: Json, lines: list[Json]) -> None:
    with ui.element("div").classes("sk-stack").style("padding: 0 1rem 0.75rem; gap: 0.75rem"):
        pairs(
            {
                "Execution": pieces.copied(str(run["executionId"]), 40),
                "Workflow": f"{run.get('workflowDatabaseId')}/{run.get('workflowId')}",
                "Started by": run.get("executedBy"),
                "Input": run.get("inputAssetFileKey"),
                "Progress": f"{run['progress']} %" if "progress" in run else "",
            }
        )
        if run.get("error"):
            pieces.error_text(str(run["error"]))
        steps = objects_of(run.get("steps"))
        if steps:
            columns = ("step", "", "attempt", "seconds", "message")
            pieces.table(columns, [_step(each) for each in steps], numbers=(2, 3))
        if lines:
            pieces.code("\n".join(_line(each) for each in lines[-LINES_MAX:]))
        if session.can_change:
            _draw_buttons(session, one, str(run.get("executionStatus")))


def _step(step: Json) -> tuple[Any, ...]:
    status = str(step.get("status") or "NEW")
    return (
        str(step.get("pipelineId")),
        pieces.chipped(status.replace("_", " ").lower(), TONES.get(status, "")),
        str(step.get("attempt") or ""),
        _seconds(step),
        str(step.get("message") or ""),
    )


def _seconds(step: Json) -> str:
    start, stop = instant_of(step.get("startDate")), instant_of(step.get("stopDate"))
    return f"{(stop - start).total_seconds():,.1f}" if start and stop else ""


async def _lines(session: Session, one: str) -> list[Json]:
    try:
        return await session.items(f"{one}/logs", pageSize=LINES_MAX)
    except Refusal:
        return []


def _line(entry: Json) -> str:
    """The time of a line, if it has one, and its text."""
    instant, text = instant_of(entry.get("timestamp")), str(entry.get("message") or "")
    return f"{instant:%H:%M:%S} {text}" if instant else text


def _draw_buttons(session: Session, one: str, status: str) -> None:
    async def abort() -> None:
        async def act() -> None:
            await session.post(f"{one}/abort")

        await attempt(act, "The run is aborted")

    async def repeat() -> None:
        async def act() -> None:
            await session.post(f"{one}/rerun")

        await attempt(act, "It runs again")

    with ui.element("div").classes("sk-row"):
        if status in OPEN:
            pieces.button("Abort", abort, icon="stop", is_main=False).props("dense")
        else:
            pieces.button("Run again", repeat, icon="replay", is_main=False).props("dense")
