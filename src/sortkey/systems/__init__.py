"""Systems: complete applications on Sortkey, found by entry point. Yours and ours come in by the
same door.

    System                              what a system brings: model, service, routes, pages, commands, sample, workers
    Resources                           what a host gives to a system: store, buckets, searches, topics, files, secrets
    Worker                              what runs beside the requests of a system
    IsGuest, peer_uid                   which local users are guests, and whose a connection is
    find_system, system_names           the systems that are installed
    Addresses, open_resources           where a host keeps everything, and opening it
    system_secret                       a secret of a system, for its commands
    SharedResources                     what all systems of a host share

A package declares its system in pyproject.toml:

    [project.entry-points."sortkey.systems"]
    shop = "shop.system:system"

Importing a `System` must stay cheap, so what opens things is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.peers import IsGuest, peer_uid
from sortkey.systems.host_secret import system_secret
from sortkey.systems.installed import find_system, system_names
from sortkey.systems.resources import Resources
from sortkey.systems.system import System, Worker

if TYPE_CHECKING:
    from sortkey.systems.shared import Addresses, SharedResources, open_resources

__all__ = [
    "Addresses",
    "IsGuest",
    "Resources",
    "SharedResources",
    "System",
    "Worker",
    "find_system",
    "open_resources",
    "peer_uid",
    "system_names",
    "system_secret",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'sortkey.systems' has no attribute {name!r}")
    from sortkey.systems import shared

    return getattr(shared, name)
