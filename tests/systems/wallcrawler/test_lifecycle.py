"""The lives of sessions, without browsers: clients that are early, and ends that fail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sortkey.systems import Resources
from sortkey_systems.wallcrawler import lifecycle as module
from sortkey_systems.wallcrawler.browsers.absent import AbsentBrowsers
from sortkey_systems.wallcrawler.browsers.port import BrowserEvent, BrowserStopped, ClientsChanged
from sortkey_systems.wallcrawler.model import Project, Session, model
from sortkey_systems.wallcrawler.service import Wallcrawler
from sortkey_systems.wallcrawler.settings import Settings


class SilentBrowsers(AbsentBrowsers):
    """Browsers of which only events are heard."""

    def subscribe(self, callback: Callable[[BrowserEvent], None]) -> None:
        self.emit = callback


class Parts:
    """A service whose sessions have no browser."""

    def __init__(self, resources: Resources, folder: Path, **settings: Any) -> None:
        resources.store.ensure(model)
        resources.store.create(Project(project_id="project_a", name="A", concurrency=5))
        self.browsers = SilentBrowsers(folder, "there is none")
        self.service = Wallcrawler(resources, self.browsers, Settings(**settings))

    def seed(self) -> Session:
        ends = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
        return self.service.records.seed(
            Session(
                session_id="sess_a",
                project_id="project_a",
                expires_at=ends,
                signing_key="jwt",
                machine=self.service.machine,
            )
        )

    def ready(self) -> Session:
        session = self.service.records.move("sess_a", "READY", "Browser Ready")
        assert session is not None
        return session

    def now(self) -> Session:
        session = self.service.records.find("sess_a")
        assert session is not None
        return session

    async def until(self, *statuses: str) -> None:
        async with asyncio.timeout(5):
            while (await asyncio.to_thread(self.now)).internal_status not in statuses:
                await asyncio.sleep(0.01)


@pytest.mark.parametrize("is_early", [True, False])
def test_a_client_counts_also_if_it_is_faster_than_the_answer_to_the_creator(
    sortkey_resources: Resources, tmp_path: Path, is_early: bool
) -> None:
    # Whoever saw READY in a list connected, was not counted, and lost the session under its hands.
    parts = Parts(sortkey_resources, tmp_path, unused_seconds=0.05)

    async def scenario() -> None:
        parts.service.lifecycle.expect(parts.seed())
        if is_early:
            parts.browsers.emit(ClientsChanged("sess_a", 1))
        parts.service.lifecycle.begin(parts.ready())
        if is_early:
            await parts.until("ACTIVE")
            await asyncio.sleep(0.2)
            assert parts.now().internal_status == "ACTIVE"
        else:
            await parts.until("STOPPED")
        await parts.service.lifecycle.stop()

    asyncio.run(scenario())


def test_an_end_that_fails_is_tried_again(
    sortkey_resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A table that is away for a second must not cost the project a place until the window closes.
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.05)
    parts = Parts(sortkey_resources, tmp_path)
    store = sortkey_resources.store
    update, failures = store.update, [OSError("the table is away")]

    def failing(*args: Any, **values: Any) -> Any:
        if failures:
            raise failures.pop()
        return update(*args, **values)

    async def scenario() -> None:
        parts.service.lifecycle.expect(parts.seed())
        parts.service.lifecycle.begin(parts.ready())
        monkeypatch.setattr(store, "update", failing)
        parts.browsers.emit(BrowserStopped("sess_a", "killed"))
        await parts.until("FAILED")
        assert not failures

    asyncio.run(scenario())
