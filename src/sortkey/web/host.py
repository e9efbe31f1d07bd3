"""The host: systems with shared resources, their services, workers and pages, and one app for all.

It does not serve the app: `RestServer(host.app, sockets)` does, in any event loop.

    with open_resources(Addresses("data"), models, url="http://127.0.0.1:8080") as shared:
        host = Host(shared, [find_system("shop")])
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from sortkey.errors import ModelError
from sortkey.model.patterns import Model
from sortkey.origins import OriginPolicy
from sortkey.peers import IsGuest
from sortkey.systems.host_secret import derive
from sortkey.systems.shared import SharedResources
from sortkey.systems.system import System, Worker
from sortkey.web.api_keys import ApiKeys
from sortkey.web.app import Mount, make_app
from sortkey.web.tokens import Tokens

if TYPE_CHECKING:
    from sortkey.web.console.shell import ConsolePage

log = logging.getLogger("sortkey.host")


@dataclass(frozen=True, slots=True)
class HostedSystem:
    """A running system. Its routes, pages and workers receive `service`."""

    system: System
    service: Any
    workers: Sequence[Worker]

    def load_sample(self) -> object:
        """Load the sample data of the system, unless it is already loaded. `sortkey up` prints a
        text that this returns.
        """
        return self.system.load(self.system.sample)(self.service) if self.system.sample else None


class Host:
    """Systems with shared resources. Their tables are created. `start` starts their workers."""

    def __init__(
        self,
        shared: SharedResources,
        systems: Sequence[System],
        *,
        unlimited: Sequence[str] = (),
        origins: OriginPolicy | None = None,
        at_root: bool = False,
    ) -> None:
        """`at_root` serves one system without its name in the paths. See also `make_app`."""
        if at_root and len(systems) != 1:
            raise ModelError(
                f"only one system can be served at the root, not {len(systems)}: omit at_root"
            )
        self.shared = shared
        self.tokens = Tokens(derive(shared.secret, "tokens"))
        self.keys = ApiKeys(shared.store, secret=derive(shared.secret, "keys"))
        self.keys.ensure()
        self.systems = [_start(system, shared, at_root) for system in systems]
        self.is_guest = _guests_of(self.systems)
        """Whether a local user is a guest of a system; None if there are none."""
        self.app: FastAPI = make_app(
            [_mount(hosted, at_root) for hosted in self.systems if hosted.system.routes],
            tokens=self.tokens,
            keys=self.keys,
            objects=shared.buckets,
            unlimited=unlimited,
            origins=origins,
            is_guest=self.is_guest,
        )
        self._started: list[Worker] = []

    def pages(self, base: str) -> list[ConsolePage]:
        """The console pages of all systems; `base` is the path of the console."""
        return [
            page
            for hosted in self.systems
            if hosted.system.pages
            for page in hosted.system.load(hosted.system.pages)(hosted.service, base)
        ]

    def start(self) -> None:
        """Start the background work: the searches, and the workers of all systems."""
        for worker in (
            self.shared.searches,
            *(worker for hosted in self.systems for worker in hosted.workers),
        ):
            worker.start()
            self._started.append(worker)

    def stop(self) -> None:
        """Stop the workers. The next start resumes what they were doing; stopping twice is fine."""
        while self._started:
            self._started.pop().stop()


def ensure_tables(shared: SharedResources, name: str, model: Model) -> None:
    """Create missing tables of a model and log differences of existing ones. `name` is the model's
    name in commands.
    """
    for difference in shared.store.ensure(model):
        log.warning("%s: run `sortkey plan %s` to see what to do", difference, name)


def _start(system: System, shared: SharedResources, at_root: bool) -> HostedSystem:
    ensure_tables(shared, system.name, system.load(system.model))
    for bucket in system.buckets:
        _ = shared.buckets[bucket]
    resources = shared.of(system.name, at_root=at_root)
    service = system.load(system.service)(resources) if system.service else resources
    workers = system.load(system.workers)(service) if system.workers else ()
    return HostedSystem(system, service, workers)


def _guests_of(systems: Sequence[HostedSystem]) -> IsGuest | None:
    declared = [
        hosted.system.load(hosted.system.guests)(hosted.service)
        for hosted in systems
        if hosted.system.guests
    ]
    tests: list[IsGuest] = [each for each in declared if each is not None]
    return (lambda uid: any(is_guest(uid) for is_guest in tests)) if tests else None


def _mount(hosted: HostedSystem, at_root: bool) -> Mount:
    system = hosted.system
    assert system.routes is not None
    router = system.load(system.routes)(hosted.service)
    description = system.description or system.title
    return Mount(system.name, router, description, at_root, system.large_bodies, system.any_origin)
