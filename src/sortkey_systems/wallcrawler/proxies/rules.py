"""Which proxy a host name takes: the `proxies` of a session's creation, checked and in order.

The first rule whose pattern matches wins. A host without a matching rule is reached directly.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from typing import Any
from urllib.parse import urlsplit

RULES_MAX = 20
PATTERN_LENGTH_MAX = 500
_LITERAL = re.compile(r"[A-Za-z0-9_.*-]+")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class InvalidProxy(ValueError):
    """A proxy that cannot be used. The message says which and why, and has no credentials in it."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """A proxy of somebody else."""

    host: str
    port: int
    is_tls: bool
    authorization: str = field(default="", repr=False)
    """Of the header Proxy-Authorization; empty without credentials."""


@dataclass(frozen=True, slots=True)
class ProxyRule:
    """`upstream` is None for a direct connection."""

    upstream: Upstream | None
    patterns: tuple[re.Pattern[str], ...] = ()
    """Any of them; none: every host."""

    def is_for(self, host: str) -> bool:
        return not self.patterns or any(each.fullmatch(host) for each in self.patterns)


def read_rules(proxies: Sequence[dict[str, Any]]) -> list[ProxyRule]:
    """The rules in the `proxies` of a request. Raises InvalidProxy."""
    if len(proxies) > RULES_MAX:
        raise InvalidProxy(f"{len(proxies)} proxies are too many: give at most {RULES_MAX}")
    return [_rule(number, each) for number, each in enumerate(proxies)]


def route(rules: Sequence[ProxyRule], host: str) -> Upstream | None:
    """The proxy for a host. None: connect directly."""
    name = host.rstrip(".").lower()
    return next((rule.upstream for rule in rules if rule.is_for(name)), None)


def _rule(number: int, proxy: dict[str, Any]) -> ProxyRule:
    where = f"proxies[{number}]"
    patterns = _patterns(where, str(proxy.get("domainPattern") or ""))
    match proxy.get("type"):
        case "none":
            return ProxyRule(None, patterns)
        case "external":
            return ProxyRule(_upstream(where, proxy), patterns)
        case "browserbase":
            raise InvalidProxy(
                f"{where}: this server has no proxies of its own: use the type external with a "
                "server"
            )
        case other:
            raise InvalidProxy(f"{where}: unknown type {str(other)[:40]!r}: use external or none")


def _upstream(where: str, proxy: dict[str, Any]) -> Upstream:
    text = str(proxy.get("server") or "")
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname, parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
    except ValueError:
        host, port, parts = None, 0, urlsplit("")
    if not host or parts.scheme not in _DEFAULT_PORTS:
        raise InvalidProxy(f"{where}: the server must be http://host:port or https://host:port")
    username, password = (
        str(proxy.get("username") or parts.username or ""),
        str(proxy.get("password") or ""),
    )
    secret = password or parts.password or ""
    has_credentials = bool(username or secret)
    basic = (
        "Basic " + b64encode(f"{username}:{secret}".encode()).decode() if has_credentials else ""
    )
    return Upstream(host, port, parts.scheme == "https", basic)


def _patterns(where: str, text: str) -> tuple[re.Pattern[str], ...]:
    """Host names, `*` for anything, and the simple regular expressions that clients write:
    `example\\.com|.*\\.org`.

    Only that much: a full regular expression of a stranger could keep the proxy busy for ever.
    """
    if len(text) > PATTERN_LENGTH_MAX:
        raise InvalidProxy(f"{where}: domainPattern has more than {PATTERN_LENGTH_MAX} characters")
    bare = text.strip().removeprefix("^").removesuffix("$")
    if bare.startswith("(") and bare.endswith(")"):
        bare = bare[1:-1]
    return tuple(_pattern(where, each) for each in bare.split("|") if each)


def _pattern(where: str, text: str) -> re.Pattern[str]:
    name = (
        text.removeprefix("^")
        .removesuffix("$")
        .replace(".*", "*")
        .replace("\\.", ".")
        .replace("\\-", "-")
        .lower()
    )
    if not _LITERAL.fullmatch(name) or name.count("*") > 3:
        raise InvalidProxy(
            f"{where}: domainPattern must be host names, with * for any part and | between them"
        )
    exact = translate(name)
    if name.startswith("*"):
        return re.compile(exact)
    return re.compile(f"{exact}|{translate('*.' + name)}")  # a name stands for its subdomains too
