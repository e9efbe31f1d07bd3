"""`Resources`: what a host passes to a system. A system opens nothing itself, so tests can pass
anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sortkey.systems.host_secret import derive_for

if TYPE_CHECKING:
    from sortkey.connect.searches import Searches
    from sortkey.runtime.objects import Objects
    from sortkey.runtime.store import Store
    from sortkey.runtime.topics import Topics


@dataclass(frozen=True, kw_only=True)
class Resources:
    """The resources of one system. The store, buckets, searches and topics are shared by all
    systems of a host.
    """

    system: str
    store: Store
    buckets: Mapping[str, Objects]
    """By name; each is opened when it is first asked for."""
    searches: Searches
    """By `<model>/<document>`; they fill once the host has started."""
    open_topics: Callable[[], Topics] = field(repr=False)
    files: Path
    """The folder of files that callers may name."""
    folder: Path
    """For the private files of the system on this machine. It is not created."""
    url: str
    """Where callers reach the routes of the system, without a slash at the end."""
    secret: bytes = field(repr=False)
    clock: Callable[[], float] = time.time
    delay_expiry: Callable[[str, int], None] = field(
        default=lambda table_name, seconds: None, repr=False
    )
    """`delay_expiry("shop-carts", 3600)`: TTL deletes the items of a table so much later, where the
    tables are in the data folder. AWS promises no instant."""

    @property
    def topics(self) -> Topics:
        """Topics of all processes that share the data folder, or of SNS; opened when they are first
        used.
        """
        return self.open_topics()

    def derive_secret(self, purpose: str) -> bytes:
        """A secret of 32 bytes for one purpose of this system, the same after every restart."""
        return derive_for(self.secret, self.system, purpose)
