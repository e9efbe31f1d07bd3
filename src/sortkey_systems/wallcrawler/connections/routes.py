"""The routes by which CDP clients connect: WebSockets with a token in their URL, and discovery over
HTTP.
"""

# pyright: reportUnusedFunction=false

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, WebSocket

from sortkey_systems.wallcrawler.addresses import CONNECT_PATH
from sortkey_systems.wallcrawler.browsers.port import BrowserGone, CdpConnection, Role
from sortkey_systems.wallcrawler.connections import discovery
from sortkey_systems.wallcrawler.connections.acceptance import Opened, serve
from sortkey_systems.wallcrawler.connections.gate import Connectable, Gate, SessionEnded
from sortkey_systems.wallcrawler.model import Session


def add_connections(router: APIRouter, service: Connectable) -> None:
    """Add the WebSockets and the discovery of sessions to the routes of the system."""
    gate = Gate(service)
    _add_sockets(router, gate)
    _add_discovery(router, gate)


def _add_sockets(router: APIRouter, gate: Gate) -> None:
    @router.websocket(f"{CONNECT_PATH}/{{session_id}}")
    @router.websocket(f"{CONNECT_PATH}/{{session_id}}/devtools/browser/{{browser_id}}")
    async def connect(socket: WebSocket, session_id: str) -> None:
        await serve(socket, _opened(socket, gate, session_id))

    @router.websocket("/")
    @router.websocket(CONNECT_PATH)
    async def connect_by_query(socket: WebSocket) -> None:
        """The older form: ?apiKey=K&sessionId=ID."""
        await serve(socket, _opened(socket, gate, None))


async def _opened(socket: WebSocket, gate: Gate, session_id: str | None) -> Opened:
    return Opened(await gate.connect(await gate.session(socket, session_id)))


def _add_discovery(router: APIRouter, gate: Gate) -> None:
    async def version(request: Request, session_id: str | None = None) -> dict[str, str]:
        """What /json/version of Chromium says, with the address of this session's WebSocket."""
        session = await gate.session(request, session_id)
        return await _asked(gate, session, request, discovery.version)

    async def pages(request: Request, session_id: str | None = None) -> list[dict[str, str]]:
        """What /json/list of Chromium says."""
        session = await gate.session(request, session_id)
        return await _asked(gate, session, request, discovery.pages)

    for handler, name in ((version, "version"), (pages, "list")):
        for path in (f"/json/{name}", f"/json/{name}/"):
            hidden: dict[str, Any] = {"include_in_schema": False}
            router.add_api_route(
                f"{CONNECT_PATH}/{{session_id}}{path}", handler, methods=["GET"], **hidden
            )
            router.add_api_route(path, handler, methods=["GET"], **hidden)


async def _asked(gate: Gate, session: Session, request: Request, question: Any) -> Any:
    connection: CdpConnection = await gate.connect(session, Role.OBSERVER)
    try:
        return await question(connection, _socket_url(request, session))
    except BrowserGone:
        raise SessionEnded("the session has ended: create a new one") from None
    finally:
        connection.close()


def _socket_url(request: Request, session: Session) -> str:
    """On the host and port of the request: they are those that the client can reach."""
    base, _, _ = str(request.url.replace(query="")).partition("/json/")
    own = base.removesuffix(f"{CONNECT_PATH}/{session.session_id}")
    query = urlencode({"signingKey": session.signing_key})
    return f"ws{own.removeprefix('http')}{CONNECT_PATH}/{session.session_id}?{query}"
