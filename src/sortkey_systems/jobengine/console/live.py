"""What the pages of the job engine share: following a running journey, and pages for missing
things.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sortkey.web.console import pieces, title

SECONDS = 1.0
LIVE = ("pending", "running")


def follow(state: Callable[[], Any], *refreshes: Callable[[], Any]) -> None:
    """Redraw when the state has changed since the last second, so that reading and scrolling are
    not disturbed.
    """
    latest = [state()]

    def look() -> None:
        now = state()
        if now != latest[0]:
            latest[0] = now
            for refresh in refreshes:
                refresh()

    pieces.repeat(SECONDS, look)


def not_there(what: str, text: str, above: tuple[str, str]) -> None:
    """A page for something that was deleted or never existed."""
    title(f"{what.capitalize()} not found", above=above)
    pieces.empty(text, link=above)
