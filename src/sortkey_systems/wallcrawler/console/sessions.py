"""The browsers of all projects: those that run, with what they show, and those that ran."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from nicegui import ui

from sortkey.web.console import pieces, title
from sortkey_systems.wallcrawler.browsers.port import BrowserStatus
from sortkey_systems.wallcrawler.console.browser_addresses import picture_address, picture_stamp
from sortkey_systems.wallcrawler.console.durations import ago, lasted
from sortkey_systems.wallcrawler.console.new_session import new_session
from sortkey_systems.wallcrawler.console.style import CSS
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.service import Wallcrawler

SECONDS = 2.0
SHOWN_MAX = 100
PAGE_SIZE = 500
"""Of a project, the newest: among these a status is looked for."""
STATUSES = {"": "all", "COMPLETED": "completed", "ERROR": "failed", "TIMED_OUT": "timed out"}
TONES: dict[str, pieces.Tone] = {
    "RUNNING": "note",
    "COMPLETED": "good",
    "ERROR": "bad",
    "TIMED_OUT": "warn",
}


def sessions_page(service: Wallcrawler, base: str) -> None:
    ui.add_css(CSS)
    with ui.element("div").classes("sk-row sk-spread"):
        with ui.element("div").style("flex: 1 1 20rem"):
            title(
                "Browsers", "A Chromium of its own for every session, for any Browserbase client."
            )
        with ui.element("div").classes("sk-row").style("width: auto"):
            ui.link("Connect a client", "/wallcrawler/connect")
            pieces.button("New session", lambda: new_session(service), icon="add")
    refreshes: list[Callable[[], object]] = []
    _running(service, lambda: [refresh() for refresh in refreshes])
    refreshes.append(_ended(service, base))


# -- what runs


def _running(service: Wallcrawler, on_change: Callable[[], object]) -> None:
    """The cards of running browsers. `on_change` is called when one has come or gone."""
    updates: list[Callable[[], Awaitable[None]]] = []

    @ui.refreshable
    def cards() -> None:
        updates.clear()
        found = _running_sessions(service)
        if not found:
            pieces.empty(
                "No browser is running.",
                "New session starts one here; a client with a key of a project starts them too.",
            )
            return
        with ui.element("section").classes("wc-grid").props('aria-label="Running browsers"'):
            updates.extend(_card(service, session) for session in found)

    cards()
    shown = [_ids(service)]

    async def look() -> None:
        now = _ids(service)
        if now != shown[0]:
            shown[0] = now
            cards.refresh()
            on_change()
        for update in list(updates):
            await update()

    pieces.repeat(SECONDS, look)
    ui.timer(0.05, look, once=True)


def _ids(service: Wallcrawler) -> list[str]:
    return [each.session_id for each in _running_sessions(service)]


def _running_sessions(service: Wallcrawler) -> list[Session]:
    """The newest that run, by the index of statuses: the page asks again and again."""
    return sorted(service.records.running(), key=_created, reverse=True)[:SHOWN_MAX]


def _created(session: Session) -> datetime:
    return session.created_at or datetime.min.replace(tzinfo=UTC)


def _card(service: Wallcrawler, session: Session) -> Callable[[], Awaitable[None]]:
    """Draw a running session; what it gives brings it up to date."""
    source, stamps = picture_address(service, session), [0]
    target = f"/wallcrawler/sessions/{session.session_id}"
    with ui.link(target=target).classes("sk-card sk-open wc-session"):
        with ui.element("div").classes("wc-screen"):
            ui.icon("web_asset").props('aria-hidden="true"')
            picture = ui.element("img").props('alt=""').style("display: none")
            with ui.element("span").classes("wc-badge"):
                dot, clients = ui.element("span").classes("wc-dot wc-idle"), ui.label("starting")
        with ui.element("div").classes("wc-about"):
            name = ui.label(_task(session) or session.session_id).classes("wc-line wc-name")
            where = ui.label(session.session_id).classes("wc-line sk-quiet sk-small")
            since = pieces.quiet("")

    async def update() -> None:
        status = await service.status(session.session_id)
        stamp = picture_stamp(service, session.session_id)
        if stamp and stamp != stamps[0]:
            stamps[0] = stamp
            picture.props["src"] = f"{source}&n={stamp}"
            picture.style("display: block").update()
        since.text = f"{session.project_id} · {lasted(session, datetime.now(UTC))}"
        if status is not None:
            _describe(status, session, name, where)
            clients.text = _clients(status)
            dot.classes(remove="wc-idle") if status.clients else dot.classes("wc-idle")

    return update


def _describe(status: BrowserStatus, session: Session, name: ui.label, where: ui.label) -> None:
    page = status.pages[-1] if status.pages else None
    if page is not None and page.url not in ("", "about:blank"):
        name.text, where.text = _task(session) or page.title or page.url, page.url
    else:
        name.text, where.text = _task(session) or "Blank page", session.session_id


def _clients(status: BrowserStatus) -> str:
    if status.clients:
        return f"{status.clients} client{'s' if status.clients > 1 else ''}"
    return "no client" if status.has_had_clients else "waiting for a client"


def _task(session: Session) -> str:
    """What a client says the session is for."""
    text = session.user_metadata.get("task") or session.user_metadata.get("name") or ""
    return str(text)[:200]


# -- what ran


def _ended(service: Wallcrawler, base: str) -> Callable[[], object]:
    """The table of ended sessions; what it gives draws it again."""
    projects = {"": "all projects"}
    projects |= {each.project_id: each.name for each in service.tenants.projects()}
    with ui.element("div").classes("sk-row").style("margin-top: 0.75rem"):
        pieces.heading("Ended")
        ui.space()
        project = ui.select(projects, value="", label="Project").props("outlined dense")
        project.style("min-width: 13rem")
        status = ui.toggle(STATUSES, value="").props('no-caps unelevated aria-label="Status"')

    @ui.refreshable
    def rows() -> None:
        found = _ended_sessions(service, str(status.value or ""), str(project.value or ""))
        if not found:
            pieces.empty("No such session has ended.")
            return
        columns = ("session", "status", "for", "project", "lasted", "ended", "why")
        with ui.element("section").classes("sk-card"):
            pieces.table(columns, [_row(each, base) for each in found], numbers=(4,))

    rows()
    project.on_value_change(lambda _: rows.refresh())
    status.on_value_change(lambda _: rows.refresh())
    return rows.refresh


def _ended_sessions(service: Wallcrawler, status: str, project: str) -> list[Session]:
    projects = [project] if project else [each.project_id for each in service.tenants.projects()]
    pages = (service.page_of_sessions(each, size=PAGE_SIZE).items for each in projects)
    found = [session for page in pages for session in page if session.status != "RUNNING"]
    wanted = [session for session in found if status in ("", session.status)]
    return sorted(wanted, key=_created, reverse=True)[:SHOWN_MAX]


def _short(session_id: str) -> str:
    """Ids are long, and their ends tell them apart as well as all of them would."""
    return session_id if len(session_id) <= 14 else f"{session_id[:8]}…{session_id[-4:]}"


def _row(session: Session, base: str) -> tuple[Any, ...]:
    address = f"{base}/wallcrawler/sessions/{session.session_id}"
    return (
        pieces.link(_short(session.session_id), address),
        pieces.chipped(STATUSES.get(session.status, session.status), TONES[session.status]),
        _task(session),
        session.project_id,
        lasted(session),
        ago(session.ended_at),
        (session.end_reason or "") if session.status != "COMPLETED" else "",
    )
