"""Topics on SNS. A process that listens has one SQS queue, which is subscribed to every topic that
it listens to. The queue is created when it is first needed and deleted at the end.

A queue per listener would cost a second and two calls each time. Queues that a killed process left
behind are deleted by the next one that listens: a tag says when the queue's process was last alive.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

import orjson

from sortkey.errors import NotConfigured
from sortkey.runtime.topic_hub import HubTopics
from sortkey.runtime.topics import Message, encode_body

log = logging.getLogger("sortkey.topics")

QUEUE_PREFIX = "sortkey-listener-"
ALIVE_TAG = "sortkey-alive-at"
ALIVE_SECONDS = 300.0
STALE_SECONDS = 3600.0
RETENTION_SECONDS = 300
FAILED_SECONDS_MAX = 30.0


class SnsTopics(HubTopics):
    """The topics of an account and region. A topic is named by its name, with `prefix`, or by its
    ARN.

    A named topic is created if it does not exist, which needs the permission sns:CreateTopic. An
    ARN does not need it.
    """

    def __init__(
        self,
        region: str | None = None,
        *,
        endpoint: str | None = None,
        profile: str | None = None,
        credentials: tuple[str, str] | None = None,
        prefix: str = "",
        poll_seconds: int = 20,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(clock)
        session = _session(region, profile, credentials)
        self._sns: Any = session.client("sns", endpoint_url=endpoint)
        self._sqs: Any = session.client("sqs", endpoint_url=endpoint)
        self._prefix, self._poll_seconds = prefix, poll_seconds
        self._arns: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._lock = threading.RLock()
        self._queue: _Queue | None = None

    def publish(self, topic: str, body: Any, *, attributes: Mapping[str, str] | None = None) -> str:
        text = encode_body(topic, body).decode()
        message_attributes = {
            name: {"DataType": "String", "StringValue": value}
            for name, value in (attributes or {}).items()
        }
        answer = self._sns.publish(
            TopicArn=self._arn(topic), Message=text, MessageAttributes=message_attributes
        )
        return answer["MessageId"]

    def _arn(self, topic: str) -> str:
        with self._lock:
            if topic not in self._arns:
                is_arn = topic.startswith("arn:")
                arn = (
                    topic
                    if is_arn
                    else self._sns.create_topic(Name=self._prefix + topic)["TopicArn"]
                )
                self._arns[topic], self._names[arn] = arn, topic
            return self._arns[topic]

    def _listen(self, topic: str) -> None:
        arn = self._arn(topic)
        with self._lock:
            if self._queue is None:
                self._queue = _Queue(self._sns, self._sqs, self.clock)
                run = threading.Thread(
                    target=self._run, args=(self._queue,), name="sortkey-topics", daemon=True
                )
                run.start()
            self._queue.follow(arn)

    def _run(self, queue: _Queue) -> None:
        pause = 0.0
        while not queue.ended.wait(pause):
            try:
                for body in queue.receive(self._poll_seconds):
                    self._deliver(body)
                queue.keep_alive()
                pause = 0.0
            except Exception:
                if queue.ended.is_set():
                    return  # the queue was deleted on purpose
                log.exception("messages could not be received from SQS and will be retried")
                pause = min(max(2 * pause, 0.5), FAILED_SECONDS_MAX)

    def _deliver(self, body: str) -> None:
        """Deliver one message. Those of other programs may not be JSON, and are skipped."""
        try:
            message = self._message(orjson.loads(body))
        except (ValueError, KeyError, TypeError):
            log.error("skipped an unreadable message from SNS: %.200s", body)
            return
        if message is not None:
            self.hub.deliver(message)

    def _message(self, envelope: Mapping[str, Any]) -> Message | None:
        topic = self._names.get(envelope["TopicArn"])
        if topic is None:
            return None
        attributes = {
            name: attribute["Value"]
            for name, attribute in envelope.get("MessageAttributes", {}).items()
        }
        at = datetime.fromisoformat(envelope["Timestamp"])
        return Message(
            topic, envelope["MessageId"], orjson.loads(envelope["Message"]), at, attributes
        )

    def _end(self) -> None:
        with self._lock:
            if self._queue is not None:
                self._queue.end()
                self._queue = None


class _Queue:
    """The queue of one process, and its subscriptions."""

    def __init__(self, sns: Any, sqs: Any, clock: Callable[[], float]) -> None:
        self._sns, self._sqs, self._clock = sns, sqs, clock
        self.ended = threading.Event()
        self._subscriptions: dict[str, str] = {}
        self._remove_stale()
        self._alive_at = clock()
        queue = sqs.create_queue(
            QueueName=QUEUE_PREFIX + secrets.token_hex(8),
            Attributes={"MessageRetentionPeriod": str(RETENTION_SECONDS)},
            tags={ALIVE_TAG: str(int(self._alive_at))},
        )
        self._url: str = queue["QueueUrl"]
        response = sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=["QueueArn"])
        self._arn: str = response["Attributes"]["QueueArn"]

    def follow(self, topic_arn: str) -> None:
        """Receive the messages of one more topic."""
        if topic_arn in self._subscriptions:
            return
        policy = orjson.dumps(_policy(self._arn, [*self._subscriptions, topic_arn])).decode()
        self._sqs.set_queue_attributes(QueueUrl=self._url, Attributes={"Policy": policy})
        subscribed = self._sns.subscribe(
            TopicArn=topic_arn, Protocol="sqs", Endpoint=self._arn, ReturnSubscriptionArn=True
        )
        self._subscriptions[topic_arn] = subscribed["SubscriptionArn"]

    def receive(self, seconds: int) -> list[str]:
        """Take messages from the queue."""
        answer = self._sqs.receive_message(
            QueueUrl=self._url, WaitTimeSeconds=seconds, MaxNumberOfMessages=10
        )
        messages = answer.get("Messages", [])
        if messages:
            entries = [
                {"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]}
                for n, message in enumerate(messages)
            ]
            self._sqs.delete_message_batch(QueueUrl=self._url, Entries=entries)
        return [message["Body"] for message in messages]

    def keep_alive(self) -> None:
        if self._clock() - self._alive_at >= ALIVE_SECONDS:
            self._alive_at = self._clock()
            self._sqs.tag_queue(QueueUrl=self._url, Tags={ALIVE_TAG: str(int(self._alive_at))})

    def end(self) -> None:
        self.ended.set()
        for arn in self._subscriptions.values():
            self._sns.unsubscribe(SubscriptionArn=arn)
        self._sqs.delete_queue(QueueUrl=self._url)

    def _remove_stale(self) -> None:
        """Delete the queues that killed processes left. Failures do not matter: the next process
        tries again.
        """
        pages = self._sqs.get_paginator("list_queues").paginate(QueueNamePrefix=QUEUE_PREFIX)
        with suppress(Exception):
            for url in [url for page in pages for url in page.get("QueueUrls", [])]:
                alive_at = float(
                    self._sqs.list_queue_tags(QueueUrl=url).get("Tags", {}).get(ALIVE_TAG, "inf")
                )
                if self._clock() - alive_at > STALE_SECONDS:
                    self._remove(url)

    def _remove(self, url: str) -> None:
        arn = self._sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])[
            "Attributes"
        ]["QueueArn"]
        for page in self._sns.get_paginator("list_subscriptions").paginate():
            for subscription in page["Subscriptions"]:
                if subscription["Endpoint"] == arn:
                    self._sns.unsubscribe(SubscriptionArn=subscription["SubscriptionArn"])
        self._sqs.delete_queue(QueueUrl=url)


def _policy(queue_arn: str, topic_arns: list[str]) -> dict[str, Any]:
    """Only these topics may put messages into the queue."""
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "sns.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": queue_arn,
        "Condition": {"ArnEquals": {"aws:SourceArn": topic_arns}},
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def _session(region: str | None, profile: str | None, credentials: tuple[str, str] | None) -> Any:
    try:
        import boto3  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        raise NotConfigured("topics on SNS need boto3: pip install 'sortkey[aws]'") from None
    access_key, secret_key = credentials or (None, None)
    return boto3.Session(access_key, secret_key, region_name=region, profile_name=profile)
