"""The stream processor: one message for each session that becomes ready, without a secret in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from sortkey import StreamWorker, Subscription
from sortkey.systems import Resources
from sortkey_systems.wallcrawler.model import InternalStatus, Session, model
from sortkey_systems.wallcrawler.ready_topic import TOPIC, ready_publisher


@pytest.fixture
def heard(sortkey_resources: Resources) -> Iterator[Subscription]:
    sortkey_resources.store.ensure(model)
    with sortkey_resources.topics.subscribe(TOPIC) as subscription:
        yield subscription


def worker(resources: Resources, name: str = "test") -> StreamWorker:
    handler = ready_publisher(resources.store, resources.topics)
    return StreamWorker(resources.store, [handler], name=name)


def go_through(resources: Resources, session_id: str, *steps: InternalStatus) -> None:
    ends = datetime.now(UTC) + timedelta(hours=1)
    made = Session(session_id=session_id, project_id="p", expires_at=ends, signing_key="ey.secret")
    resources.store.create(made)
    for step in steps:
        resources.store.move(Session.key(session_id=session_id), Session.internal_status, step)


@pytest.mark.accepts("WC-6", "WC-23", "WC-40")
def test_a_session_is_announced_once_when_it_becomes_ready(
    sortkey_resources: Resources, heard: Subscription
) -> None:
    # A client that comes and goes makes it READY again; whoever waits for the start must not see
    # it.
    go_through(sortkey_resources, "sess_a", "PROVISIONING", "READY", "ACTIVE", "READY", "STOPPED")
    go_through(sortkey_resources, "sess_b", "FAILED")
    worker(sortkey_resources).run_until_idle()
    message = heard.wait_for(timeout=5)
    assert message is not None
    assert message.body["sessionId"] == "sess_a"
    assert "secret" not in json.dumps(message.body)
    assert heard.wait_for(timeout=0.1) is None


@pytest.mark.accepts("WC-23")
def test_a_change_that_the_stream_delivers_again_is_not_announced_again(
    sortkey_resources: Resources, heard: Subscription
) -> None:
    # After a crash the last changes come once more, perhaps to another server.
    go_through(sortkey_resources, "sess_a", "READY")
    for name in ("one", "other"):  # a worker of another name reads the stream from its beginning
        worker(sortkey_resources, name).run_until_idle()
    assert heard.wait_for(timeout=5) is not None
    assert heard.wait_for(timeout=0.1) is None
