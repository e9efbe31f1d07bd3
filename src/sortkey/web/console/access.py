"""Who may use the console. Without a password, everyone who can reach it; with one, whoever has
signed in.

Signing in and out are HTML forms, because only an HTTP response can set a cookie. Everything else
goes over the socket of a page, so the pages of a session are closed when it ends.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs

from fastapi import Request
from nicegui import Client, background_tasks, core
from starlette.background import BackgroundTask
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from sortkey.errors import NotConfigured
from sortkey.web.console.sessions import SECONDS, Sessions

FAILURES_MAX, FAILURES_OF_ALL_MAX = 5, 50
"""Wrong passwords per minute, from one address and from all addresses together."""
PAUSE_SECONDS = 60.0
FORM_BYTES_MAX = 4096
LOGIN, LOGOUT = "/login", "/logout"

Failure = Literal["wrong", "paused"]


@dataclass
class Password:
    """The console's password. After some wrong attempts, their address must wait for a minute.

    After many attempts from anywhere, everyone must wait: otherwise someone with many addresses
    could guess without a limit.
    """

    text: str
    clock: Callable[[], float] = time.time
    _failures: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])

    def __post_init__(self) -> None:
        if not self.text:
            raise NotConfigured("the console's password is empty: set one, or omit the option")

    def opens(self, attempt: str, address: str = "") -> bool:
        if self.is_paused(address):
            return False
        if hmac.compare_digest(
            sha256(attempt.encode()).digest(), sha256(self.text.encode()).digest()
        ):
            return True
        self._failures.append((self.clock(), address))
        return False

    def is_paused(self, address: str = "") -> bool:
        start = self.clock() - PAUSE_SECONDS
        self._failures = [failure for failure in self._failures if failure[0] > start]
        of_address = sum(failure[1] == address for failure in self._failures)
        return of_address >= FAILURES_MAX or len(self._failures) >= FAILURES_OF_ALL_MAX


@dataclass(frozen=True, slots=True)
class Access:
    """The password, the sessions, and the forms that start and end a session."""

    password: Password
    sessions: Sessions
    cookie: str
    base: str

    @classmethod
    def of(cls, password: Password, folder: Path, secret: str, base: str) -> Access:
        # Browsers send a cookie to every port of a machine. Another console there has another
        # secret, and therefore another cookie.
        cookie = f"sortkey_{hmac.digest(secret.encode(), b'cookie', 'sha256').hex()[:8]}"
        return cls(password, Sessions(folder, secret, password.text), cookie, base)

    def seconds_left(self, request: Request) -> float:
        """The remaining time of a request's session, 0 without one."""
        return self.sessions.seconds_left(self._token(request))

    def to_login(self, failure: Failure | None = None) -> RedirectResponse:
        return RedirectResponse(
            f"{self.base}{LOGIN}" + (f"?failed={failure}" if failure else ""), status_code=303
        )

    async def sign_in(self, request: Request) -> Response:
        """Handle the form of the login page. It always creates a new token."""
        attempt = await _password_in(request)
        if attempt is None:
            return PlainTextResponse(
                f"The form is larger than {FORM_BYTES_MAX} bytes.", status_code=413
            )
        address = request.client.host if request.client else ""
        if not self.password.opens(attempt, address):
            return self.to_login("paused" if self.password.is_paused(address) else "wrong")
        self.sessions.end(self._token(request))
        answer = RedirectResponse(f"{self.base}/", status_code=303)
        answer.set_cookie(
            self.cookie,
            self.sessions.start(),
            max_age=SECONDS,
            path=self.base,
            secure=_is_https(request),
            httponly=True,
            samesite="strict",
        )
        return answer

    async def sign_out(self, request: Request) -> Response:
        """End the session of the request and close all of its pages."""
        token = self._token(request)
        answer = self.to_login()
        if token:
            self.sessions.end(token)
            closed = close(
                client
                for client in [*Client.instances.values()]
                if self._token(client.request) == token
            )
            answer.background = BackgroundTask(lead_to_login, closed)
        answer.delete_cookie(self.cookie, path=self.base, httponly=True, samesite="strict")
        return answer

    def close_in_time(self, client: Client) -> None:
        """Close a page when its session expires."""

        def end() -> None:
            redirect = lead_to_login(close([client]))
            background_tasks.create(redirect, name="end of session")  # pyright: ignore[reportUnknownMemberType]

        timer = asyncio.get_running_loop().call_later(self.seconds_left(client.request), end)
        client.on_delete(lambda: timer.cancel())  # pyright: ignore[reportUnknownMemberType]

    def _token(self, request: Request) -> str:
        return request.cookies.get(self.cookie, "")


def close(clients: Iterable[Client]) -> list[str]:
    """Delete pages, so that the server ignores their browsers. Returns the ids of their sockets."""
    closed = [*clients]
    for client in closed:
        client.delete()
    return [client.id for client in closed]


async def lead_to_login(sockets: Iterable[str]) -> None:
    """Send browsers whose pages were closed to the login page."""
    for socket in sockets:
        message = {"path": LOGIN, "new_tab": False}
        await core.sio.emit("open", message, room=socket)  # pyright: ignore[reportUnknownMemberType]


async def _password_in(request: Request) -> str | None:
    """The password in the form, or None if the form is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > FORM_BYTES_MAX:
            return None
    values = parse_qs(body.decode(errors="replace")).get("password", [])
    return values[0] if len(values) == 1 else ""


def _is_https(request: Request) -> bool:
    """Whether the browser uses HTTPS, also behind a proxy: then the headers of the browser or the
    proxy say so. Forging them only gives a less useful cookie.
    """
    forwarded, origin = (request.headers.get(name, "") for name in ("x-forwarded-proto", "origin"))
    return (
        request.url.scheme == "https"
        or forwarded.startswith("https")
        or origin.startswith("https:")
    )
