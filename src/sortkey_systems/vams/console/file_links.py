"""Links to the files of assets for the browser of a console user: pictures, models, downloads.

A link names the user, the asset and the version, and is signed. The route behind it asks the
interface in the name of that user each time, so that a permission that was taken away counts at
once. The path of the file follows the signed part: what a model names beside itself is found.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from sortkey_systems.vams.console.interface import Identity, Interface
from sortkey_systems.vams.service import Vams

PATH = "/vams-files"
SECONDS = 4 * 3600
DOWNLOAD = "download"
"""The query that makes the browser store a file."""
PICTURE = "picture"
"""The query for a preview: where it is missing the answer is empty, and the page shows an icon."""
MISSING = (403, 404, 410)
_FORWARDED = (b"range", b"if-range", b"if-none-match", b"if-modified-since")
_OWN_HEADERS = (
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; sandbox"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"private, no-cache"),
)


class FileLinks:
    """Makes links, and answers them as an ASGI app. `base` is the path of the console."""

    def __init__(self, service: Vams, interface: Interface, base: str) -> None:
        self._interface, self._base, self._clock = interface, base, service.clock
        self._secret = service.resources.derive_secret("console file links")

    def address(
        self, identity: Identity, asset: str, path: str, query: Mapping[str, str] | None = None
    ) -> str:
        """The link to a file. `asset` is the path of the asset in the interface."""
        hour = int(self._clock()) // 3600 * 3600  # the same for a while: browsers know its ETag
        claims = [
            identity.user_id,
            identity.seen_by,
            asset,
            urlencode(query or {}),
            hour + SECONDS,
        ]
        text = base64.urlsafe_b64encode(json.dumps(claims, separators=(",", ":")).encode())
        ticket = f"{text.decode()}.{self._signature(text)}"
        return f"{self._base}{PATH}/{ticket}/{quote(path.lstrip('/'))}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a file."""
        if scope["type"] != "http":
            return
        inner = self._inner_scope(scope)
        if inner is None:
            answer = PlainTextResponse("The link is not valid any more: reload the page.", 403)
            await answer(scope, receive, send)
            return
        query = scope.get("query_string", b"").decode("latin-1")
        send = _empty_if_missing(send) if query == PICTURE else send
        await self._interface.forward(inner, receive, _with_own_headers(send, query == DOWNLOAD))

    def _inner_scope(self, scope: Scope) -> Scope | None:
        """The request to the interface; None if the link is not valid."""
        relative = scope["path"].removeprefix(scope.get("root_path", "")).lstrip("/")
        relative = relative.removeprefix(PATH.lstrip("/")).lstrip("/")
        ticket, _, path = relative.partition("/")
        claims = self._claims(ticket)
        if claims is None or not path or scope["method"] not in ("GET", "HEAD"):
            return None
        user_id, seen_by, asset, query, _ = claims
        identity = Identity(user_id, seen_by)
        target = f"{asset}/download/stream/{path}"
        inner = self._interface.scope(identity, scope["method"], target, query)
        inner["headers"] += [pair for pair in scope["headers"] if pair[0] in _FORWARDED]
        return inner

    def _claims(self, ticket: str) -> list[Any] | None:
        text, _, signature = ticket.partition(".")
        if not hmac.compare_digest(self._signature(text.encode()).encode(), signature.encode()):
            return None
        try:
            claims: list[Any] = json.loads(base64.urlsafe_b64decode(text))
        except (ValueError, binascii.Error):
            return None
        return claims if self._clock() < claims[-1] else None

    def _signature(self, text: bytes) -> str:
        return hmac.new(self._secret, text, "sha256").hexdigest()


def _empty_if_missing(send: Send) -> Send:
    is_missing = False

    async def sent(message: Message) -> None:
        nonlocal is_missing
        if message["type"] == "http.response.start" and message["status"] in MISSING:
            is_missing = True
            message = {**message, "status": 204, "headers": []}
        elif is_missing:
            message = {**message, "body": b""}
        await send(message)

    return sent


def _with_own_headers(send: Send, is_download: bool) -> Send:
    """Uploads must not run as pages of ours, whatever they are."""
    names = {name for name, _ in _OWN_HEADERS}

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in names]
            kept = [pair for pair in kept if pair[0].lower() != b"content-disposition"]
            if is_download:
                kept.append((b"content-disposition", b"attachment"))
            message = {**message, "headers": [*kept, *_OWN_HEADERS]}
        await send(message)

    return sent
