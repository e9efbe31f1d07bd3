"""Which `Host` and `Origin` headers a server accepts, so that only allowed web pages can reach it.

A browser lets every page send requests to 127.0.0.1, and names the page in `Origin`. A page can
also point its own host name at 127.0.0.1 (DNS rebinding). The browser then treats it as the
server's origin, but `Host` still has its name. This module is pure: servers decide how to answer a
refused request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

ANY = "*"
"""As an origin: any page."""

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+)(?::\d{1,5})?")
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_-]+)*\.?")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@]+")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_EXCERPT_CHARACTERS = 200
"""How much of a header a message repeats."""


@dataclass(frozen=True, slots=True)
class OriginPolicy:
    """Accepts `hosts` besides loopback, None for any, and calls by pages of `origins`."""

    hosts: frozenset[str] | None = frozenset()
    origins: frozenset[str] = frozenset()

    def host_problem(self, header: str) -> str | None:
        """Why a `Host` is refused. None if it is accepted or missing: browsers always send it."""
        if self.hosts is None or not header:
            return None
        name = host_name(header)
        if name is not None and (name in self.hosts or is_loopback_name(name)):
            return None
        excerpt = (name or header)[:_EXCERPT_CHARACTERS]
        return (
            f"{excerpt!r} is not a host name of this server: if it should be, start it with "
            f"--allow-host {excerpt}"
        )

    def accepts_origin(self, origin: str) -> bool:
        """Whether pages of an origin may call, whatever the server's address."""
        return origin in self.origins or ANY in self.origins

    def origin_problem(self, origin: str) -> str | None:
        """Why pages of an origin may not call a server without pages. None if they may."""
        if self.accepts_origin(origin):
            return None
        if origin == "null":
            return (
                "pages without an origin may not call this server: open the page over http or https"
            )
        excerpt = origin[:_EXCERPT_CHARACTERS]
        return (
            f"pages of {excerpt!r} may not call this server: if they should, start it with --cors "
            f"{excerpt}"
        )

    def own_page_problem(self, origin: str, host: str) -> str | None:
        """The same for a server that has pages itself, whose origin is its `Host`."""
        if self.accepts_origin(origin) or origin.partition("://")[2].lower() == host.lower() != "":
            return None
        return (
            f"pages of {origin[:_EXCERPT_CHARACTERS]!r} may not call this server, only its own: "
            "if browsers see it at another address, start it with --url and that address"
        )


def host_name(header: str) -> str | None:
    """The name in a `Host`, in lower case, without port and brackets. None if it is invalid."""
    match = _HOST.fullmatch(header.strip())
    return None if match is None else match["name"].strip("[]").rstrip(".").lower()


def is_loopback_name(name: str) -> bool:
    """Whether the name always means this machine: localhost, *.localhost, 127.0.0.0/8 and ::1."""
    if name == "localhost" or name.endswith(
        ".localhost"
    ):  # reserved by RFC 6761: no page can have such a name
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def read_hosts(texts: Iterable[str]) -> frozenset[str]:
    """Host names from options, each perhaps a list with commas. Raises ValueError for an invalid
    one.
    """
    return frozenset(_read_host(text) for text in _parts(texts))


def read_origins(texts: Iterable[str]) -> frozenset[str]:
    """Origins from options, each perhaps with commas. Raises ValueError for an invalid one."""
    return frozenset(_read_origin(text) for text in _parts(texts))


def url_origin(url: str) -> str:
    """The origin of a URL, as a browser sends it. Raises ValueError if it is not a server's URL."""
    parts = urlsplit(url.lower())
    if not parts.hostname or "@" in parts.netloc:
        raise ValueError(
            f"{url!r} is not the address of a server: give scheme and host, as "
            "https://app.example.com"
        )
    return f"{parts.scheme}://{parts.netloc.removesuffix(_DEFAULT_PORTS.get(parts.scheme, ' '))}"


def url_host(url: str) -> str:
    """The host name in a URL, as `hosts` of a policy have it."""
    return host_name(url_origin(url).partition("://")[2]) or ""


def _parts(texts: Iterable[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",")]


def _read_host(text: str) -> str:
    try:
        return str(ip_address(text.strip("[]")))
    except ValueError:
        pass
    if not _NAME.fullmatch(text):
        raise ValueError(
            f"{text!r} is not a host name: give it without scheme and port, as app.example.com"
        )
    return text.rstrip(".").lower()


def _read_origin(text: str) -> str:
    if text == ANY:
        return ANY
    origin = text.lower().removesuffix("/")
    if not _ORIGIN.fullmatch(origin):
        raise ValueError(
            f"{text!r} is not an origin: give scheme, host and port, as https://app.example.com or "
            "http://localhost:3000"
        )
    return url_origin(origin)
