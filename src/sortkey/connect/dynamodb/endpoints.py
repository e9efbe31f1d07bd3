"""Endpoints: the addresses that requests go to, taken from URLs, and the TLS that guards them."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from sortkey.errors import NotConfigured

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a service listens."""

    url: str
    tls: bool
    host: str
    port: int
    authority: bytes  # the Host header

    @classmethod
    def parse(cls, url: str) -> Endpoint:
        """Read `http://host:port` or `https://host`. DynamoDB answers at the root, so a path is
        refused.
        """
        try:
            parts = urlsplit(url)
            scheme, host, port = parts.scheme, parts.hostname or "", parts.port
            host.encode("idna")  # as the resolver will: it checks the length of each label
        except ValueError as error:
            raise NotConfigured(f"the endpoint {url!r} is not a URL: {error}") from error
        if (
            scheme not in _PORTS
            or not host
            or not url.isascii()
            or not url.isprintable()
            or " " in url
        ):
            raise NotConfigured(
                f"the endpoint {url!r} is not of the form http://host:port or https://host"
            )
        if parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
            raise NotConfigured(f"the endpoint {url!r} has more than a host and a port")
        host_bytes = f"[{host}]".encode() if ":" in host else host.encode()
        authority = host_bytes if port in (None, _PORTS[scheme]) else host_bytes + b":%d" % port
        return cls(url, scheme == "https", host, port or _PORTS[scheme], authority)


def tls_context(ca_file: str | None) -> ssl.SSLContext:
    """TLS that verifies certificates and host names, with the system's authorities or a file's."""
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise NotConfigured(f"the certificates in {ca_file!r} cannot be read: {error}") from error
