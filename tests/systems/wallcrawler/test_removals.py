"""Deleted items of sessions: by TTL after its grace, or by hand. Nothing of them is left."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sortkey import Store
from sortkey.systems import SharedResources
from sortkey_systems.wallcrawler.browsers.absent import AbsentBrowsers
from sortkey_systems.wallcrawler.model import Project, Session, model
from sortkey_systems.wallcrawler.service import Wallcrawler
from sortkey_systems.wallcrawler.settings import Settings


@pytest.fixture
def service(sortkey_shared: SharedResources) -> Wallcrawler:
    sortkey_shared.store.ensure(model)
    resources = sortkey_shared.of("wallcrawler")
    settings = Settings(ttl_grace_seconds=3600)
    made = Wallcrawler(resources, AbsentBrowsers(resources.folder, "none here"), settings)
    made.tenants.create_project("project_a", concurrency=2)
    return made


def seeded(service: Wallcrawler, name: str, **values: Any) -> Session:
    ends = datetime.now(UTC) + timedelta(hours=1)
    given = {"project_id": "project_a", "expires_at": ends, "signing_key": "jwt", **values}
    return service.records.seed(Session(session_id=f"sess_{name}", **given))


def places(store: Store) -> int:
    return store.get(Project.key(project_id="project_a")).running_sessions


@pytest.mark.accepts("WC-26", "WC-27")
def test_an_item_that_is_deleted_while_its_session_runs_gives_its_place_back_once(
    service: Wallcrawler,
) -> None:
    # Nobody else would: the session is in no list and no index any more.
    seeded(service, "a")
    seeded(service, "b")
    worker = service.removal_worker()
    service.store.delete(Session.key(session_id="sess_a"))
    worker.run_until_idle()
    assert places(service.store) == 1
    worker.stop()
    service.removal_worker().run_until_idle()
    assert places(service.store) == 1


@pytest.mark.accepts("WC-26")
def test_an_item_that_is_deleted_after_the_end_changes_no_count(service: Wallcrawler) -> None:
    # Its place was given back when it ended.
    ended = service.records.finish(seeded(service, "a"), "STOPPED", "x", ended_at=datetime.now(UTC))
    seeded(service, "b")
    service.store.delete(Session.key(session_id=ended.session_id))
    service.removal_worker().run_until_idle()
    assert places(service.store) == 1


@pytest.mark.accepts("WC-5", "WC-25", "WC-26")
def test_ttl_deletes_an_item_only_after_its_grace(
    service: Wallcrawler, sortkey_shared: SharedResources
) -> None:
    # The window ends the session; its item stays a while, so that its client learns how it ended.
    now, engine = datetime.now(UTC), sortkey_shared.engine
    assert engine is not None
    for name, ago in (("young", timedelta(minutes=30)), ("old", timedelta(minutes=70))):
        seeded(service, name, expires_at=now - ago)
    deadline = datetime.now(UTC) + timedelta(seconds=10)
    while service.records.find("sess_old") is not None and datetime.now(UTC) < deadline:
        engine.work()
    assert service.records.find("sess_old") is None
    assert service.records.find("sess_young") is not None
