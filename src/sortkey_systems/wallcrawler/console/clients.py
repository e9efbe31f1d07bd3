"""How clients connect: snippets that work as they stand, for this server."""

from __future__ import annotations

from nicegui import ui

from sortkey.web.console import pieces, title
from sortkey_systems.wallcrawler.console import snippets
from sortkey_systems.wallcrawler.console.style import CSS
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.service import Wallcrawler


def connect_page(service: Wallcrawler) -> None:
    ui.add_css(CSS)
    title(
        "Connect a client",
        "Every client of Browserbase works here: only its base URL and its key change.",
    )
    with ui.element("section").classes("sk-card sk-stack").style("gap: 0.6rem"):
        pieces.heading("Address and key", 3)
        with ui.element("div").classes("wc-facts"):
            ui.label("Base URL")
            ui.html(pieces.copied(service.addresses.url, 80), sanitize=False)
            ui.label("Key")
            with ui.element("div"):
                pieces.prose(
                    "The one that `sortkey up` prints, or a new one of a project. "
                    "A key is shown once, when it is made."
                )
                ui.link("Projects and keys", "/wallcrawler/projects").classes("sk-small")
    _tabs(snippets.new_session(service.addresses.url))


def session_snippets(service: Wallcrawler, session: Session) -> None:
    """How to connect to a session that runs. Its address is a secret: it is copied, not shown."""
    if not session.connect_url:
        pieces.empty("The browser is starting.")
        return
    with ui.element("div").classes("sk-stack").style("gap: 1rem"):
        with ui.element("section").classes("sk-card sk-row sk-spread"):
            with ui.element("div").style("flex: 1 1 18rem"):
                pieces.heading("The address of this browser", 3)
                pieces.quiet("Whoever has it drives the browser until the session ends.")
            ui.html(
                pieces.copy_button(session.connect_url, "Copied the address", "Copy connectUrl"),
                sanitize=False,
            )
        _tabs(snippets.running_session(service.addresses.url))


def _tabs(texts: dict[str, str]) -> None:
    with ui.tabs().props("align=left no-caps dense") as tabs:
        for name in texts:
            ui.tab(name)
    with ui.tab_panels(tabs, value=next(iter(texts))).classes("w-full").props("animated=false"):
        for name, text in texts.items():
            with ui.tab_panel(name):
                pieces.snippet(text, "Copied the snippet")
