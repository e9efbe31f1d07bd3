"""sessions-stream-processor: says on a topic that a session is ready, once for each, and whoever
waits hears it.

The stream delivers a change at least once; a guard in a table makes it one message. What goes out
has no secret in it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from sortkey import Change, Store, Subscription, Topics, apply_once, on_change
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.records import STARTING

TOPIC = "wallcrawler-session-ready"
LOOK_SECONDS = 2.0
"""How often whoever waits looks into the table as well: the table is the truth, a message can be
lost.
"""

log = logging.getLogger("sortkey.wallcrawler")


def is_first_ready(change: Change[Session]) -> bool:
    """Whether a session has just become ready. One that its client has left becomes READY again:
    that is not it.
    """
    if change.old is None or change.new is None:
        return False
    return change.new.internal_status == "READY" and change.old.internal_status in STARTING


def ready_publisher(store: Store, topics: Topics) -> Any:
    """The handler of the stream of sessions."""

    @on_change(Session, kinds=("changed",), when=is_first_ready, name="session-ready")
    def publish(change: Change[Session]) -> None:
        session = change.new
        assert session is not None
        if apply_once(store, session.session_id, "session-ready"):
            topics.publish(TOPIC, ready_message(session))

    return publish


def ready_message(session: Session) -> dict[str, Any]:
    return {
        "sessionId": session.session_id,
        "projectId": session.project_id,
        "status": session.status,
        "internalStatus": session.internal_status,
        "startedAt": session.started_at.isoformat() if session.started_at else None,
    }


async def wait_until_ready(store: Store, subscription: Subscription, session_id: str) -> None:
    """Return when a session is ready. It waits without an end: the caller has a deadline."""
    while True:
        message = await subscription.wait_for_async({"sessionId": session_id}, LOOK_SECONDS)
        if message is not None:
            return
        session = await asyncio.to_thread(
            store.find, Session.key(session_id=session_id), consistent=True
        )
        if session is None or session.internal_status not in STARTING:
            log.warning(
                "%s is ready without a message on %s: does a worker run?", session_id, TOPIC
            )
            return
