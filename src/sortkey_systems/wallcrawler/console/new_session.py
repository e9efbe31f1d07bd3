"""The dialog that starts a browser from the console."""

from __future__ import annotations

import logging
from typing import Any

from nicegui import ui
from pydantic import ValidationError

from sortkey.errors import SortkeyError
from sortkey.web.console import pieces
from sortkey_systems.wallcrawler.browsers.port import BrowserGone, Role
from sortkey_systems.wallcrawler.page_driver import PageDriver, PageFailed, with_scheme
from sortkey_systems.wallcrawler.requests import BrowserWanted, ContextWanted, CreateRequest
from sortkey_systems.wallcrawler.service import Wallcrawler

log = logging.getLogger("sortkey.wallcrawler")

NO_CONTEXT = "none: a new profile"
MINUTES = {5: "5 minutes", 15: "15 minutes", 60: "an hour", 240: "4 hours"}


def new_session(service: Wallcrawler) -> None:
    """Open the dialog. A session that was started is shown at once."""
    projects = {p.project_id: p.name for p in service.tenants.projects() if p.status == "ACTIVE"}
    with (
        pieces.dialog("New session") as dialog,
        ui.card().style("width: min(32rem, 94vw); max-width: none; gap: 1rem"),
    ):
        pieces.heading("New session")
        if not projects:
            pieces.empty("There is no active project.", link=("Projects", "/wallcrawler/projects"))
            return
        address = ui.input("Address to open", placeholder="https://example.com").props(
            "outlined autofocus stack-label"
        )
        project = ui.select(projects, value=next(iter(projects)), label="Project").props("outlined")
        context = ui.select(_contexts(service, project.value), value="", label="Context")
        minutes = ui.select(MINUTES, value=15, label="Ends at the latest after").props("outlined")
        context.props("outlined")
        for each in (address, project, context, minutes):
            each.classes("w-full")
        persist = ui.switch("Store the profile in the context at the end")
        persist.bind_visibility_from(context, "value", backward=bool)
        record = ui.switch("Record it, for thumbnails and the replay", value=True)
        problem = ui.element("div").classes("w-full")

        def offer_contexts() -> None:
            context.options, context.value = _contexts(service, project.value), ""
            context.update()

        project.on_value_change(offer_contexts)

        async def start() -> None:
            problem.clear()
            begin.props("loading")
            wanted = {"minutes": minutes.value, "context": context.value, "persist": persist.value}
            try:
                request = _request(record=bool(record.value), **wanted)
                session = await service.create(str(project.value), request)
                await _open(service, session.session_id, (address.value or "").strip())
            except (SortkeyError, ValidationError) as error:
                begin.props(remove="loading")
                with problem:
                    pieces.error_text(str(error))
                return
            dialog.close()
            ui.navigate.to(f"/wallcrawler/sessions/{session.session_id}")

        address.on("keydown.enter", start)
        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            pieces.button("Close", dialog.close, is_main=False)
            begin = pieces.button("Start", start, icon="play_arrow")


def _contexts(service: Wallcrawler, project_id: Any) -> dict[str, str]:
    found = service.contexts.all([str(project_id)])
    return {"": NO_CONTEXT} | {each.context_id: each.name or each.context_id for each in found}


def _request(*, minutes: Any, context: Any, persist: Any, record: bool) -> CreateRequest:
    """It stays when nobody is connected: whoever looks at it in the console is not a client."""
    wanted = ContextWanted(id=str(context), persist=bool(persist)) if context else None
    return CreateRequest(
        timeout=int(minutes) * 60,
        keep_alive=True,
        user_metadata={"name": "Started in the console"},
        browser_settings=BrowserWanted(context=wanted, record_session=record),
    )


async def _open(service: Wallcrawler, session_id: str, address: str) -> None:
    """Go to an address. A page that does not load is seen in the live view."""
    if not address:
        return
    try:
        connection = await service.browsers.connect(session_id, Role.OBSERVER)
        try:
            await (await PageDriver.attach(connection)).send(
                "Page.navigate", {"url": with_scheme(address)}
            )
        finally:
            connection.close()
    except (BrowserGone, PageFailed, TimeoutError) as error:
        log.info("%s did not open the address: %s", session_id, error)
