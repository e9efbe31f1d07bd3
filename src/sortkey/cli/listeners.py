"""The port and the folder of a command that serves, with a clear error for each."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sortkey.commands.failure import USAGE, CommandFailed

if TYPE_CHECKING:
    import socket

    from sortkey.engine.engine import Engine
    from sortkey.origins import OriginPolicy

EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Hosts that mean every address of this machine, and an address that always works."""


def listen(host: str, port: int) -> list[socket.socket]:
    """Open sockets for every address of the host."""
    from sortkey.wire.addresses import bind

    try:
        return bind(host, port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandFailed(
                f"port {port} on {host} is in use: stop the program that uses it, or choose "
                "another with --port"
            ) from None
        if error.errno == errno.EACCES:
            raise CommandFailed(
                f"port {port} needs administrator rights: choose one above 1023"
            ) from None
        raise CommandFailed(f"cannot listen on {host}:{port}: {error.strerror}") from None


def reaches_others(host: str) -> bool:
    """Whether other machines can reach this address. `listen` reports an unknown one."""
    from sortkey.wire.addresses import is_loopback

    try:
        return not is_loopback(host)
    except OSError:
        return False


def origin_policy(
    host: str,
    allow_hosts: Iterable[str] | None,
    cors: Iterable[str] | None = None,
    url: str | None = None,
) -> OriginPolicy:
    """Which web pages may call a server that listens on `host`, and under which names: see
    `sortkey.origins`.

    If other machines can reach it, every name is allowed, unless `allow_hosts` restricts them.
    `url` is its address as browsers see it.
    """
    from sortkey.origins import OriginPolicy, read_hosts, read_origins, url_host, url_origin

    try:
        names, origins = read_hosts(allow_hosts or ()), read_origins(cors or ())
        own = {url_host(url)} if url else set[str]()
        origins |= {url_origin(url)} if url else set[str]()
    except ValueError as error:
        raise CommandFailed(str(error), USAGE) from None
    if reaches_others(host) and not names:
        return OriginPolicy(None, origins)
    return OriginPolicy(names | own | {host.lower(), *_addresses(host)}, origins)


def _addresses(host: str) -> list[str]:
    """The addresses that `listen` binds. A process that opens a served folder connects to one."""
    from sortkey.wire.addresses import addresses_of

    try:
        return addresses_of(host)
    except OSError:  # `listen` reports it
        return []


def address_of(bound: socket.socket) -> str:
    """The URL at which a program on this machine reaches it."""
    name, port = bound.getsockname()[:2]
    host = EVERY_ADDRESS.get(name) or str(name)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def named(folder: str) -> str:
    """The folder, if it is not empty. An empty name is most likely an unset shell variable, and
    would mean the current folder.
    """
    if folder == "":
        raise CommandFailed("--data is empty: give the name of a folder", USAGE)
    return folder


def own(folder: str, **settings: Any) -> Engine:
    """Open the engine of a folder, for this process only."""
    import apsw

    from sortkey.connect import shared_folder
    from sortkey.errors import FolderInUse

    try:
        return shared_folder.own(folder, **settings)
    except FolderInUse as error:
        advice = f", which serves it on {error.address}: use that" if error.address else ": stop it"
        raise CommandFailed(
            f"the folder {error.folder} is in use by process {error.pid}{advice}, "
            "or choose another folder with --data"
        ) from None
    except OSError as error:
        raise CommandFailed(
            f"cannot use the folder {folder}: {error.strerror}; choose another with --data"
        ) from None
    except apsw.Error as error:
        raise CommandFailed(
            f"cannot read the data in the folder {folder}: {error}; restore it, or choose another "
            "with --data"
        ) from None
