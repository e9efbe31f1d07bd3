"""A host: one store and its buckets, systems on them, and the app that serves all. It serves nothing by itself.

`sortkey rest` runs it; whoever has an event loop can, beside anything else: `RestServer(host.app, sockets)`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from sortkey.errors import NotConfigured
from sortkey.origins import OriginPolicy
from sortkey.runtime.objects import Objects
from sortkey.runtime.store import Store
from sortkey.web.api_keys import ApiKeys
from sortkey.web.app import OBJECTS_PATH, System, make_app
from sortkey.web.server_secret import secret_for
from sortkey.web.tokens import Tokens

PACKAGE = "sortkey_systems"
HOSTABLE = ("applens", "jobengine")
"""The systems that have routes."""
FILES = "files"
"""Where in the data folder the files lie that may be named over REST."""


class Host:
    """Systems on a store. Their tables are made; their workers wait for `start`."""

    def __init__(
        self,
        store: Store,
        objects: Mapping[str, Objects],
        folder: str | os.PathLike[str],
        *,
        secret: bytes,
        systems: Sequence[str] = HOSTABLE,
        unlimited: Sequence[str] = (),
        origins: OriginPolicy | None = None,
    ) -> None:
        self.tokens = Tokens(secret_for("tokens", secret))
        self.keys = ApiKeys(store, secret=secret_for("keys", secret))
        self.keys.ensure()
        self.systems = mount_all(systems, store, objects, Path(folder) / FILES)
        self.app: FastAPI = make_app(
            self.systems,
            tokens=self.tokens,
            keys=self.keys,
            objects=objects,
            unlimited=unlimited,
            origins=origins,
        )
        self._started: list[Any] = []

    def start(self) -> None:
        """Start the workers of all systems, each in threads of its own."""
        for worker in [worker for system in self.systems for worker in system.workers]:
            worker.start()
            self._started.append(worker)

    def stop(self) -> None:
        """Stop the workers. What they were doing is taken up again by the next ones; stopping twice is fine."""
        while self._started:
            self._started.pop().stop()


def objects_url(address: str) -> str:
    """Where the presigned links of a host lead that answers at this address."""
    return f"{address.rstrip('/')}{OBJECTS_PATH}"


def mount_all(names: Sequence[str], store: Store, objects: Mapping[str, Objects], files: Path) -> list[System]:
    """The systems of these names on a store. Raises NotConfigured for a name that is none."""
    files.mkdir(mode=0o700, parents=True, exist_ok=True)
    return [_api(name).mount(store, objects, files) for name in names]


def part_of(system: str, part: str) -> Any:
    """A module of a system by its name: the library does not know the systems on it."""
    return import_module(f"{PACKAGE}.{system}.{part}")


def check_hostable(name: str) -> None:
    """Raises NotConfigured for what is no system, or none with an interface."""
    if name not in HOSTABLE or find_spec(f"{PACKAGE}.{name}") is None:
        raise NotConfigured(f"there is no system {name!r} to be served: choose from {', '.join(HOSTABLE)}")


def _api(name: str) -> Any:
    check_hostable(name)
    return part_of(name, "api")
