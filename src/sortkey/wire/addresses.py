"""The addresses that a server listens on: which there are for a name, and whether others can reach
them.
"""

from __future__ import annotations

import errno
import ipaddress
import socket


def bind(host: str, port: int) -> list[socket.socket]:
    """Sockets for every address of the host, on one port. Port 0 takes a free one.

    An address that this machine does not have is skipped if there is another: `localhost` often
    resolves to IPv6 too where there is none.
    """
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets: list[socket.socket] = []
    missing: OSError | None = None
    for family, address in dict.fromkeys(
        (family, str(address[0])) for family, *_, address in entries
    ):
        try:
            sockets.append(_bind_one(family, address, port))
        except OSError as error:
            if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                for listener in sockets:
                    listener.close()
                raise
            missing = error
        else:
            port = port or sockets[-1].getsockname()[1]
    if missing is not None and not sockets:
        raise missing
    return sockets


def is_loopback(host: str) -> bool:
    """Whether every address of the host is a loopback address."""
    return all(ipaddress.ip_address(address).is_loopback for address in addresses_of(host))


def addresses_of(host: str) -> list[str]:
    """Every numeric address of the host."""
    entries = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)
    return [str(address[0]).partition("%")[0] for *_, address in entries]


def _bind_one(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Connections inherit it. Without it the body of an answer waits for the acknowledgement of
        # its head: 40 ms, where the event loop does not set it itself.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind((address, port))
    except OSError:
        bound.close()
        raise
    return bound
