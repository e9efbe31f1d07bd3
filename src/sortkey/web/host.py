"""The host: systems on shared resources, their services, workers and pages, and the app that serves
them all.

It serves nothing by itself: `RestServer(host.app, sockets)` does, in any event loop.

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
    """A system that runs. `service` is what its other parts are given."""

    system: System
    service: Any
    workers: Sequence[Worker]

    def load_sample(self) -> object:
        """Load the sample data of the system, if it has any and it is not there yet. A text is for
        `sortkey up`.
        """
        return self.system.load(self.system.sample)(self.service) if self.system.sample else None


class Host:
    """Systems on shared resources. Their tables are created; their workers wait for `start`."""

    def __init__(
        self,
        shared: SharedResources,
        systems: Sequence[System],
        *,
        unlimited: Sequence[str] = (),
        origins: OriginPolicy | None = None,
        at_root: bool = False,
    ) -> None:
        """`at_root` is for one system, served without its name in front. For the others see
        `make_app`.
        """
        if at_root and len(systems) != 1:
            raise ModelError(f"one system can be served at the root, not {len(systems)}")
        self.shared = shared
        self.tokens = Tokens(derive(shared.secret, "tokens"))
        self.keys = ApiKeys(shared.store, secret=derive(shared.secret, "keys"))
        self.keys.ensure()
        self.systems = [_start(each, shared, at_root) for each in systems]
        self.app: FastAPI = make_app(
            [_mount(each, at_root) for each in self.systems if each.system.routes],
            tokens=self.tokens,
            keys=self.keys,
            objects=shared.buckets,
            unlimited=unlimited,
            origins=origins,
        )
        self._started: list[Worker] = []

    def pages(self, base: str) -> list[ConsolePage]:
        """The console pages of all systems; `base` is the path of the console."""
        return [
            page
            for each in self.systems
            if each.system.pages
            for page in each.system.load(each.system.pages)(each.service, base)
        ]

    def start(self) -> None:
        """Start what runs in the background: the searches, and the workers of all systems."""
        for worker in (
            self.shared.searches,
            *(worker for each in self.systems for worker in each.workers),
        ):
            worker.start()
            self._started.append(worker)

    def stop(self) -> None:
        """Stop the workers. The next start resumes what they were doing; stopping twice is fine."""
        while self._started:
            self._started.pop().stop()


def ensure_tables(shared: SharedResources, name: str, model: Model) -> None:
    """Create missing tables of the model that commands call `name`. Differences in the others are
    logged.
    """
    for difference in shared.store.ensure(model):
        log.warning("%s: `sortkey plan %s` says what to do", difference, name)


def _start(system: System, shared: SharedResources, at_root: bool) -> HostedSystem:
    ensure_tables(shared, system.name, system.load(system.model))
    for bucket in system.buckets:
        _ = shared.buckets[bucket]
    resources = shared.of(system.name, at_root=at_root)
    service = system.load(system.service)(resources) if system.service else resources
    workers = system.load(system.workers)(service) if system.workers else ()
    return HostedSystem(system, service, workers)


def _mount(hosted: HostedSystem, at_root: bool) -> Mount:
    system = hosted.system
    assert system.routes is not None
    router = system.load(system.routes)(hosted.service)
    description = system.description or system.title
    return Mount(system.name, router, description, at_root, system.large_bodies, system.any_origin)
