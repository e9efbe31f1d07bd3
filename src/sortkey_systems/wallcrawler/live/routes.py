"""The routes of the live view: its page, and the WebSocket by which it sees or drives a browser.

A token of a view opens one session. What it may do is decided here, by its token, and never by
the page.
"""

# pyright: reportUnusedFunction=false

from __future__ import annotations

from fastapi import APIRouter, WebSocket
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response

from sortkey_systems.wallcrawler.addresses import LIVE_PATH
from sortkey_systems.wallcrawler.browsers.port import BrowserGone, Role
from sortkey_systems.wallcrawler.connections.acceptance import Opened, serve
from sortkey_systems.wallcrawler.connections.gate import Connectable, SessionEnded, SessionUnknown
from sortkey_systems.wallcrawler.embedded_page import theme_of
from sortkey_systems.wallcrawler.live.page import live_page
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.tokens import Claims


def add_live_view(router: APIRouter, service: Connectable) -> None:
    """Add the page and its WebSocket to the routes of the system."""

    @router.get(f"{LIVE_PATH}/{{session_id}}", include_in_schema=False)
    def page(
        session_id: str, token: str = "", pageId: str = "", fullscreen: str = "", theme: str = ""
    ) -> Response:
        claims = _claims(service, session_id, token)
        document, headers = live_page(
            is_interactive=claims.is_interactive,
            page_id=claims.page_id or pageId or None,
            has_bar=fullscreen != "1",
            theme=theme_of(theme),
        )
        return HTMLResponse(document, headers=headers)

    @router.websocket(f"{LIVE_PATH}/{{session_id}}/ws")
    async def socket(socket: WebSocket, session_id: str, token: str = "") -> None:
        await serve(socket, _opened(service, session_id, token))


def _claims(service: Connectable, session_id: str, token: str) -> Claims:
    """What a token allows. Raises Refused: 401, 403, 404, or 410 for a session that has ended."""
    claims = service.tokens.check_view(token, session_id)
    session = service.store.find(Session.key(session_id=session_id), consistent=True)
    if session is None:
        raise SessionUnknown("there is no such session any more")
    if session.status != "RUNNING":
        raise _ended()
    return claims


async def _opened(service: Connectable, session_id: str, token: str) -> Opened:
    claims = await run_in_threadpool(_claims, service, session_id, token)
    role = Role.INTERACTIVE_VIEWER if claims.is_interactive else Role.VIEWER
    try:
        browser = await service.browsers.connect(session_id, role, page_id=claims.page_id)
    except BrowserGone:
        raise _ended() from None
    return Opened(browser, service.tokens.seconds_left(claims))


def _ended() -> SessionEnded:
    return SessionEnded("the session has ended: there is nothing to see any more")
