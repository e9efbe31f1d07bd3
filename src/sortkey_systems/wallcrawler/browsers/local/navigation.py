"""Which URLs a client may open, and which domains the main frames of a session may show.

A URL is read as Chromium reads it: without blanks around it and line breaks inside it, and with any
case of the scheme.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

SCHEMES = frozenset({"http", "https", "data", "blob", "chrome-extension", "javascript"})
"""What a client may open. Everything else reads the machine (`file:`) or commands the browser
(`chrome:`)."""

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_IGNORED = str.maketrans("", "", "\t\r\n")
_BLANKS = "".join(map(chr, range(0x21)))
_BLANK_PAGES = re.compile(r"about:(?:blank|srcdoc)(?:[?#].*)?", re.IGNORECASE)
_WRAPPERS = frozenset({"view-source", "blob"})


def is_allowed_url(url: str) -> bool:
    """Whether a client may navigate to this URL."""
    url = _normalised(url)
    if not url or _BLANK_PAGES.fullmatch(url):
        return True
    match = _SCHEME.match(url)
    scheme = match[1].lower() if match else ""
    if match and scheme in _WRAPPERS:
        inner = url[match.end() :]
        return inner != "" and _has_scheme(inner) and is_allowed_url(inner)
    return scheme in SCHEMES


def is_script_url(url: str) -> bool:
    """Whether this URL runs a script in the page that is open."""
    match = _SCHEME.match(_normalised(url))
    return match is not None and match[1].lower() == "javascript"


def is_allowed_domain(url: str, domains: tuple[str, ...]) -> bool:
    """Whether a main frame may show this URL: of a domain in the list or below one, or a page
    without a domain."""
    try:
        parts = urlsplit(_normalised(url).replace("\\", "/"))  # to a browser they are the same
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"}:
        return is_allowed_url(url)
    return any(host == domain or host.endswith(f".{domain}") for domain in map(_domain, domains))


def _domain(entry: str) -> str:
    """`https://*.Example.com./path` is the domain `example.com`: people write it in many ways."""
    entry = entry.strip().lower()
    entry = entry.split("://", 1)[-1].split("/", 1)[0].split(":", 1)[0]
    return entry.removeprefix("*.").strip(".")


def _has_scheme(url: str) -> bool:
    return _SCHEME.match(_normalised(url)) is not None


def _normalised(url: str) -> str:
    return url.translate(_IGNORED).strip(_BLANKS)
