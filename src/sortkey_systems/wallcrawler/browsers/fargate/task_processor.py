"""ecs-task-processor: stores task events of EventBridge with their sessions, and notifies waiters.

On AWS it is a function behind a rule for "ECS Task State Change": `lambda_handler` below. READY is
not its to write: a task that runs has no browser yet, and a client that saw READY would connect.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from sortkey import Store, Topics, open_topics
from sortkey import open as open_store
from sortkey.errors import ConditionFailed, NotFound
from sortkey_systems.wallcrawler.browsers.fargate.tasks import Task
from sortkey_systems.wallcrawler.model import Event, InternalStatus, Session, recorded

TOPIC = "wallcrawler-task-changed"
DETAIL_TYPE = "ECS Task State Change"
STEPS: dict[str, InternalStatus] = {
    "PROVISIONING": "PROVISIONING",
    "PENDING": "PROVISIONING",
    "ACTIVATING": "STARTING",
    "RUNNING": "STARTING",
}
"""What a session is while its task is so. At its end, the server says what became of it."""


def process_task_event(store: Store, topics: Topics, event: dict[str, Any]) -> bool:
    """Keep an event with its session and publish it. Returns whether it was about a session."""
    if event.get("detail-type") != DETAIL_TYPE:
        return False
    task = Task.of(event["detail"])
    if not task.started_by.startswith("sess_"):
        return False
    _record(store, task, event)
    message = {
        "sessionId": task.started_by,
        "taskArn": task.arn,
        "lastStatus": task.status,
        "stoppedReason": task.stopped_reason,
    }
    topics.publish(TOPIC, message)
    return True


def _record(store: Store, task: Task, event: dict[str, Any]) -> None:
    """With the step that it means; without, where the session cannot take it any more."""
    key, kept = Session.key(session_id=task.started_by), recorded(Event.model_validate(event))
    learned = {"ecs_task_arn": task.arn, "public_ip": task.address}
    known = {name: value for name, value in learned.items() if value is not None}
    step = STEPS.get(task.status)
    for values in ({**known, "internal_status": step} if step else known, known):
        try:
            store.update(key, *kept, set=values)
        except ConditionFailed:
            continue  # it is ready, or has ended
        except NotFound:
            return
        return


@cache
def _opened() -> tuple[Store, Topics]:
    region = os.environ["AWS_REGION"]
    store = os.environ.get("WALLCRAWLER_STORE", f"aws://{region}")
    topics = os.environ.get("WALLCRAWLER_TOPICS", f"aws://{region}")
    return open_store(store), open_topics(topics)


def lambda_handler(event: dict[str, Any], _: Any = None) -> None:
    """The entry point on AWS Lambda."""
    process_task_event(*_opened(), event)
