"""What the systems need of streams and topics, with their own models: Wallcrawler's READY, VAMS's
views.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import sortkey
from sortkey import Change, MemoryTopics, Store, StreamWorker, Topics, on_change
from sortkey.connect.local_topics import LocalTopics
from sortkey.engine import Engine
from sortkey.runtime.streams.handlers import AnyHandler
from sortkey.testing import FrozenClock
from sortkey_systems.wallcrawler.model import Session, sessions
from tests.runtime.streams.shop import worker

READY_TOPIC = "wallcrawler-session-ready"
PATIENCE = 20.0


def session(name: str, now: float) -> Session:
    expires = datetime.fromtimestamp(now, UTC) + timedelta(hours=1)
    return Session(
        session_id=f"sess_{name}",
        project_id="project_default",
        signing_key="jwt",
        expires_at=expires,
    )


def processor(topics: Topics) -> AnyHandler:
    """Wallcrawler's sessions-stream-processor, in three lines."""

    @on_change(Session, when=lambda change: change.became(Session.internal_status, "READY"))
    def announce_ready(change: Change[Session]) -> None:
        assert change.new is not None
        topics.publish(
            READY_TOPIC, {"sessionId": change.new.session_id, "connectUrl": change.new.connect_url}
        )

    return announce_ready


def move(store: Store, name: str, status: str) -> None:
    store.move(Session.key(session_id=f"sess_{name}"), Session.internal_status, status)


@pytest.mark.accepts("WC-6", "WC-23")
def test_ready_is_announced_once_for_each_transition(store: Store, clock: FrozenClock) -> None:
    # If two callers hear of one session, or one hears twice, somebody gets a browser of another.
    store.ensure(sessions)
    with MemoryTopics() as topics, topics.subscribe(READY_TOPIC) as subscription:
        running = worker(store, processor(topics), clock=clock)
        store.create(session("1", clock()))
        for status in ("PROVISIONING", "READY"):
            move(store, "1", status)
        store.update(
            Session.key(session_id="sess_1"), set={"proxy_bytes": 7}
        )  # still READY: nothing to tell
        running.run_until_idle()
        first = subscription.wait_for(timeout=PATIENCE)
        assert first is not None
        assert first.body["sessionId"] == "sess_1"
        for status in ("ACTIVE", "READY"):  # the client has left, and the browser is ready again
            move(store, "1", status)
        running.run_until_idle()
        assert subscription.wait_for(timeout=PATIENCE) is not None
        move(store, "1", "TERMINATING")
        running.run_until_idle()
        assert subscription.wait_for(timeout=0.01) is None


@pytest.mark.accepts("WC-40")
def test_who_creates_a_session_waits_until_the_stream_says_that_it_is_ready(tmp_path: Path) -> None:
    # The path of every session: create, browser, stream, topic, and back to the caller, and to
    # whoever else listens.
    with (
        sortkey.open(tmp_path) as store,
        LocalTopics(tmp_path) as ours,
        LocalTopics(tmp_path) as theirs,
    ):
        store.ensure(sessions)
        created = session("1", datetime.now(UTC).timestamp())
        with (
            StreamWorker(store, [processor(theirs)], name="sessions-stream-processor"),
            ours.subscribe(READY_TOPIC) as waiting,
            theirs.subscribe(READY_TOPIC) as further,
        ):
            store.create(created)
            threading.Timer(0.002, move, (store, "1", "READY")).start()
            for subscription in (waiting, further):
                message = subscription.wait_for({"sessionId": "sess_1"}, PATIENCE)
                assert message is not None


def test_a_live_session_that_expires_is_reported_with_what_it_was(
    store: Store, engine: Engine, clock: FrozenClock
) -> None:
    # Its browser must be stopped, and only the old image says which one that is.
    store.ensure(sessions)
    store.create(session("1", clock()))
    arn = "arn:aws:ecs:task/1"
    store.update(Session.key(session_id="sess_1"), set={"ecs_task_arn": arn})
    clock.advance(7200)
    engine.work()
    stopped: list[tuple[str, str | None]] = []

    @on_change(Session, kinds=["deleted"], when=Session.status == "RUNNING")
    def stop_browser(change: Change[Session]) -> None:
        assert change.old is not None
        stopped.append((change.by, change.old.ecs_task_arn))

    worker(store, stop_browser, clock=clock).run_until_idle()
    assert stopped == [("ttl", arn)]
