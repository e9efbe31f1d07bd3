"""The items of sessions: places that are taken and given back once, whoever asks how often."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sortkey import Store
from sortkey.errors import TransactionCanceledException, TransactionFailed
from sortkey.runtime.backend import Backend
from sortkey.systems import Resources
from sortkey.web import Refused
from sortkey_systems.wallcrawler.events import BUCKET, EventLog
from sortkey_systems.wallcrawler.model import Context, Project, Session, model
from sortkey_systems.wallcrawler.records import (
    CONFLICTS_MAX,
    SETTLED_SECONDS,
    ContextInUse,
    Records,
    TooManySessions,
)

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def store(sortkey_resources: Resources) -> Store:
    sortkey_resources.store.ensure(model)
    sortkey_resources.store.create(Project(project_id="project_a", name="A", concurrency=5))
    return sortkey_resources.store


@pytest.fixture
def records(store: Store, sortkey_resources: Resources) -> Records:
    events = EventLog(store, sortkey_resources.buckets[BUCKET])
    return Records(store, events, sortkey_resources.clock)


class BusyProject:
    """A backend whose transactions meet others in their second write, `conflicts` times."""

    def __init__(self, backend: Backend) -> None:
        self._backend, self.capabilities = backend, backend.capabilities
        self.conflicts = 0

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        if operation == "TransactWriteItems" and self.conflicts:
            self.conflicts -= 1
            reasons = [{"Code": "None"}, {"Code": "TransactionConflict"}]
            raise TransactionCanceledException(reasons)
        return self._backend.call(operation, request)

    def close(self) -> None:
        self._backend.close()


def session(name: str, **values: Any) -> Session:
    ends = NOW + timedelta(hours=1)
    given = {"project_id": "project_a", "expires_at": ends, "signing_key": "jwt", **values}
    return Session(session_id=f"sess_{name}", **given)


def places(store: Store) -> int:
    return store.get(Project.key(project_id="project_a"), consistent=True).running_sessions


@pytest.mark.accepts("WC-30")
def test_of_twenty_creates_at_once_exactly_as_many_get_a_place_as_there_are(
    records: Records, store: Store
) -> None:
    # The limit is a conditional write, so it also holds where two servers do not know each other.
    def seed(number: int) -> bool:
        try:
            records.seed(session(str(number)))
        except TooManySessions as refused:
            return "Retry-After" not in refused.headers
        return True

    with ThreadPoolExecutor(20) as threads:
        taken = list(threads.map(seed, range(20)))
    assert (taken.count(True), taken.count(False)) == (5, 15)
    assert places(store) == 5
    assert store.count(Session.of_project(project_id="project_a")) == 5


def test_a_place_is_given_back_once_however_often_a_session_ends(
    records: Records, store: Store
) -> None:
    # Release, timeout and a crash can come together; a limit that drifts is no limit.
    for name in "ab":
        records.seed(session(name))
    started = records.move("sess_a", "READY", "Browser Ready", started_at=NOW)
    assert started is not None
    later = NOW + timedelta(seconds=90)
    first = records.finish(started, "STOPPED", "released", ended_at=later, proxy_bytes=1000)
    again = records.finish(started, "FAILED", "too late", ended_at=later, proxy_bytes=1000)
    assert (first.internal_status, first.status, first.end_reason) == (
        "STOPPED",
        "COMPLETED",
        "released",
    )
    assert again == first
    project = store.get(Project.key(project_id="project_a"), consistent=True)
    used = (project.running_sessions, project.used_seconds, project.used_proxy_bytes)
    assert used == (1, 90, 1000)


@pytest.mark.accepts("WC-12", "WC-24")
def test_nothing_revives_a_session_that_has_ended(records: Records) -> None:
    # READY from a slow start must not come after the end.
    seeded = records.seed(session("a"))
    records.finish(seeded, "TIMED_OUT", "too late", ended_at=NOW)
    assert records.move("sess_a", "READY", "Browser Ready") is None
    assert records.move("sess_none", "READY", "Browser Ready") is None
    found = records.find("sess_a")
    assert found is not None
    assert found.status == "TIMED_OUT"


def test_a_project_that_is_not_active_or_has_no_places_refuses(
    records: Records, store: Store
) -> None:
    # A limit of 0 cannot be cured by waiting, so clients learn not to.
    for values, status, retry in (
        ({"concurrency": 0}, 429, "false"),
        ({"status": "INACTIVE"}, 403, None),
    ):
        store.update(Project.key(project_id="project_a"), set=values)
        with pytest.raises(Refused) as refused:
            records.seed(session("a"))
        assert refused.value.status == status
        assert refused.value.headers.get("x-should-retry") == retry


def test_one_session_at_a_time_writes_a_context(records: Records, store: Store) -> None:
    # Two profiles that are archived one after the other would undo each other's logins.
    store.create(Context(context_id="ctx_1", project_id="project_a"))
    writer = records.seed(session("a", context_id="ctx_1", context_persist=True))
    records.seed(session("reader", context_id="ctx_1"))
    with pytest.raises(ContextInUse) as refused:
        records.seed(session("b", context_id="ctx_1", context_persist=True))
    assert refused.value.headers["x-should-retry"] == "false"
    assert places(store) == 2
    records.finish(writer, "STOPPED", "released", ended_at=NOW)
    records.seed(session("b", context_id="ctx_1", context_persist=True))


@pytest.mark.accepts("WC-16")
def test_events_that_leave_the_item_are_in_the_log(
    records: Records, store: Store, sortkey_resources: Resources
) -> None:
    # An item has 400 KB; an audit that forgets its beginning would not be one.
    records.seed(session("a"))
    records.move("sess_a", "READY", "Browser Ready")
    for number in range(300):
        step = "ACTIVE" if number % 2 == 0 else "READY"
        records.move("sess_a", step, f"Step {number}")
    found = records.find("sess_a")
    assert found is not None
    assert 200 <= len(found.event_history) <= 220
    every = [event["detail-type"] for event in records.events.all(found)]
    assert every == ["Browser Ready", *(f"Step {number}" for number in range(300))]
    assert found.last_event_timestamp is not None
    records.events.delete("project_a", "sess_a")
    assert not sortkey_resources.buckets[BUCKET].list("project_a/").objects


def test_a_session_ends_also_if_its_project_is_gone(records: Records, store: Store) -> None:
    # An operator may delete a project whose browsers still run.
    seeded = records.seed(session("a"))
    store.delete(Project.key(project_id="project_a"))
    assert records.finish(seeded, "FAILED", "gone", ended_at=NOW).status == "ERROR"


@pytest.fixture
def busy(store: Store, monkeypatch: pytest.MonkeyPatch) -> BusyProject:
    """The project that everybody writes at the same time."""
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    return BusyProject(store.backend)


def test_an_end_that_meets_others_all_the_time_is_tried_again_as_a_whole(
    records: Records, store: Store, busy: BusyProject
) -> None:
    # An end without its place given back would take a place of the project for ever.
    seeded = records.seed(session("a"))
    of_busy = Records(Store(busy), records.events, time.time)
    busy.conflicts = CONFLICTS_MAX
    with pytest.raises(TransactionFailed):
        of_busy.finish(seeded, "STOPPED", "released", ended_at=NOW)
    found = records.find("sess_a")
    assert found is not None
    assert (places(store), found.status) == (1, "RUNNING")
    of_busy.finish(seeded, "STOPPED", "released", ended_at=NOW)
    assert places(store) == 0


def test_a_create_that_meets_others_all_the_time_does_not_say_that_all_places_are_taken(
    records: Records, busy: BusyProject
) -> None:
    # Its user would look for sessions to release, and there are none.
    busy.conflicts = CONFLICTS_MAX
    with pytest.raises(TransactionFailed):
        Records(Store(busy), records.events, time.time).seed(session("a"))


@pytest.mark.parametrize("drifted", [0, 4])
def test_a_count_that_has_drifted_is_corrected_once_the_project_is_quiet(
    records: Records, store: Store, drifted: int
) -> None:
    # A place that nobody gives back would be lost for good.
    for name in "abc":
        records.seed(session(name))
    ended = records.find("sess_c")
    assert ended is not None
    records.finish(ended, "STOPPED", "released", ended_at=NOW)
    store.update(Project.key(project_id="project_a"), set={"running_sessions": drifted})
    records.recount()
    assert places(store) == drifted  # an index may be late: it has just changed
    Records(store, records.events, lambda: time.time() + SETTLED_SECONDS + 1).recount()
    assert places(store) == 2
