"""Pages that stand in frames: each is one HTML document with its style and script inside.

The live view and the replay are such pages. Their addresses carry a token, so nothing on the way
may store them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from secrets import token_urlsafe
from typing import Any, Literal

Theme = Literal["", "light", "dark"]


def embedded_page(
    package: str, options: Mapping[str, Any], parts: Mapping[str, str]
) -> tuple[str, dict[str, str]]:
    """The document of a package's `page.html`, and its headers.

    `parts` are texts for its own marks, safe as HTML. Anybody may frame it: whoever has its
    address has its token.
    """
    nonce = token_urlsafe(16)
    script = _file(package, "page.js").replace("__OPTIONS__", _quotable(json.dumps(options)))
    marks = {
        **parts,
        "__NONCE__": nonce,
        "__STYLE__": _file(package, "page.css"),
        "__SCRIPT__": script,
    }
    document = _file(package, "page.html")
    for mark, text in marks.items():
        document = document.replace(mark, text)
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
        "img-src data: blob:; connect-src 'self' ws: wss:; frame-ancestors *; "
        "base-uri 'none'; form-action 'none'"
    )
    headers = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    return document, headers


def theme_of(text: str) -> Theme:
    """The theme that an address asks for; anything else is the reader's own."""
    themes: dict[str, Theme] = {"dark": "dark", "light": "light"}
    return themes.get(text, "")


@cache
def _file(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _quotable(text: str) -> str:
    """JSON for a quoted string of a script: no quote, no lone backslash, no end of the element."""
    return text.replace("\\", "\\\\").replace("'", "\\u0027").replace("<", "\\u003c")
