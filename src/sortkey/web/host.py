"""The host: systems on shared resources, their services, workers and pages, and the app that serves them all.

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
        """Load the sample data of the system, if it has any and it is not there yet. A text is for `sortkey up`."""
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
    ) -> None:
        """For `unlimited` and `origins` see `make_app`."""
        self.shared = shared
        self.tokens = Tokens(derive(shared.secret, "tokens"))
        self.keys = ApiKeys(shared.store, secret=derive(shared.secret, "keys"))
        self.keys.ensure()
        self.systems = [_start(each, shared) for each in systems]
        self.app: FastAPI = make_app(
            [_mount(each) for each in self.systems if each.system.routes],
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
        for worker in (self.shared.searches, *(worker for each in self.systems for worker in each.workers)):
            worker.start()
            self._started.append(worker)

    def stop(self) -> None:
        """Stop the workers. The next start resumes what they were doing; stopping twice is fine."""
        while self._started:
            self._started.pop().stop()


def ensure_tables(shared: SharedResources, name: str, model: Model) -> None:
    """Create missing tables of the model that commands call `name`. Differences in the others are logged."""
    for difference in shared.store.ensure(model):
        log.warning("%s: `sortkey plan %s` says what to do", difference, name)


def _start(system: System, shared: SharedResources) -> HostedSystem:
    ensure_tables(shared, system.name, system.load(system.model))
    for bucket in system.buckets:
        _ = shared.buckets[bucket]
    resources = shared.of(system.name)
    service = system.load(system.service)(resources) if system.service else resources
    workers = system.load(system.workers)(service) if system.workers else ()
    return HostedSystem(system, service, workers)


def _mount(hosted: HostedSystem) -> Mount:
    system = hosted.system
    assert system.routes is not None
    return Mount(system.name, system.load(system.routes)(hosted.service), system.description or system.title)
