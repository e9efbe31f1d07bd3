"""What the pages of the job engine share: how a page follows what runs, and pages of what is not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from sortkey.web.console import pieces, title

SECONDS = 1.0
LIVE = ("pending", "running")


def while_live(is_live: Callable[[], bool], *refreshes: Callable[[], Any]) -> None:
    """Draw anew every second while something runs, and once more when it has ended."""
    was = [True]

    def look() -> None:
        live = is_live()
        if live or was[0]:
            for refresh in refreshes:
                refresh()
        was[0] = live

    ui.timer(SECONDS, look)


def not_there(what: str, text: str, above: tuple[str, str]) -> None:
    """A page of something that was deleted, or never was."""
    title(f"There is no such {what}", above=above)
    pieces.empty(text, link=above)
