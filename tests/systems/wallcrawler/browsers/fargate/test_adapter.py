"""Browsers as tasks: the same control plane on ECS, which an emulator plays with real processes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sortkey_systems.wallcrawler.browsers.fargate.adapter import FargateBrowsers
from sortkey_systems.wallcrawler.browsers.fargate.task_processor import process_task_event
from sortkey_systems.wallcrawler.browsers.fargate.tasks import FargateSettings
from tests.systems.wallcrawler.browsers.fargate.ecs_emulator import EcsEmulator
from tests.systems.wallcrawler.driven import Cdp, Driven, driven, wait_until

NOW = datetime.now(UTC)
pytestmark = pytest.mark.slow


@pytest.fixture
def events() -> list[Any]:
    """Where the emulator's events go: the server, once it is there."""
    return []


@pytest.fixture
def ecs(tmp_path: Path, events: list[Any]) -> Iterator[EcsEmulator]:
    def deliver(event: dict[str, Any]) -> None:
        for server in events:
            process_task_event(server.service.store, server.service.resources.topics, event)

    emulator = EcsEmulator(tmp_path / "tasks", deliver)
    emulator.start()
    yield emulator
    emulator.stop()


@pytest.fixture
def server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ecs: EcsEmulator, events: list[Any]
) -> Iterator[Driven]:
    for name, value in {
        "AWS_ENDPOINT_URL_ECS": ecs.url,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }.items():
        monkeypatch.setenv(name, value)
    settings = {
        "BROWSERS": "fargate",
        "ECS_CLUSTER": "wallcrawler",
        "ECS_TASK_DEFINITION": "browser:1",
        "ECS_SUBNETS": "subnet-1",
    }
    with driven(tmp_path, monkeypatch, **settings) as made:
        events.append(made)
        yield made
        events.clear()


@pytest.mark.accepts("WC-9", "WC-16", "WC-22", "WC-24", "WC-40")
def test_a_session_is_a_task_that_ends_with_it(server: Driven, ecs: EcsEmulator) -> None:
    # The record says which task it is and where, with every event that came on the way.
    session = server.create(
        keepAlive=True, browserSettings={"viewport": {"width": 700, "height": 500}}
    )
    item = server.item(session)
    [arn] = ecs.processes
    assert (item.ecs_task_arn, item.machine) == (arn, None)
    assert (item.public_ip or "").startswith("127.")
    kinds = [event.detail_type for event in item.event_history]
    assert kinds.count("ECS Task State Change") >= 2
    assert kinds[-1] == "Browser Ready"
    cdp = Cdp(session["connectUrl"])
    assert "Chrome" in cdp.call("Browser.getVersion")["product"]
    wait_until(lambda: server.item(session).internal_status == "ACTIVE")
    live = server.client.get(f"/v1/sessions/{session['id']}/debug").json()
    assert len(live["pages"]) == 1
    released = server.release(session)
    assert released["status"] == "COMPLETED"
    assert ecs.processes[arn].poll() is not None
    assert server.client.get(f"/v1/sessions/{session['id']}/logs").json()


@pytest.mark.accepts("WC-39")
def test_a_profile_goes_into_the_task_and_comes_back(server: Driven) -> None:
    # The archive is stored by the server: a task needs no rights of its own.
    context = server.client.post("/v1/contexts").json()["id"]
    wanted = {"context": {"id": context, "persist": True}}
    cookie = {"name": "login", "value": "ada", "domain": "example.com", "path": "/"}
    found: list[list[str]] = []
    for _ in range(2):
        session = server.create(browserSettings=wanted)
        cdp = Cdp(session["connectUrl"])
        found.append([each["value"] for each in cdp.call("Storage.getCookies")["cookies"]])
        cdp.call("Storage.setCookies", {"cookies": [cookie]})
        server.release(session)
        assert server.item(session).end_reason == "released"
    assert found == [[], ["ada"]]


def test_a_server_reaches_and_ends_the_task_that_another_has_started(
    server: Driven, ecs: EcsEmulator, tmp_path: Path
) -> None:
    # Behind a load balancer the next request goes to any server; a task that it does not find
    # would run, and cost, for ever.
    session = server.create(keepAlive=True)
    resources = server.service.resources
    secret = resources.derive_secret("agents of tasks")
    other = FargateBrowsers(
        tmp_path / "other", FargateSettings.from_environment(), lambda: resources.topics, secret
    )

    records = server.service.records

    async def use() -> None:
        status = await other.status(session["id"])
        assert status is not None
        connection = await other.connect(session["id"])
        connection.close()
        records.move(session["id"], "TERMINATING", "Session Ending")
        assert (await other.end(session["id"], "released")).reason == "released"
        assert await other.status(session["id"]) is None

    asyncio.run(use())
    [process] = ecs.processes.values()
    assert process.poll() is not None
    item = server.item(session)  # the server that has started it leaves the end to the other
    assert records.finish(item, "STOPPED", "released", ended_at=NOW).status == "COMPLETED"


def test_a_task_that_dies_ends_its_session_as_an_error(server: Driven, ecs: EcsEmulator) -> None:
    # ECS may take a task at any time; its place is given back, and nobody waits for its timeout.
    session = server.create(keepAlive=True)
    [process] = ecs.processes.values()
    process.kill()
    ended = server.ended(session)
    assert ended.status == "ERROR"
    assert server.places_taken == 0


def test_a_cluster_without_a_place_is_said_to_be_so(server: Driven, ecs: EcsEmulator) -> None:
    # The reason that ECS gives is the one that helps.
    ecs.fails = True
    answer = server.client.post("/v1/sessions", json={})
    assert answer.status_code == 503
    assert "RESOURCE:MEMORY" in answer.json()["message"]
    assert server.places_taken == 0
