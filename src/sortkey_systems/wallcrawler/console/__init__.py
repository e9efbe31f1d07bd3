"""Wallcrawler in the console: sessions with what they show, contexts, projects and keys."""

from __future__ import annotations

from functools import partial

from sortkey.web.console import ConsolePage
from sortkey_systems.wallcrawler.console.clients import connect_page
from sortkey_systems.wallcrawler.console.contexts import contexts_page
from sortkey_systems.wallcrawler.console.projects import projects_page
from sortkey_systems.wallcrawler.console.session import session_page
from sortkey_systems.wallcrawler.console.sessions import sessions_page
from sortkey_systems.wallcrawler.service import Wallcrawler

GROUP = "Wallcrawler"


def pages(service: Wallcrawler, base: str) -> list[ConsolePage]:
    """The pages in the order of the menu."""
    browsers = partial(sessions_page, service, base)
    session = partial(session_page, service)
    return [
        ConsolePage("/wallcrawler", "Browsers", "web", browsers, GROUP),
        ConsolePage(
            "/wallcrawler/sessions/{session_id}", "Session", "web", session, GROUP, in_menu=False
        ),
        ConsolePage(
            "/wallcrawler/contexts", "Contexts", "badge", partial(contexts_page, service), GROUP
        ),
        ConsolePage(
            "/wallcrawler/projects", "Projects", "key", partial(projects_page, service), GROUP
        ),
        ConsolePage(
            "/wallcrawler/connect", "Connect", "cable", partial(connect_page, service), GROUP
        ),
    ]
