"""The page of a replay. What it plays is at the same address, below `/pages`."""

from __future__ import annotations

from sortkey_systems.wallcrawler.embedded_page import Theme, embedded_page


def replay_page(theme: Theme = "") -> tuple[str, dict[str, str]]:
    """The document and its headers."""
    return embedded_page("sortkey_systems.wallcrawler.replay", {}, {"__THEME__": theme})
