"""Who may use the console. Without a password everybody who can reach it; with one, whoever has
signed in with it.

Signing in and out are forms of their own: only an answer over HTTP can set a cookie. What a page
does goes over its own socket, which only the page that was served can name, so the pages of a
session end with it.
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
"""So many wrong passwords in a minute from one address, and from all of them together."""
PAUSE_SECONDS = 60.0
FORM_BYTES_MAX = 4096
LOGIN, LOGOUT = "/login", "/logout"

Failure = Literal["wrong", "paused"]


@dataclass
class Password:
    """The console's password. After some wrong ones nobody may try for a minute who has the address
    they came from.

    Nobody at all may after many from anywhere: else a guesser with many addresses would have no
    limit.
    """

    text: str
    clock: Callable[[], float] = time.time
    _failures: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])

    def __post_init__(self) -> None:
        if not self.text:
            raise NotConfigured("the console's password is empty: give one, or none at all")

    def opens(self, given: str, address: str = "") -> bool:
        if self.is_paused(address):
            return False
        if hmac.compare_digest(
            sha256(given.encode()).digest(), sha256(self.text.encode()).digest()
        ):
            return True
        self._failures.append((self.clock(), address))
        return False

    def is_paused(self, address: str = "") -> bool:
        start = self.clock() - PAUSE_SECONDS
        self._failures = [each for each in self._failures if each[0] > start]
        of_address = sum(each[1] == address for each in self._failures)
        return of_address >= FAILURES_MAX or len(self._failures) >= FAILURES_OF_ALL_MAX


@dataclass(frozen=True, slots=True)
class Access:
    """The password, the sessions of those who knew it, and the forms that start and end one."""

    password: Password
    sessions: Sessions
    cookie: str
    base: str

    @classmethod
    def of(cls, password: Password, folder: Path, secret: str, base: str) -> Access:
        # Browsers send a cookie to every port of a machine: another console there has another
        # secret, and so its own.
        cookie = f"sortkey_{hmac.digest(secret.encode(), b'cookie', 'sha256').hex()[:8]}"
        return cls(password, Sessions(folder, secret, password.text), cookie, base)

    def seconds_left(self, request: Request) -> float:
        """For how long the session of a request still lasts; 0 where there is none."""
        return self.sessions.seconds_left(self._token(request))

    def to_login(self, failure: Failure | None = None) -> RedirectResponse:
        return RedirectResponse(
            f"{self.base}{LOGIN}" + (f"?failed={failure}" if failure else ""), status_code=303
        )

    async def sign_in(self, request: Request) -> Response:
        """The form of the login page. The token is a new one, whatever cookie came along."""
        given = await _password_in(request)
        if given is None:
            return PlainTextResponse(
                f"The form has more than {FORM_BYTES_MAX} bytes.", status_code=413
            )
        address = request.client.host if request.client else ""
        if not self.password.opens(given, address):
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
        """End the session of the request, with every page that is open in it."""
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
        """Close a page when its session ends by itself, however long it stays open."""

        def end() -> None:
            leading = lead_to_login(close([client]))
            background_tasks.create(leading, name="end of session")  # pyright: ignore[reportUnknownMemberType]

        timer = asyncio.get_running_loop().call_later(self.seconds_left(client.request), end)
        client.on_delete(lambda: timer.cancel())  # pyright: ignore[reportUnknownMemberType]

    def _token(self, request: Request) -> str:
        return request.cookies.get(self.cookie, "")


def close(clients: Iterable[Client]) -> list[str]:
    """Delete pages: nothing that their browsers send is heard from now on. Gives the names of their
    sockets.
    """
    closed = [*clients]
    for client in closed:
        client.delete()
    return [client.id for client in closed]


async def lead_to_login(sockets: Iterable[str]) -> None:
    """Tell browsers whose pages were closed where to go."""
    for socket in sockets:
        message = {"path": LOGIN, "new_tab": False}
        await core.sio.emit("open", message, room=socket)  # pyright: ignore[reportUnknownMemberType]


async def _password_in(request: Request) -> str | None:
    """What was typed; None for a form that is too large to be one."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > FORM_BYTES_MAX:
            return None
    given = parse_qs(body.decode(errors="replace")).get("password", [])
    return given[0] if len(given) == 1 else ""


def _is_https(request: Request) -> bool:
    """Also where a proxy ends it: the browser says where the form was, and the proxy may say how it
    was asked.

    Whoever forges either gets a cookie of less use.
    """
    forwarded, origin = (request.headers.get(name, "") for name in ("x-forwarded-proto", "origin"))
    return (
        request.url.scheme == "https"
        or forwarded.startswith("https")
        or origin.startswith("https:")
    )
