"""The page of the live view. Its WebSocket is at the same address with `/ws` at the end."""

from __future__ import annotations

from sortkey_systems.wallcrawler.embedded_page import Theme, embedded_page


def live_page(
    *, is_interactive: bool, page_id: str | None = None, has_bar: bool = True, theme: Theme = ""
) -> tuple[str, dict[str, str]]:
    """The document and its headers. It shows every page, or the one with this CDP target id."""
    options = {"drives": is_interactive, "pageId": page_id}
    parts = {"__BAR__": "on" if has_bar else "off", "__THEME__": theme}
    return embedded_page("sortkey_systems.wallcrawler.live", options, parts)
