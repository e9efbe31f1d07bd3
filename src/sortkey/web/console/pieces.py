"""The pieces that pages are made of: headings, figures, tables, chips, empty states. All text is escaped here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, Literal

from nicegui import ui

Tone = Literal["", "good", "warn", "bad", "note"]

TONES: dict[str, Tone] = {
    "COMPLETE": "good",
    "completed": "good",
    "ACTIVE": "good",
    "active": "good",
    "FAILED": "bad",
    "failed": "bad",
    "critical": "bad",
    "high": "bad",
    "medium": "warn",
    "PROCESSING": "note",
    "running": "note",
    "paused": "warn",
    "cancelled": "warn",
}
"""How words for states are coloured, on every page the same."""


def heading(text: str, level: Literal[1, 2, 3] = 2) -> None:
    ui.html(f"<h{level}>{escape(text)}</h{level}>", sanitize=False)


def quiet(text: str) -> ui.label:
    return ui.label(text).classes("sk-quiet sk-small")


def mono(text: str) -> ui.label:
    return ui.label(text).classes("sk-mono")


def chip(text: str, tone: Tone | None = None) -> None:
    ui.html(chip_html(text, tone), sanitize=False)


def chip_html(text: str, tone: Tone | None = None) -> str:
    tone = TONES.get(text, "") if tone is None else tone
    return f'<span class="sk-chip {f"sk-{tone}" if tone else ""}">{escape(text)}</span>'


def code(text: str) -> None:
    ui.html(f'<pre class="sk-code" tabindex="0">{escape(text)}</pre>', sanitize=False).classes("w-full")


def figure(value: str, label: str) -> None:
    with ui.element("div").classes("sk-stack").style("gap: 0; width: auto"):
        ui.label(value).classes("sk-figure")
        quiet(label)


def empty(text: str, what_to_do: str = "") -> None:
    """What a page shows where there is nothing yet, and how to change that."""
    with ui.element("div").classes("sk-empty"):
        ui.label(text)
        if what_to_do:
            ui.label(what_to_do).classes("sk-mono").style("margin-top: 0.5rem")


def fold(
    draw: Callable[[], Any], text: str = "", caption: str = "", head: Callable[[], Any] | None = None
) -> ui.expansion:
    """A line that opens. What is in it is drawn when it is opened first: a page of a hundred of them is light."""
    made = ui.expansion(text, caption=caption).props("dense-toggle duration=0 header-class=text-weight-medium")
    if head is not None:
        with made.add_slot("header"), ui.element("div").classes("sk-row"):
            head()
    drawn: list[bool] = []

    def fill() -> None:
        if made.value and not drawn:
            drawn.append(True)
            with made:
                draw()

    made.on_value_change(fill)
    return made


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], numbers: Sequence[int] = ()) -> None:
    """A table to read. A cell is a text, or `Markup` that is safe already."""
    heads = "".join(f'<th scope="col"{_number(at, numbers)}>{escape(name)}</th>' for at, name in enumerate(columns))
    body = "".join(
        "<tr>" + "".join(f"<td{_number(at, numbers)}>{_cell(each)}</td>" for at, each in enumerate(row)) + "</tr>"
        for row in rows
    )
    made = f'<table class="sk-table"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
    with ui.element("div").classes("sk-scroll").props('tabindex="0" role="region" aria-label="Table"'):
        ui.html(made, sanitize=False).classes("w-full")


class Markup(str):
    """HTML that is safe as it stands."""


def link(text: str, target: str) -> Markup:
    return Markup(f'<a href="{escape(target)}">{escape(text)}</a>')


def chipped(text: str, tone: Tone | None = None) -> Markup:
    return Markup(chip_html(text, tone))


def code_cell(text: str) -> Markup:
    return Markup(f'<span class="sk-mono">{escape(text)}</span>')


def button(text: str, on_click: Callable[..., Any], *, icon: str | None = None, is_main: bool = True) -> ui.button:
    made = ui.button(text, icon=icon, on_click=on_click).props("unelevated no-caps" if is_main else "outline no-caps")
    return made if is_main else made.classes("sk-second")


def _cell(value: Any) -> str:
    return value if isinstance(value, Markup) else escape(str(value))


def _number(at: int, numbers: Sequence[int]) -> str:
    return ' class="num"' if at in numbers else ""
