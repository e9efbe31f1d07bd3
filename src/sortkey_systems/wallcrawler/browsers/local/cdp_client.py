"""One CDP client of a holder: what it sees is a browser of its own, what Chromium sees is one
connection for all.

A client's messages without a session go to a browser session of its own, its root. Ids are
renumbered, every session belongs to the client that attached it, and commands pass the filter.
"""

from __future__ import annotations

import json
import time
import traceback
from typing import Any, Protocol, cast

from sortkey_systems.wallcrawler.browsers.local.cdp_log import CdpLog
from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import CdpPipe, MessageTooLarge, Params
from sortkey_systems.wallcrawler.browsers.local.command_filter import (
    CommandRefused,
    Permissions,
    checked,
    checked_for_browser_page,
    checked_for_viewer,
)
from sortkey_systems.wallcrawler.browsers.local.page_view import PageView
from sortkey_systems.wallcrawler.browsers.local.pages import Pages
from sortkey_systems.wallcrawler.browsers.local.peer import Peer
from sortkey_systems.wallcrawler.browsers.port import Role
from sortkey_systems.wallcrawler.browsers.protocol import ProtocolError

PENDING_BYTES_MAX = 16 * 1024 * 1024
"""For one client, or for Chromium, before the other side has to wait."""
IN_FLIGHT_MAX = 10_000
"""Commands of one client that Chromium has not answered."""

PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR = -32700, -32600, -32603
SERVER_ERROR, SESSION_NOT_FOUND = -32000, -32001


class ClientHost(Protocol):
    """Who looks after the clients."""

    def close_requested(self, client: CdpClient) -> None:
        """A client has sent `Browser.close`; it has been answered."""
        ...

    def context_created(self, browser_context: str) -> None:
        """A client has created a browser context."""
        ...

    def press(self) -> None:
        """Somebody is behind with reading."""
        ...

    def remove(self, client: CdpClient) -> None:
        """A client has left."""
        ...


