"""Wallcrawler's access patterns on the embedded engine."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sortkey import Put, Store, Update, attr
from sortkey.engine import Engine
from sortkey.errors import NotFound, TransactionFailed, TransitionRefused
from sortkey.testing import FrozenClock
from sortkey_systems.wallcrawler.model import (
    ApiKey,
    Context,
    Event,
    Project,
    Session,
    api_key_hash,
    expired_sessions,
    model,
    recorded,
    trimmed,
)
from tests.systems.embedded import embedded

NOON = datetime(2025, 9, 20, 12, tzinfo=UTC)
engine, store = embedded(model, NOON)


def session(name: str, minutes: int = 0, **values: Any) -> Session:
    created = NOON + timedelta(minutes=minutes)
    given: dict[str, Any] = {
        "project_id": "project_default",
        "created_at": created,
        "signing_key": "jwt",
        **values,
    }
    return Session(session_id=f"sess_{name}", expires_at=created + timedelta(hours=1), **given)


@pytest.mark.accepts("WC-2", "WC-5", "WC-6")
def test_all_tables_recover_to_any_point_and_sessions_expire(store: Store) -> None:
    # What is declared must be switched on: recovery that is not on is noticed when it is needed.
    for table in model.tables:
        described = store.backend.call("DescribeTable", {"TableName": table.name})["Table"]
        assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
        backups = store.backend.call("DescribeContinuousBackups", {"TableName": table.name})
        recovery = backups["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
        assert recovery["PointInTimeRecoveryStatus"] == "ENABLED"
    expiry = store.backend.call("DescribeTimeToLive", {"TableName": "wallcrawler-sessions"})
    assert expiry["TimeToLiveDescription"] == {
        "TimeToLiveStatus": "ENABLED",
        "AttributeName": "expiresAt",
    }
    assert store.ensure(model) == []


@pytest.mark.accepts("WC-4", "WC-21")
def test_a_session_is_found_by_its_id(store: Store) -> None:
    # A new one starts as CREATING, which clients see as RUNNING.
    store.create(session("a"))
    found = store.get(Session.key(session_id="sess_a"))
    assert (found.internal_status, found.status) == ("CREATING", "RUNNING")
    with pytest.raises(NotFound):
        store.get(Session.key(session_id="sess_b"))


@pytest.mark.accepts("WC-3", "WC-7")
def test_the_sessions_of_a_project_come_by_creation_and_no_others(store: Store) -> None:
    # Tenants are separated by key, not by filter.
    for each in (
        session("late", 5),
        session("early", 1),
        session("foreign", 2, project_id="project_b"),
    ):
        store.create(each)
    found = store.query(Session.of_project(project_id="project_default"))
    assert [each.session_id for each in found] == ["sess_early", "sess_late"]
    newest = store.first(Session.of_project(project_id="project_default").descending())
    assert newest is not None
    assert newest.session_id == "sess_late"
    recent = store.query(
        Session.of_project(project_id="project_default").at_least(NOON + timedelta(minutes=3))
    )
    assert [each.session_id for each in recent] == ["sess_late"]


@pytest.mark.accepts("WC-8")
def test_running_sessions_past_their_window_are_found_by_status_and_expiry(store: Store) -> None:
    # The timeout worker reads this index, which has the keys only, and then the sessions
    # themselves.
    for each in (
        session("old", -120),
        session("older", -180),
        session("young", 0),
        session("ended", -150),
    ):
        store.create(each)
    store.move(Session.key(session_id="sess_ended"), Session.internal_status, "STOPPED")
    assert [each.session_id for each in store.query(expired_sessions(NOON))] == [
        "sess_older",
        "sess_old",
    ]
    keys = store.keys(Session.by_status(status="RUNNING").at_most(NOON))
    assert [key.values["sessionId"] for key in keys] == ["sess_older", "sess_old"]


@pytest.mark.accepts("WC-11", "WC-12")
def test_the_lifecycle_is_guarded_and_both_statuses_move_together(store: Store) -> None:
    # READY that arrives after the end finds the end.
    store.create(session("a"))
    key = Session.key(session_id="sess_a")
    assert store.move(key, Session.internal_status, "READY").status == "RUNNING"
    assert store.move(key, Session.internal_status, "STOPPED").status == "COMPLETED"
    with pytest.raises(TransitionRefused):
        store.move(key, Session.internal_status, "READY")
    assert [
        each.session_id for each in store.query(Session.by_status(status="COMPLETED").hydrated())
    ] == ["sess_a"]
    assert store.query(Session.by_status(status="RUNNING").hydrated()) == []


@pytest.mark.accepts("WC-17", "WC-20")
def test_counters_are_raised_in_place_and_the_end_is_noted(store: Store) -> None:
    # Two writers count at once; neither may lose the other's bytes.
    store.create(session("a"))
    key = Session.key(session_id="sess_a")
    store.update(key, attr(Session.proxy_bytes).add(1024), attr(Session.retry_count).add(1))
    changed = store.update(key, attr(Session.proxy_bytes).add(1), set={"ended_at": NOON})
    assert (changed.proxy_bytes, changed.retry_count, changed.ended_at) == (1025, 1, NOON)


@pytest.mark.accepts("WC-16")
def test_the_event_history_keeps_the_last_200_in_order(store: Store) -> None:
    # An item has 400 KB: a session that lives long must not grow until it cannot be written.
    store.create(session("a"))
    key = Session.key(session_id="sess_a")
    for number in range(205):
        time = f"2025-09-20T10:{number // 60:02d}:{number % 60:02d}Z"
        event = Event(id=str(number), source="wallcrawler", detail_type="Heartbeat", time=time)
        grown = store.update(key, *recorded(event))
        if actions := trimmed(grown):
            store.update(
                key, *actions, when=attr(Session.event_history).size() == len(grown.event_history)
            )
    found = store.get(key)
    assert [event.id for event in found.event_history] == [str(number) for number in range(5, 205)]
    assert found.last_event_timestamp == datetime(2025, 9, 20, 10, 3, 24, tzinfo=UTC)
    assert found.to_item()["eventHistory"]["L"][0]["M"]["detail-type"] == {"S": "Heartbeat"}


@pytest.mark.accepts("WC-27")
def test_a_deleted_session_is_in_no_index(store: Store) -> None:
    # No further cleanup job is needed for the indexes.
    store.create(session("a"))
    store.delete(Session.key(session_id="sess_a"))
    assert store.query(Session.of_project(project_id="project_default")) == []
    assert store.query(Session.by_status(status="RUNNING").hydrated()) == []


@pytest.mark.accepts("WC-5", "WC-25", "WC-27")
def test_an_expired_session_is_in_no_index(
    store: Store, engine: Engine, sortkey_clock: FrozenClock
) -> None:
    # The time to live takes it out of the table and of both indexes at once.
    store.create(session("a"))
    sortkey_clock.advance(timedelta(hours=1, minutes=1).total_seconds())
    while engine.work() == 0:
        pass
    assert store.find(Session.key(session_id="sess_a")) is None
    assert store.query(Session.of_project(project_id="project_default")) == []
    assert store.keys(Session.by_status(status="RUNNING")) == []


@pytest.mark.accepts("WC-6")
def test_the_stream_has_the_session_before_and_after(store: Store) -> None:
    # The processor compares both to see the one change to READY.
    store.create(session("a"))
    store.move(Session.key(session_id="sess_a"), Session.internal_status, "READY")
    arn = store.backend.call("DescribeTable", {"TableName": "wallcrawler-sessions"})["Table"][
        "LatestStreamArn"
    ]
    shards = store.backend.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    start = {"StreamArn": arn, "ShardId": shards[0]["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = store.backend.call("GetShardIterator", start)["ShardIterator"]
    change = store.backend.call("GetRecords", {"ShardIterator": iterator})["Records"][-1][
        "dynamodb"
    ]
    assert Session.from_item(change["OldImage"]).internal_status == "CREATING"
    assert Session.from_item(change["NewImage"]).internal_status == "READY"


def creation(made: Session) -> tuple[Put[Session], Update[Project]]:
    """A session and its place among those of its project, in one transaction."""
    free = attr(Project.running_sessions) < attr(Project.concurrency)
    active = attr(Project.status) == "ACTIVE"
    taken = attr(Project.running_sessions).add(1)
    return Put(made, "create"), Update(
        Project.key(project_id=made.project_id), (taken,), free & active
    )


@pytest.mark.accepts("WC-30")
def test_the_limit_of_a_project_is_kept_by_the_transaction_that_creates_a_session(
    store: Store,
) -> None:
    # Two creations at once must not both see the last free place.
    store.create(Project(project_id="project_default", name="Default", concurrency=2))
    for name in ("a", "b"):
        store.transact(*creation(session(name)))
    with pytest.raises(TransactionFailed):
        store.transact(*creation(session("c")))
    assert store.get(Project.key(project_id="project_default")).running_sessions == 2
    assert store.count(Session.of_project(project_id="project_default")) == 2


@pytest.mark.accepts("WC-28", "WC-31")
def test_a_project_is_found_by_its_id_with_its_status(store: Store) -> None:
    # All that the authorizer needs to refuse an inactive tenant.
    store.create(Project(project_id="project_old", name="Old", concurrency=1, status="INACTIVE"))
    assert store.get(Project.key(project_id="project_old")).status == "INACTIVE"
    with pytest.raises(TransactionFailed):
        store.transact(*creation(session("a", project_id="project_old")))


@pytest.mark.accepts("WC-32", "WC-33")
def test_an_api_key_is_found_by_its_hash_and_by_its_primary_project(store: Store) -> None:
    # The index knows the primary project only: additional ones stand in a list.
    store.create(
        ApiKey(api_key_hash=api_key_hash("wc_1"), project_id="project_a", project_ids=["project_b"])
    )
    assert store.get(ApiKey.key(api_key_hash=api_key_hash("wc_1"))).project_id == "project_a"
    assert len(store.query(ApiKey.of_project(project_id="project_a"))) == 1
    assert store.query(ApiKey.of_project(project_id="project_b")) == []


@pytest.mark.accepts("WC-43")
def test_a_project_and_a_key_are_all_that_a_new_deployment_needs(store: Store) -> None:
    # The tables begin empty: these two items open the API, and it makes contexts and sessions.
    store.create(Project(project_id="project_default", name="First", concurrency=1))
    store.create(ApiKey(api_key_hash=api_key_hash("wc_1"), project_id="project_default"))
    allowed = store.get(ApiKey.key(api_key_hash=api_key_hash("wc_1"))).allowed_projects
    assert [store.get(Project.key(project_id=each)).status for each in allowed] == ["ACTIVE"]
    store.transact(*creation(session("a")))
    assert store.get(Session.key(session_id="sess_a")).project_id == "project_default"


@pytest.mark.accepts("WC-37")
def test_a_context_is_found_by_its_id(store: Store) -> None:
    # One item per persisted context.
    store.create(Context(context_id="ctx_1", project_id="project_default"))
    found = store.get(Context.key(context_id="ctx_1"))
    assert found.storage_key == "project_default/ctx_1/profile.tar.gz"
    assert found.created_at is not None
    assert found.updated_at is not None


@pytest.mark.accepts("WC-7", "WC-8", "WC-33")
def test_every_access_pattern_says_what_it_reads() -> None:
    # None of them scans, and each has a description.
    patterns = {each.name: each for each in model.patterns()}
    assert list(patterns) == [
        "Session.key",
        "Session.of_project",
        "Session.by_status",
        "Project.key",
        "ApiKey.key",
        "ApiKey.of_project",
        "Context.key",
        "expired_sessions",
    ]
    assert all(each.doc for each in patterns.values())
    explained = {name: each.explain() for name, each in patterns.items()}
    assert explained["Session.of_project"].index == "projectId-createdAt-index"
    assert explained["expired_sessions"].index == "status-expiresAt-index"
    assert explained["ApiKey.of_project"].index == "projectId-index"
