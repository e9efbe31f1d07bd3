"""The authorizer: keys and projects, what it remembers, and how soon it forgets."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from sortkey import MemoryTopics, Store, attr
from sortkey.testing import FrozenClock
from sortkey_systems.wallcrawler.authorizer import Authorizer, ProjectForbidden, Unauthorized
from sortkey_systems.wallcrawler.model import ApiKey, Project, api_key_hash, model

KEY = {"x-bb-api-key": "wc_one"}


@pytest.fixture
def store(sortkey_store: Store) -> Store:
    sortkey_store.ensure(model)
    for project in ("project_a", "project_b"):
        sortkey_store.create(Project(project_id=project, name=project, concurrency=1))
    sortkey_store.create(
        ApiKey(
            api_key_hash=api_key_hash("wc_one"), project_id="project_a", project_ids=["project_b"]
        )
    )
    return sortkey_store


@pytest.fixture
def topics() -> Iterator[MemoryTopics]:
    opened = MemoryTopics()
    yield opened
    opened.close()


def authorizer(store: Store, topics: MemoryTopics, clock: FrozenClock) -> Authorizer:
    return Authorizer(store, topics, cache_seconds=300, records_last_use=True, clock=clock)


def is_accepted(checks: Authorizer) -> bool:
    try:
        checks.grant(KEY)
    except Unauthorized:
        return False
    return True


def revoke(store: Store) -> None:
    key = ApiKey.key(api_key_hash=api_key_hash("wc_one"))
    store.update(key, attr(ApiKey.status).set("INACTIVE"))


@pytest.mark.accepts("WC-35", "WC-36")
def test_a_key_allows_its_primary_project_and_the_others(
    store: Store, topics: MemoryTopics, sortkey_clock: FrozenClock
) -> None:
    # A header or the body selects one; without any it is the primary one.
    checks = authorizer(store, topics, sortkey_clock)
    grant = checks.grant(KEY)
    assert grant.projects == ("project_a", "project_b")
    assert checks.project(grant, {}) == "project_a"
    assert checks.project(grant, {"x-wc-project-id": "project_b"}) == "project_b"
    assert checks.project(grant, {}, "project_b") == "project_b"
    with pytest.raises(ProjectForbidden):
        checks.project(grant, {"x-wc-project-id": "project_b"}, "project_a")
    with pytest.raises(ProjectForbidden):
        checks.project(grant, {}, "project_c")


@pytest.mark.accepts("WC-34")
def test_the_use_of_a_key_is_noted(
    store: Store, topics: MemoryTopics, sortkey_clock: FrozenClock
) -> None:
    # Whoever cleans up keys wants to know which of them nobody uses.
    authorizer(store, topics, sortkey_clock).grant(KEY)
    used = store.get(ApiKey.key(api_key_hash=api_key_hash("wc_one"))).last_used_at
    assert used is not None
    assert used.timestamp() == pytest.approx(sortkey_clock())


def test_what_it_knows_ends_after_five_minutes(
    store: Store, topics: MemoryTopics, sortkey_clock: FrozenClock
) -> None:
    # A change on another machine, of which nobody here hears, counts after that.
    checks = authorizer(store, topics, sortkey_clock)
    checks.grant(KEY)
    revoke(store)
    sortkey_clock.advance(299)
    assert checks.grant(KEY).primary == "project_a"
    sortkey_clock.advance(1)
    with pytest.raises(Unauthorized):
        checks.grant(KEY)


def test_a_change_that_another_process_announces_counts_at_once(
    store: Store, topics: MemoryTopics, sortkey_clock: FrozenClock
) -> None:
    # A key is revoked with a command, and the server that runs must refuse it with the next
    # request.
    server, command = (authorizer(store, topics, sortkey_clock) for _ in range(2))
    server.grant(KEY)
    revoke(store)
    command.announce_change(apiKeyHash=api_key_hash("wc_one"))
    deadline = time.monotonic() + 5
    while is_accepted(server) and time.monotonic() < deadline:
        time.sleep(0.001)
    assert not is_accepted(server)


@pytest.mark.accepts("WC-32")
def test_a_key_that_is_unknown_is_asked_for_each_time(
    store: Store, topics: MemoryTopics, sortkey_clock: FrozenClock
) -> None:
    # A key that was just made works at once, also if somebody tried it too early.
    checks = authorizer(store, topics, sortkey_clock)
    for key in ("wc_new", "x" * 5000):
        with pytest.raises(Unauthorized):
            checks.grant({"x-wc-api-key": key})
    store.create(ApiKey(api_key_hash=api_key_hash("wc_new"), project_id="project_a"))
    assert checks.grant({"x-wc-api-key": "wc_new"}).projects == ("project_a",)
