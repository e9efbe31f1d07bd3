"""The console as a client of VAMS's own interface, in the same process and without a socket.

What a page shows is what the routes answer to a user: both tiers of authorization, the audit log
and the limits are theirs. Nothing is decided here.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from anyio import sleep_forever
from fastapi import FastAPI
from starlette.types import Message, Receive, Scope, Send

from sortkey.errors import SortkeyError
from sortkey.web import Tokens
from sortkey_systems.vams.access.authentication import SEEN_BY, SYSTEM
from sortkey_systems.vams.api import make_router
from sortkey_systems.vams.console.json_values import Json, object_of
from sortkey_systems.vams.failures import PREFIX
from sortkey_systems.vams.service import Vams

PAGES_MAX = 20
"""Pages of a list that are read for one page of the console."""
LOOKS = ("/search", "/search/simple", "/auth/routes", "/check-subscription")
"""Routes that only read, although they are posted to."""


class Refusal(SortkeyError):
    """The interface answered with an error; the text is its message."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class OnlyLooking(Refusal):
    """Somebody looks at VAMS as a colleague, and must not act in their name."""

    def __init__(self, user_id: str) -> None:
        super().__init__(f"You see VAMS as {user_id}: choose yourself again to change things.", 403)


@dataclass(frozen=True, slots=True)
class Identity:
    """As whom a request is made. `seen_by` is set when another user only looks."""

    user_id: str
    seen_by: str = ""


class Interface:
    """Calls the routes of a service."""

    def __init__(self, service: Vams) -> None:
        self._tokens = Tokens(secrets.token_bytes(32), service.clock)
        self._base = service.base_path
        self._app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
        self._app.state.tokens = self._tokens
        self._app.include_router(make_router(service), prefix=self._base)

    async def call(
        self,
        identity: Identity,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
    ) -> Json:
        """The answer of a route. `path` is not quoted. Raises Refusal."""
        if identity.seen_by and method != "GET" and path not in LOOKS:
            raise OnlyLooking(identity.user_id)
        content = b"" if body is None else json.dumps(body).encode()
        scope = self.scope(identity, method, path, _query(query))
        scope["headers"].append((b"content-type", b"application/json"))
        scope["headers"].append((b"content-length", str(len(content)).encode()))
        answer = await _exchange(self._app, scope, content)
        return _read(answer)

    async def read(
        self, identity: Identity, path: str, limit: int, query: Mapping[str, Any] | None = None
    ) -> bytes:
        """The first bytes of what a route streams. Raises Refusal."""
        scope = self.scope(identity, "GET", path, _query(query))
        scope["headers"].append((b"range", f"bytes=0-{limit - 1}".encode()))
        answer = await _exchange(self._app, scope, b"")
        if answer.status >= 400:
            _read(answer)
        return answer.content[:limit]

    async def items(
        self,
        identity: Identity,
        path: str,
        query: Mapping[str, Any] | None = None,
        name: str = "Items",
    ) -> AsyncIterator[Json]:
        """The items of a list, page after page. `name` is the attribute with the items."""
        token: str | None = None
        for _ in range(PAGES_MAX):
            asked = {**(query or {}), **({"startingToken": token} if token else {})}
            answer = await self.call(identity, "GET", path, query=asked)
            page = object_of(answer.get("message")) or answer
            for item in page.get(name) or ():
                yield item
            token = page.get("NextToken")
            if not token:
                return

    def scope(self, identity: Identity, method: str, path: str, query: str = "") -> Scope:
        """The ASGI scope of a request."""
        scopes = [f"{SEEN_BY}{identity.seen_by}"] if identity.seen_by else []
        token = self._tokens.issue(identity.user_id, 600, scopes, system=SYSTEM)
        path = f"{self._base}{path}"
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "http",
            "method": method,
            "path": path,
            "raw_path": quote(path).encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [
                (b"host", b"127.0.0.1"),
                (b"authorization", f"Bearer {token}".encode()),
            ],
            "client": ("127.0.0.1", 0),
            "server": ("127.0.0.1", 80),
        }

    async def forward(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a route answer an outer request, its bytes as they come."""
        await self._app(scope, receive, send)


@dataclass(slots=True)
class _Answer:
    status: int = 500
    content: bytes = b""


async def _exchange(app: FastAPI, scope: Scope, content: bytes) -> _Answer:
    answer, parts = _Answer(), list[bytes]()
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if sent:
            await sleep_forever()  # until the answer is complete
        sent = True
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
        elif message["type"] == "http.response.body":
            parts.append(message.get("body", b""))

    await app(scope, receive, send)
    answer.content = b"".join(parts)
    return answer


def _read(answer: _Answer) -> Json:
    try:
        value: Any = json.loads(answer.content) if answer.content else {}
    except ValueError:
        value = {}
    found = object_of(value) or {"Items": value or []}
    if answer.status >= 400:
        message = str(found.get("message") or found.get("detail") or f"status {answer.status}")
        raise Refusal(message.removeprefix(PREFIX), answer.status)
    return found


def _query(values: Mapping[str, Any] | None) -> str:
    given = {name: value for name, value in (values or {}).items() if value not in (None, "")}
    texts = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in given.items()
    }
    return urlencode(texts)
