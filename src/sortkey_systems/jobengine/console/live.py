"""What the pages of the job engine share: how a page follows what runs, and pages of what is not
there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sortkey.web.console import pieces, title

SECONDS = 1.0
LIVE = ("pending", "running")


def follow(state: Callable[[], Any], *refreshes: Callable[[], Any]) -> None:
    """Draw anew when the state is another than a second ago: what one reads or scrolls stays where
    it is until then.
    """
    latest = [state()]

    def look() -> None:
        now = state()
        if now != latest[0]:
            latest[0] = now
            for refresh in refreshes:
                refresh()

    pieces.again(SECONDS, look)


def not_there(what: str, text: str, above: tuple[str, str]) -> None:
    """A page of something that was deleted, or never was."""
    title(f"There is no such {what}", above=above)
    pieces.empty(text, link=above)
