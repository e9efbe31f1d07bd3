"""One session in the console: live, replayed, its log, and what is known of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from html import escape
from typing import Any

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.web.console import pieces, title
from sortkey_systems.wallcrawler.console.browser_addresses import live_address, replay_address
from sortkey_systems.wallcrawler.console.clients import session_snippets
from sortkey_systems.wallcrawler.console.durations import ago, lasted, spoken
from sortkey_systems.wallcrawler.console.log import log_panel
from sortkey_systems.wallcrawler.console.sessions import STATUSES, TONES
from sortkey_systems.wallcrawler.console.style import CSS
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.service import Wallcrawler

ABOVE = ("Browsers", "/wallcrawler")
SECONDS = 1.0
TABS = (
    ("Live", "sensors"),
    ("Replay", "movie"),
    ("Log", "subject"),
    ("Details", "info"),
    ("Connect", "cable"),
)


def session_page(service: Wallcrawler, session_id: str) -> None:
    ui.add_css(CSS)
    session = service.records.find(session_id) if session_id.startswith("sess_") else None
    if session is None:
        title("Unknown session", above=ABOVE)
        pieces.empty(f"{session_id} does not exist, or was deleted after its time.", link=ABOVE)
        return
    title(_name(session), above=ABOVE)
    is_running = session.status == "RUNNING"
    _head(service, session)
    with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
        shown = (
            TABS
            if is_running
            else tuple(each for each in TABS if each[0] not in ("Live", "Connect"))
        )
        for name, icon in shown:
            ui.tab(name, icon=icon)
    panels: dict[str, Callable[[], Any]] = {
        "Live": lambda: _live(service, session),
        "Replay": lambda: _frame(replay_address(service, session), "Replay of the session"),
        "Log": lambda: log_panel(service, session),
        "Details": lambda: _details(service, session),
        "Connect": lambda: session_snippets(service, session),
    }
    with pieces.tab_panels(tabs).props("keep-alive=false"):
        for name, _ in shown:
            with ui.tab_panel(name):
                panels[name]()
    if is_running:
        _reload_at_the_end(service, session)


def _name(session: Session) -> str:
    given = session.user_metadata.get("task") or session.user_metadata.get("name")
    return str(given)[:200] if given else session.session_id


def _head(service: Wallcrawler, session: Session) -> None:
    is_running = session.status == "RUNNING"
    with ui.element("div").classes("sk-row sk-spread"):
        with ui.element("div").classes("sk-row").style("width: auto"):
            text = "running" if is_running else STATUSES.get(session.status, session.status)
            pieces.chip(text, TONES[session.status])
            ui.html(pieces.copied(session.session_id, 40), sanitize=False)
            pieces.quiet(_times(session))
        if is_running:

            async def release() -> None:
                button.props("loading")
                try:
                    await service.release([session.project_id], session.session_id)
                except SortkeyError as error:
                    button.props(remove="loading")
                    ui.notify(str(error), type="negative")
                    return
                ui.navigate.to(f"/wallcrawler/sessions/{session.session_id}?tab=Replay")

            button = pieces.button("Release", release, icon="stop", is_main=False)
    if session.end_reason and session.status != "COMPLETED":
        pieces.error_text(session.end_reason)


def _times(session: Session) -> str:
    now = datetime.now(UTC)
    if session.status != "RUNNING":
        return " · ".join(
            filter(None, (session.project_id, lasted(session), ago(session.ended_at)))
        )
    left = (session.expires_at - now).total_seconds()
    return f"{session.project_id} · {lasted(session, now) or 'starting'} · ends in {spoken(left)}"


def _reload_at_the_end(service: Wallcrawler, session: Session) -> None:
    def look() -> None:
        now = service.records.find(session.session_id)
        if now is None or now.status != "RUNNING":
            ui.navigate.to(f"/wallcrawler/sessions/{session.session_id}?tab=Replay")

    pieces.repeat(SECONDS, look)


# -- live


def _live(service: Wallcrawler, session: Session) -> None:
    with ui.element("div").classes("sk-row sk-spread").style("margin-bottom: 0.75rem"):
        modes = {True: "drive it", False: "only watch"}
        mode = ui.toggle(modes, value=True).props('no-caps unelevated aria-label="Mode"')
        own = live_address(service, session, is_interactive=True)
        ui.link("In a window of its own", own, new_tab=True).classes("sk-small")

    @ui.refreshable
    def view() -> None:
        address = live_address(service, session, is_interactive=bool(mode.value))
        _frame(address, "Live view of the browser")

    view()
    mode.on_value_change(lambda _: view.refresh())


def _frame(address: str, name: str) -> None:
    allowed = "clipboard-read; clipboard-write; fullscreen"
    ui.html(
        f'<iframe class="wc-frame" src="{escape(address)}" title="{escape(name)}" '
        f'allow="{allowed}" referrerpolicy="no-referrer"></iframe>',
        sanitize=False,
    ).classes("w-full")


# -- details


def _details(service: Wallcrawler, session: Session) -> None:
    with ui.element("div").classes("sk-stack").style("gap: 1rem"):
        with ui.element("section").classes("sk-card sk-stack"):
            _facts(_known(session))
        if session.user_metadata:
            with ui.element("section").classes("sk-card sk-stack"):
                pieces.heading("Metadata", 3)
                pieces.code(json.dumps(session.user_metadata, indent=2, ensure_ascii=False))
        _files(service, session)
        with ui.element("section").classes("sk-card sk-stack"):
            pieces.heading("History", 3)
            events = list(service.events.all(session))
            rows = [_event(each) for each in events]
            pieces.table(("time, UTC", "event", "status", "why"), rows)


def _known(session: Session) -> dict[str, str]:
    known = {
        "Project": session.project_id,
        "Status": f"{session.status}, internally {session.internal_status}",
        "Created": _instant(session.created_at),
        "Started": _instant(session.started_at),
        "Ended": _instant(session.ended_at),
        "Window ends": _instant(session.expires_at),
        "Keep alive": "yes" if session.keep_alive else "no: it ends when its last client leaves",
        "Context": session.context_id or "",
        "Stored at the end": "yes" if session.context_persist else "",
        "Extension": session.extension_id or "",
        "Through proxies": f"{session.proxy_bytes:,} bytes" if session.proxy_bytes else "",
        "Region": session.region or "",
    }
    return {name: value for name, value in known.items() if value}


def _facts(known: dict[str, str]) -> None:
    with ui.element("div").classes("wc-facts"):
        for name, value in known.items():
            ui.label(name)
            ui.label(value)


def _files(service: Wallcrawler, session: Session) -> None:
    found = service.files.downloads(session.session_id)
    if not found:
        return
    with ui.element("section").classes("sk-card sk-stack"):
        pieces.heading("Downloads", 3)
        pieces.table(
            ("file", "bytes"),
            [(each.name, f"{each.stat().st_size:,}") for each in found],
            numbers=(1,),
        )
        pieces.prose(f"`GET /v1/sessions/{session.session_id}/downloads` gives them as a zip.")


def _event(event: dict[str, Any]) -> tuple[Any, ...]:
    detail: dict[str, Any] = event.get("detail", {})
    return (
        _instant(datetime.fromisoformat(str(event["time"]))).removesuffix(" UTC"),
        str(event.get("detail-type", "")),
        str(detail.get("internalStatus", "")),
        str(detail.get("reason", "")),
    )


def _instant(value: datetime | None) -> str:
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if value else ""
