"""Building blocks of pages: headings, tables, chips, empty states. They escape all text."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from ipaddress import ip_address
from typing import Any, Literal

from nicegui import ui

from sortkey.errors import SortkeyError

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
"""The colours of states, the same on every page."""
SHORT = 30
"""A cell with at most this many characters stays on one line."""


def heading(text: str, level: Literal[1, 2, 3] = 2) -> None:
    ui.html(f"<h{level}>{escape(text)}</h{level}>", sanitize=False)


def quiet(text: str) -> ui.label:
    return ui.label(text).classes("sk-quiet sk-small")


def prose(text: str) -> ui.html:
    """A description. Text in backticks is code."""
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
    """Code with a button that copies it. `copied` is the message afterwards, as the code may be
    secret.
    """
    with ui.element("div").classes("sk-snippet"):
        code(text)
        ui.html(copy_button(text, copied), sanitize=False).classes("sk-snippet-copy")


def copy_button(text: str, copied: str = "Copied", label: str = "Copy") -> Markup:
    """A button that copies a text without showing it. `copied` is the message afterwards."""
    return Markup(
        f'<button type="button" class="sk-copy-button" data-copy="{escape(text)}"'
        f' data-copied="{escape(copied)}">{escape(label)}</button>'
    )


def figure(value: str, label: str) -> None:
    with ui.element("div").classes("sk-stack").style("gap: 0; width: auto"):
        ui.label(value).classes("sk-figure")
        quiet(label)


def dialog(label: str, back: str = "") -> ui.dialog:
    """An open dialog. Esc closes and deletes it. Then the element with `back` as its `data-back`
    gets the focus.

    A button gets the focus back by itself. The row of a table does not, because it is replaced when
    the page changes.
    """
    client = ui.context.client
    with client.content:  # the place where it was opened may be refreshed before it is closed
        element = ui.dialog(value=True)
    element.props["aria-label"] = label

    def on_hide() -> None:
        element.delete()
        if back:
            client.run_javascript(_FOCUS.replace("BACK", json.dumps(back)))

    element.on("hide", on_hide)
    return element


_FOCUS = """requestAnimationFrame(() => {
  [...document.querySelectorAll('[data-back]')].find(node => node.dataset.back === BACK)?.focus();
})"""


def confirm(
    label: str,
    *,
    question: str,
    consequence: str,
    action: str,
    carry_out: Callable[[], object],
    on_done: Callable[[], object],
) -> None:
    """Ask before something that cannot be undone. `carry_out` runs in a thread; if it is refused,
    the reason is shown. `on_done` is called in either case.
    """
    with dialog(label) as box, ui.card().style("width: min(28rem, 94vw)"):
        heading(question)
        ui.label(consequence)

        async def agreed() -> None:
            try:
                await asyncio.to_thread(carry_out)
            except SortkeyError as error:
                ui.notify(str(error), type="negative")
            box.close()
            on_done()

        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            button("Keep it", box.close, is_main=False)
            button(action, agreed).props("color=negative")


def empty(text: str, what_to_do: str = "", link: tuple[str, str] | None = None) -> None:
    """A message for an empty page, and what to do. A link is a text and a path. Commands are in
    backticks.
    """
    with ui.element("div").classes("sk-empty"):
        ui.label(text)
        if what_to_do:
            prose(what_to_do).style("margin-top: 0.35rem")
        if link is not None:
            ui.link(*link).style("display: inline-block; margin-top: 0.75rem")


def error_text(text: str) -> None:
    """An error message."""
    ui.label(text).classes("sk-refused").props('role="alert"')


def fold(
    draw: Callable[[], Any],
    text: str = "",
    caption: str = "",
    head: Callable[[], Any] | None = None,
) -> ui.expansion:
    """A line that expands. Its content is drawn on first use, so that a page can have hundreds."""
    element = ui.expansion(text, caption=caption).props(
        "dense-toggle duration=0 header-class=text-weight-medium"
    )
    if head is None and caption:
        head = partial(_captioned, text, caption)
    if head is not None:
        with element.add_slot("header"), ui.element("div").classes("sk-row"):
            head()
    drawn: list[bool] = []

    def fill() -> None:
        if element.value and not drawn:
            drawn.append(True)
            with element:
                draw()

    element.on_value_change(fill)
    return element


def _captioned(text: str, caption: str) -> None:
    with ui.element("div").classes("sk-stack").style("gap: 0"):
        ui.label(text)
        prose(caption).style("font-weight: 400")


def tab_panels(tabs: ui.tabs, first: str = "") -> ui.tab_panels:
    """The panels of tabs. The open tab is in the URL as `?tab=`, so that Back and reload restore
    it.
    """
    names: list[str] = [tab.props["name"] for tab in tabs.descendants() if isinstance(tab, ui.tab)]
    requested = ui.context.client.request.query_params.get("tab", "")
    # In the browser, so that it happens before a link is followed.
    tabs.on("update:model-value", js_handler=_TAB_IN_ADDRESS)
    opened = next(name for name in (requested, first, *names) if name in names)
    return ui.tab_panels(tabs, value=opened).classes("w-full").props("animated=false")


_TAB_IN_ADDRESS = """name => {
  const there = new URL(location.href);
  there.searchParams.set('tab', name);
  history.replaceState(history.state, '', there);
}"""


def table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], numbers: Sequence[int] = ()
) -> None:
    """A table. A cell is a text, or `Markup` that is already safe. Without column names it has no
    header.
    """
    heads = "".join(
        f'<th scope="col"{_kind(name, at, numbers)}>{escape(name)}</th>'
        for at, name in enumerate(columns)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_kind(value, at, numbers)}>{_cell(value)}</td>" for at, value in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    head = f"<thead><tr>{heads}</tr></thead>" if any(columns) else ""
    with ui.element("div").classes("sk-scroll") as region:
        ui.html(
            f'<table class="sk-table">{head}<tbody>{body}</tbody></table>', sanitize=False
        ).classes("w-full")
    # Wide tables scroll sideways, by keyboard too, so screen readers need a label.
    region.props["tabindex"], region.props["role"] = "0", "region"
    region.props["aria-label"] = f"Table: {', '.join(filter(None, columns)) or rows[0][0]}"


class Markup(str):
    """Safe HTML."""


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
    """A long text in a cell, behind a label that expands it."""
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
    element = ui.button(text, icon=icon, on_click=on_click).props(
        "unelevated no-caps" if is_main else "outline no-caps"
    )
    return element if is_main else element.classes("sk-second")


def repeat(seconds: float, look: Callable[[], object]) -> None:
    """Call `look` every few seconds while the page is open. A page that was left stays in memory
    for a while but makes no calls.
    """
    client = ui.context.client
    ui.timer(seconds, lambda: look() if client.has_socket_connection else None)


def _cell(value: Any) -> str:
    return value if isinstance(value, Markup) else escape(str(value))


def _kind(value: Any, at: int, numbers: Sequence[int]) -> str:
    """The CSS class of a cell: numbers are aligned, and short texts stay on one line."""
    if at in numbers:
        return ' class="num"'
    return ' class="short"' if len(re.sub("<[^>]*>", "", str(value))) <= SHORT else ""


def is_at_this_machine() -> bool:
    """Whether the browser runs on the same machine as the server."""
    try:
        return ip_address(ui.context.client.ip).is_loopback
    except ValueError:
        return False
