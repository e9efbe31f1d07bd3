"""Events of sessions: envelopes as EventBridge has them, the newest in the item, the rest in an
append-only log.

The log is a bucket in which every object is written once: events that leave the item are stored
there first.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import orjson

from sortkey import Objects, Store, attr
from sortkey.errors import ConditionFailed, NotFound, PreconditionFailed
from sortkey_systems.wallcrawler.model import EVENT_HISTORY_MAX, Event, Session, trimmed

BUCKET = "wallcrawler-events"
SOURCE = "wallcrawler.sessions"
TRIM_AT = EVENT_HISTORY_MAX + 20
"""Above this the oldest go to the log, many at once."""


def session_event(session_id: str, what: str, clock: Callable[[], float], **detail: Any) -> Event:
    """An event of the control plane about a session."""
    return Event(
        id=secrets.token_hex(8),
        source=SOURCE,
        detail_type=what,
        time=datetime.fromtimestamp(clock(), UTC).isoformat(timespec="milliseconds"),
        detail={"sessionId": session_id, **detail},
    )


class EventLog:
    """The events that items no longer hold."""

    def __init__(self, store: Store, bucket: Objects) -> None:
        self._store, self._bucket = store, bucket

    def trim(self, session: Session) -> None:
        """Move the oldest events of a session into the log, if it has too many. Two who do it at
        once do it once.
        """
        if len(session.event_history) <= TRIM_AT:
            return
        actions = trimmed(session)
        oldest = session.event_history[: len(actions)]
        with suppress(PreconditionFailed):
            lines = b"".join(
                orjson.dumps(event.model_dump(by_alias=True)) + b"\n" for event in oldest
            )
            self._bucket.put(
                _key(session, oldest[0]), lines, content_type="application/jsonl", if_absent=True
            )
        with suppress(ConditionFailed, NotFound):
            is_same = attr(Session.event_history).size() == len(session.event_history)
            self._store.update(Session.key(session_id=session.session_id), *actions, when=is_same)

    def all(self, session: Session) -> Iterator[dict[str, Any]]:
        """Every event of a session, each once, the oldest first."""
        seen: set[str] = set()
        for event in (
            *self._logged(session),
            *(each.model_dump(by_alias=True) for each in session.event_history),
        ):
            if event["id"] not in seen:
                seen.add(event["id"])
                yield event

    def delete(self, project_id: str, session_id: str) -> None:
        """Forget the events of a session that is gone."""
        for listed in self._bucket.list(f"{project_id}/{session_id}/").objects:
            self._bucket.delete(listed.key)

    def _logged(self, session: Session) -> Iterator[dict[str, Any]]:
        for listed in self._bucket.list(f"{session.project_id}/{session.session_id}/").objects:
            for line in self._bucket.read(listed.key).splitlines():
                yield orjson.loads(line)


def _key(session: Session, first: Event) -> str:
    """By the time of the first event, so that the objects of a session come in order."""
    at = datetime.fromisoformat(first.time).astimezone(UTC).strftime("%Y%m%dT%H%M%S%f")
    return f"{session.project_id}/{session.session_id}/{at}-{first.id}.jsonl"
