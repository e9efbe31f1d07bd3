"""The HTML of the live view. It is one document that asks nobody else for anything, so it works in
a frame anywhere.

Its WebSocket is at the same address with `/ws` at the end, and takes the same query.
"""

from __future__ import annotations

import json
from functools import cache
from html import escape
from importlib.resources import files
from secrets import token_urlsafe
from typing import Literal

Theme = Literal["", "light", "dark"]

HEADERS = {
    "Cache-Control": "no-store",  # the address carries a token, and the page says what it may do
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def live_page(
    *, is_interactive: bool, page_id: str | None = None, has_bar: bool = True, theme: Theme = ""
) -> tuple[str, dict[str, str]]:
    """The document and its headers. Anybody may frame it: whoever has its address has its token."""
    nonce = token_urlsafe(16)
    options = json.dumps({"drives": is_interactive, "pageId": page_id})
    parts = {
        "__BAR__": "on" if has_bar else "off",
        "__THEME__": escape(theme),
        "__NONCE__": nonce,
        "__STYLE__": _part("page.css"),
        "__SCRIPT__": _part("page.js").replace("__OPTIONS__", _in_script(options)),
    }
    document = _part("page.html")
    for name, text in parts.items():
        document = document.replace(name, text)
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
        "img-src data:; connect-src 'self' ws: wss:; frame-ancestors *; base-uri 'none'; "
        "form-action 'none'"
    )
    return document, {**HEADERS, "Content-Security-Policy": policy}


@cache
def _part(name: str) -> str:
    return files("sortkey_systems.wallcrawler.live").joinpath(name).read_text(encoding="utf-8")


def _in_script(text: str) -> str:
    """JSON that can stand in a quoted string of a script: no quote, no backslash alone, no end of
    the element.
    """
    return text.replace("\\", "\\\\").replace("'", "\\u0027").replace("<", "\\u003c")
