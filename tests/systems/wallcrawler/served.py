"""Wallcrawler on a host in a temporary folder, with two tenants and their keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fastapi.testclient import TestClient

from sortkey.systems import SharedResources
from sortkey.web import Host
from sortkey_systems.wallcrawler.service import Wallcrawler
from sortkey_systems.wallcrawler.system import system

ONE, OTHER = "project_one", "project_other"
REMOTE, URL = ("192.0.2.1", 50000), "http://127.0.0.1"
"""Addresses that the check of guests can read: those of the test client are only names."""


@dataclass(frozen=True, slots=True)
class Served:
    """A host that runs, and clients of two tenants."""

    host: Host
    service: Wallcrawler
    one: TestClient
    other: TestClient
    key: str
    """Of the first tenant."""


@contextmanager
def served(shared: SharedResources) -> Iterator[Served]:
    """Serve the system at the root. What it does with browsers depends on the environment."""
    host = Host(shared, [system], at_root=True)
    service: Wallcrawler = host.systems[0].service
    keys: dict[str, str] = {}
    for project in (ONE, OTHER):
        service.tenants.create_project(project, concurrency=5)
        keys[project] = service.tenants.create_key(project, name="test").raw
    host.start()
    try:
        with TestClient(host.app, client=REMOTE, base_url=URL) as one:
            one.headers["X-BB-API-Key"] = keys[ONE]
            headers = {"x-wc-api-key": keys[OTHER]}
            other = TestClient(host.app, client=REMOTE, base_url=URL, headers=headers)
            yield Served(host, service, one, other, keys[ONE])
    finally:
        host.stop()
