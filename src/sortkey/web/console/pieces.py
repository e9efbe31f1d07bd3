"""The pieces that pages are made of: headings, figures, tables, chips, empty states. All text is
escaped here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from ipaddress import ip_address
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
SHORT = 30
"""So many characters of a cell are not broken into lines."""


def heading(text: str, level: Literal[1, 2, 3] = 2) -> None:
    ui.html(f"<h{level}>{escape(text)}</h{level}>", sanitize=False)


def quiet(text: str) -> ui.label:
    return ui.label(text).classes("sk-quiet sk-small")


def prose(text: str) -> ui.html:
    """What a model says of itself; what stands in backticks is code."""
    return ui.html(coded(text), sanitize=False).classes("sk-quiet sk-small")


def mono(text: str) -> ui.label:
    return ui.label(text).classes("sk-mono")


def chip(text: str, tone: Tone | None = None) -> None:
    ui.html(chip_html(text, tone), sanitize=False)


def chip_html(text: str, tone: Tone | None = None) -> str:
    tone = TONES.get(text, "") if tone is None else tone
    return f'<span class="sk-chip {f"sk-{tone}" if tone else ""}">{escape(text)}</span>'


def code(text: str) -> None:
    ui.html(f'<pre class="sk-code" tabindex="0">{escape(text)}</pre>', sanitize=False).classes(
        "w-full"
    )


def snippet(text: str, copied: str = "Copied") -> None:
    """Code with a button that copies it. `copied` is what is said then: it may be a secret."""
    with ui.element("div").classes("sk-snippet"):
        code(text)
        ui.html(copy_button(text, copied), sanitize=False).classes("sk-snippet-copy")


def copy_button(text: str, copied: str = "Copied", label: str = "Copy") -> Markup:
    """A button that copies a text without showing it. `copied` is what is said then."""
    return Markup(
        f'<button type="button" class="sk-copy-button" data-copy="{escape(text)}"'
        f' data-copied="{escape(copied)}">{escape(label)}</button>'
    )


def figure(value: str, label: str) -> None:
    with ui.element("div").classes("sk-stack").style("gap: 0; width: auto"):
        ui.label(value).classes("sk-figure")
        quiet(label)


def dialog(label: str, back: str = "") -> ui.dialog:
    """An open dialog. Esc closes it, and then it is gone; what has `back` as its `data-back` is
    then focused.

    A button gets the focus back by itself. The row of a table does not: it is made anew whenever
    the page changes.
    """
    client = ui.context.client
    with client.content:  # not where it was opened: that may be drawn anew before it is closed
        made = ui.dialog(value=True)
    made.props["aria-label"] = label

    def gone() -> None:
        made.delete()
        if back:
            client.run_javascript(_FOCUS.replace("BACK", json.dumps(back)))

    made.on("hide", gone)
    return made


_FOCUS = """requestAnimationFrame(() => {
  [...document.querySelectorAll('[data-back]')].find(each => each.dataset.back === BACK)?.focus();
})"""


def empty(text: str, what_to_do: str = "", link: tuple[str, str] | None = None) -> None:
    """What a page shows where there is nothing yet, and how to change that; a link is a text and a
    path.

    A command stands in backticks.
    """
    with ui.element("div").classes("sk-empty"):
        ui.label(text)
        if what_to_do:
            prose(what_to_do).style("margin-top: 0.35rem")
        if link is not None:
            ui.link(*link).style("display: inline-block; margin-top: 0.75rem")


def refused(text: str) -> None:
    """Why something was not done."""
    ui.label(text).classes("sk-refused").props('role="alert"')


def fold(
    draw: Callable[[], Any],
    text: str = "",
    caption: str = "",
    head: Callable[[], Any] | None = None,
) -> ui.expansion:
    """A line that opens. What is in it is drawn when it is opened first: a page of a hundred of
    them is light.
    """
    made = ui.expansion(text, caption=caption).props(
        "dense-toggle duration=0 header-class=text-weight-medium"
    )
    if head is None and caption:
        head = partial(_captioned, text, caption)
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


def _captioned(text: str, caption: str) -> None:
    with ui.element("div").classes("sk-stack").style("gap: 0"):
        ui.label(text)
        prose(caption).style("font-weight: 400")


def tab_panels(tabs: ui.tabs, first: str = "") -> ui.tab_panels:
    """The panels of tabs. Which one is open stands in the address as `?tab=`: Back and a reload
    come to it again.
    """
    names: list[str] = [
        each.props["name"] for each in tabs.descendants() if isinstance(each, ui.tab)
    ]
    asked = ui.context.client.request.query_params.get("tab", "")
    # In the browser: a link that is followed at once must not overtake it.
    tabs.on("update:model-value", js_handler=_TAB_IN_ADDRESS)
    opened = next(each for each in (asked, first, *names) if each in names)
    return ui.tab_panels(tabs, value=opened).classes("w-full").props("animated=false")


_TAB_IN_ADDRESS = """name => {
  const there = new URL(location.href);
  there.searchParams.set('tab', name);
  history.replaceState(history.state, '', there);
}"""


def table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], numbers: Sequence[int] = ()
) -> None:
    """A table to read. A cell is a text, or `Markup` that is safe already; without names of columns
    it has no head.
    """
    heads = "".join(
        f'<th scope="col"{_kind(name, at, numbers)}>{escape(name)}</th>'
        for at, name in enumerate(columns)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_kind(each, at, numbers)}>{_cell(each)}</td>" for at, each in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    head = f"<thead><tr>{heads}</tr></thead>" if any(columns) else ""
    with ui.element("div").classes("sk-scroll") as region:
        ui.html(
            f'<table class="sk-table">{head}<tbody>{body}</tbody></table>', sanitize=False
        ).classes("w-full")
    # Wide tables scroll sideways, by keys too: who does not see it must hear what it is.
    region.props["tabindex"], region.props["role"] = "0", "region"
    region.props["aria-label"] = f"Table: {', '.join(filter(None, columns)) or rows[0][0]}"


class Markup(str):
    """HTML that is safe as it stands."""


def link(text: str, target: str) -> Markup:
    return Markup(f'<a href="{escape(target)}">{escape(text)}</a>')


def chipped(text: str, tone: Tone | None = None) -> Markup:
    return Markup(chip_html(text, tone))


def copied(text: str, shown: int = 12) -> Markup:
    """The beginning of a long id. A click copies all of it."""
    short = text if len(text) <= shown else f"{text[: shown - 1]}…"
    return Markup(
        f'<button type="button" class="sk-copy" data-copy="{escape(text)}" title="Copy '
        f'{escape(text)}"'
        f' aria-label="Copy {escape(text)}">{escape(short)}</button>'
    )


def folded(label: str, text: str) -> Markup:
    """A text of many lines in a cell, behind its name."""
    return Markup(
        f"<details><summary>{escape(label)}</summary><pre "
        f'class="sk-code">{escape(text)}</pre></details>'
    )


def coded(text: str) -> Markup:
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", escape(text)))


def code_cell(text: str) -> Markup:
    return Markup(f'<span class="sk-mono">{escape(text)}</span>')


def button(
    text: str, on_click: Callable[..., Any], *, icon: str | None = None, is_main: bool = True
) -> ui.button:
    made = ui.button(text, icon=icon, on_click=on_click).props(
        "unelevated no-caps" if is_main else "outline no-caps"
    )
    return made if is_main else made.classes("sk-second")


def again(seconds: float, look: Callable[[], object]) -> None:
    """Look every so many seconds while the page is open: one that was left is kept for a while, and
    costs nothing.
    """
    client = ui.context.client
    ui.timer(seconds, lambda: look() if client.has_socket_connection else None)


def _cell(value: Any) -> str:
    return value if isinstance(value, Markup) else escape(str(value))


def _kind(value: Any, at: int, numbers: Sequence[int]) -> str:
    """Numbers stand below each other; what is short stays in one line, however narrow the window
    is.
    """
    if at in numbers:
        return ' class="num"'
    return ' class="short"' if len(re.sub("<[^>]*>", "", str(value))) <= SHORT else ""


def is_at_this_machine() -> bool:
    """Whether the one who looks sits at the machine that this runs on."""
    try:
        return ip_address(ui.context.client.ip).is_loopback
    except ValueError:
        return False
