"""Events in the shape of EventBridge, for targets on this machine."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sortkey_systems.vams.runners.http_post import post
from sortkey_systems.vams.runners.port import Task

SOURCE = "vams"
DETAIL_TYPE = "VAMS pipeline"


@dataclass(frozen=True, slots=True)
class EventNames:
    """How an event names itself."""

    source: str
    detail_type: str


def event_of(names: EventNames, detail: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The envelope of an event."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": names.detail_type,
        "source": names.source,
        "account": "000000000000",
        "time": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": "local",
        "resources": [],
        "detail": dict(detail),
    }


@dataclass(frozen=True, slots=True)
class EventPost:
    """Posts an event to a server of the operator's choice."""

    url: str
    names: EventNames
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    seconds_max: float = 60.0
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def run(self, task: Task) -> None:
        """Post the event of the step."""
        event = event_of(self.names, {"body": dict(task.body)}, self.now())
        post(self.url, event, self.headers, min(task.seconds, self.seconds_max))
