"""What is known of one run: its steps and its log, and the buttons to stop or repeat it."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.forms import attempt
from sortkey_systems.vams.console.frame import pairs
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.interface import Refusal
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.texts import instant_of

OPEN = ("NEW", "RUNNING")
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
    """The content of a run's line. `path` is the asset's."""
    one = f"{path}/workflows/executions/{run['workflowId']}/{run['executionId']}"
    answer = await session.get(one)
    details: Json = answer.get("message") or run
    with ui.element("div").classes("sk-stack").style("padding: 0 1rem 0.75rem; gap: 0.75rem"):
        pairs(
            {
                "Execution": pieces.copied(str(run["executionId"]), 40),
                "Workflow": f"{run.get('workflowDatabaseId')}/{run.get('workflowId')}",
                "Started by": details.get("executedBy"),
                "Input": details.get("inputAssetFileKey"),
                "Progress": f"{details['progress']} %" if "progress" in details else "",
            }
        )
        if details.get("error"):
            pieces.error_text(str(details["error"]))
        steps: list[Json] = details.get("steps") or []
        if steps:
            columns = ("step", "", "attempt", "seconds", "message")
            pieces.table(columns, [_step(each) for each in steps], numbers=(2, 3))
        await _draw_log(session, one)
        if session.can_change:
            _draw_buttons(session, one, str(details.get("executionStatus")))


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


async def _draw_log(session: Session, one: str) -> None:
    try:
        lines = await session.items(f"{one}/logs", pageSize=LINES_MAX)
    except Refusal:
        return
    if lines:
        pieces.code("\n".join(_line(each) for each in lines[-LINES_MAX:]))


def _line(entry: Json) -> str:
    """The time of a line, if it has one, and its text."""
    instant = instant_of(entry.get("at") or entry.get("timestamp"))
    text = str(entry.get("message") or entry.get("text") or entry.get("line") or "")
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
