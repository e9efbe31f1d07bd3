"""The verdict on a migration in the console, at the top of its journey: losses come first."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from sortkey.errors import NotFound
from sortkey.web.console import pieces
from sortkey_systems.jobengine.service import JobEngine

OUTCOMES: dict[str, tuple[str, pieces.Tone]] = {
    "passed": ("passed", "good"),
    "needs_review": ("needs review", "warn"),
    "failed": ("failed", "bad"),
}
SECTIONS = (
    ("tables", "Tables left behind"),
    ("rows", "Rows refused"),
    ("references", "References that lead nowhere"),
    ("values", "Values that were not taken over"),
    ("columns", "Columns left behind"),
    ("unread", "Not read"),
    ("left_out", "Left out by rules"),
)


def verdict_card(service: JobEngine, journey_id: str) -> None:
    """Shows nothing before the journey has a verdict."""
    try:
        report = service.executions.final_report(journey_id)
    except NotFound:
        return
    text, tone = OUTCOMES.get(
        report.get("outcome", ""), OUTCOMES["passed" if report["is_passed"] else "failed"]
    )
    with (
        ui.element("section").classes("sk-card sk-stack").style("margin-bottom: 1rem; gap: 0.6rem")
    ):
        with ui.element("div").classes("sk-row"):
            pieces.heading("Verdict")
            pieces.chip(text, tone)
        ui.label(report["verdict"])
        for line in report.get("exceeded", []):
            pieces.error_text(line)
        missing: dict[str, list[str]] = report.get("missing", {})
        for name, title in SECTIONS:
            if lines := missing.get(name):
                pieces.fold(partial(_lines, lines), title, _caption(lines))
        pieces.fold(partial(pieces.code, report["text"]), "The whole report")


def _lines(lines: list[Any]) -> None:
    with ui.element("div").classes("sk-stack").style("gap: 0.3rem"):
        for line in lines:
            ui.label(str(line)).classes("sk-small")


def _caption(lines: list[str]) -> str:
    """The first line, shortened: it concerns the most rows."""
    first = lines[0] if len(lines[0]) <= 100 else f"{lines[0][:99]}…"
    return first if len(lines) == 1 else f"{first}  (+{len(lines) - 1})"
