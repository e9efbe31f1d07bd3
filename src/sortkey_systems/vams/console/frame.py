"""The beginning of each page: its heading, the box that chooses the user, and its buttons."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from nicegui import ui

from sortkey.web.console import pieces, title
from sortkey_systems.vams.console.identity import Session, looking_note, see_as
from sortkey_systems.vams.console.interface import Refusal
from sortkey_systems.vams.console.style import CSS

Page = Callable[..., Awaitable[None]]


def begin(
    session: Session, text: str, below: str = "", above: tuple[str, str] | None = None
) -> ui.element:
    """Draw the head of a page. Buttons go into what it gives."""
    ui.add_css(CSS)
    with ui.element("div").classes("va-top"):
        with ui.element("div"):
            title(text, below, above)
        actions = ui.element("div").classes("va-actions")
        with actions:
            see_as(session)
    looking_note(session)
    return actions


def explained(page: Page) -> Page:
    """A page that shows what the interface refused instead of failing."""

    @wraps(page)
    async def shown(*arguments: Any, **named: Any) -> None:
        try:
            await page(*arguments, **named)
        except Refusal as refusal:
            _show(refusal)

    return shown


def _show(refusal: Refusal) -> None:
    ui.add_css(CSS)
    if refusal.status == 403:
        pieces.empty(
            "This user may not see this.",
            "The page Permissions says why, and which role would allow it.",
            link=("Permissions", "/vams/permissions"),
        )
    else:
        pieces.error_text(str(refusal))


def pairs(values: dict[str, Any]) -> None:
    """Names and texts, side by side; those without a text are left out."""
    with ui.element("dl").classes("va-pairs"):
        for name, value in values.items():
            if value in ("", None):
                continue
            with ui.element("dt"):
                ui.label(name)
            with ui.element("dd"):
                if isinstance(value, pieces.Markup):
                    ui.html(value, sanitize=False)
                else:
                    ui.label(str(value))