class CdpClient:
    """A connection in a CDP role. Its host hears of its end once."""

    def __init__(
        self,
        peer: Peer,
        role: Role,
        *,
        host: ClientHost,
        pipe: CdpPipe,
        pages: Pages,
        permissions: Permissions,
        log: CdpLog | None,
        view: PageView | None = None,
    ) -> None:
        self.peer, self.role = peer, role
        self._host, self._pipe, self._pages = host, pipe, pages
        self._permissions, self._log, self._view = permissions, log, view
        self._root: str | None = None
        self._sessions: dict[str, Params] = {}
        """The target of each, as it was when the client attached."""
        self._early: list[bytes] = []
        self._in_flight = 0
        self._has_left = False
        peer.on_frame, peer.on_closed = self._on_frame, self.leave
        peer.pause()  # until there is a root
        pipe.call("Target.attachToBrowserTarget", on_result=self._attached)

    def leave(self) -> None:
        """Hang up and detach from everything."""
        if self._has_left:
            return
        self._has_left = True
        self.peer.close()
        for context in self._permissions.browser_contexts:
            self._pipe.call("Target.disposeBrowserContext", {"browserContextId": context})
        if self._root is not None:
            detached: Params = {"sessionId": self._root}
            self._pipe.call("Target.detachFromTarget", detached, on_result=self._detached)
        self._host.remove(self)

    def resume(self) -> None:
        """Read commands again, if it is far enough to have them sent."""
        if self._root is not None:
            self.peer.resume()

    # -- from Chromium

    def on_event(self, method: str, message: bytes, session: str) -> None:
        if method == "Target.attachedToTarget":
            params: Params = json.loads(message)["params"]
            self._own(params["sessionId"], params["targetInfo"])
        elif method == "Target.detachedFromTarget":
            self._disown(json.loads(message)["params"]["sessionId"])
        if self._has_left or (self._view is not None and not self._view.is_shown(method, message)):
            return
        if self._log is not None:
            self._log.event(method, self._page(session), message)
        self._send(message if session == self._root else _with_session(message, session))

    def _attached(self, result: Params | None) -> None:
        root: str | None = result["sessionId"] if result else None
        if root is None or self._has_left:
            if root is not None:
                self._pipe.call("Target.detachFromTarget", {"sessionId": root})
            self.leave()
            return
        self._root = root
        self._pipe.owners[root] = self
        early, self._early = self._early, []
        for payload in early:
            self._on_command(payload)
        self.peer.resume()

    def _detached(self, _result: Params | None) -> None:
        for session in (self._root or "", *self._sessions):
            self._pipe.forget(session)

    def _own(self, session: str, target: Params) -> None:
        if not self._has_left:
            self._sessions[session] = target
            self._pipe.owners[session] = self

    def _disown(self, session: str) -> None:
        if self._sessions.pop(session, None) is not None:
            self._pipe.forget(session)

    # -- from the client

    def _on_frame(self, payload: bytes) -> None:
        if self._root is None:
            self._early.append(payload)
        else:
            self._on_command(payload)

    def _on_command(self, payload: bytes) -> None:
        try:
            command: Any = json.loads(payload.decode())
        except (ValueError, RecursionError):
            self._send_json(
                {"error": {"code": PARSE_ERROR, "message": "Message must be a valid JSON"}}
            )
            return
        problem = _problem_of(command)
        if problem is not None:
            self._send_json({"error": {"code": INVALID_REQUEST, "message": problem}})
            return
        try:
            self._forward(command)
        except CommandRefused as refusal:
            self._refuse(command, SERVER_ERROR, str(refusal))
        except (MessageTooLarge, ValueError, RecursionError) as error:
            self._refuse(command, INVALID_REQUEST, str(error))
        except Exception:  # one client's command must not end the browser of all
            traceback.print_exc()
            self._refuse(command, INTERNAL_ERROR, "the command could not be handled")

    def _forward(self, command: Params) -> None:
        method: str = command["method"]
        session: str | None = command.get("sessionId")
        if session is not None and session != self._root and session not in self._sessions:
            self._refuse(command, SESSION_NOT_FOUND, "Session with given id not found.")
            return
        if self.role in {Role.VIEWER, Role.INTERACTIVE_VIEWER}:
            is_interactive = self.role is Role.INTERACTIVE_VIEWER
            checked_for_viewer(method, command.get("params") or {}, is_interactive=is_interactive)
        if method == "Browser.close":
            self._answer(command, "result", {})
            self._host.close_requested(self)
            return
        if self._in_flight >= IN_FLIGHT_MAX:
            raise CommandRefused(
                f"{IN_FLIGHT_MAX} commands are waiting for an answer: wait for some of them"
            )
        params = self._checked(method, command.get("params") or {}, session)
        self._send_command(command["id"], method, params, session)

    def _checked(self, method: str, params: Params, session: str | None) -> Params:
        if session in self._sessions and self._pages.is_of_browser(self._sessions[session]):
            checked_for_browser_page(method)
        if self._view is not None:
            self._view.check(method, params)
        return checked(method, params, self._permissions)

    def _send_command(self, number: int, method: str, params: Params, session: str | None) -> None:
        sent_at = time.time()
        text = ""

        def on_answer(rest: bytes) -> None:
            self._in_flight -= 1
            if method == "Target.createBrowserContext":
                self._note_context(rest)
            if self._log is not None:
                self._log.command(method, self._page(session), text, sent_at, rest)
            if rest:
                shown = rest if self._view is None else self._view.shown_answer(method, rest)
                message = b'{"id":%d' % number + shown
                self._send(message if session is None else _with_session(message, session))

        self._in_flight += 1
        try:
            text = self._pipe.send(method, params, session or self._root, on_answer)
        except BaseException:
            self._in_flight -= 1
            raise
        if self._pipe.pending_bytes > PENDING_BYTES_MAX:
            self._host.press()

    def _note_context(self, rest: bytes) -> None:
        context = (
            json.loads(b"{" + rest[1:]).get("result", {}).get("browserContextId") if rest else None
        )
        if context is None:
            return
        if self._has_left:
            self._pipe.call("Target.disposeBrowserContext", {"browserContextId": context})
            return
        self._permissions.browser_contexts.add(context)
        self._host.context_created(context)

    # -- to the client

    def _refuse(self, command: Params, code: int, message: str) -> None:
        self._answer(command, "error", {"code": code, "message": message})

    def _answer(self, command: Params, member: str, content: Params) -> None:
        answer: Params = {"id": command["id"], member: content}
        if command.get("sessionId") is not None:
            answer["sessionId"] = command["sessionId"]
        self._send_json(answer)

    def _send_json(self, message: Params) -> None:
        self._send(json.dumps(message, separators=(",", ":")).encode())

    def _send(self, message: bytes) -> None:
        try:
            self.peer.send(message)
        except ProtocolError:
            self.leave()  # an answer that no connection could carry
        if self.peer.pending_bytes > PENDING_BYTES_MAX:
            self._host.press()

    def _page(self, session: str | None) -> int:
        target = self._sessions.get(session or "")
        return self._pages.number(target["targetId"] if target else None)


def _with_session(message: bytes, session: str) -> bytes:
    return message[:-1] + b',"sessionId":"%s"}' % session.encode()


def _problem_of(command: Any) -> str | None:
    """What is wrong with a message, in Chromium's words."""
    if not isinstance(command, dict):
        return "Message must be an object"
    message = cast(Params, command)
    if type(message.get("id")) is not int:
        return "Message must have integer 'id' property"
    if not isinstance(message.get("method"), str):
        return "Message must have string 'method' property"
    if not isinstance(message.get("sessionId"), str | None):
        return "Message may have string 'sessionId' property"
    if not isinstance(message.get("params"), dict | None):
        return "Message may have object 'params' property"
    return None
